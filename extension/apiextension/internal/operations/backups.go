// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// BackupsAPI serves backups of the stores to the operator.
type BackupsAPI struct {
	Backups store.Backups
}

// Routes returns what is served.
func (a *BackupsAPI) Routes() []rest.Route {
	const denied = "Not allowed with an API key: backups take the access token"
	return []rest.Route{
		CreateBackup.Route(a.begin).Denying(denied).Audited("backup.create"),
		ListBackups.Route(a.list).Denying(denied),
		GetBackup.Route(a.get).Denying(denied),
	}
}

// BackupRequest asks for a backup.
type BackupRequest struct {
	Name string `json:"name" doc:"Letters, digits, '.', '_' and '-', the first a letter or digit." schema:"required minLength=1 maxLength=100"`
}

// Backups are all of them.
type Backups struct {
	Backups []Backup `json:"backups"`
}

// Backup is one backup.
type Backup struct {
	_ struct{} `doc:"A copy of the stores."`

	Name    string            `json:"name"`
	State   store.BackupState `json:"state" enum:"running,done,failed"`
	Path    string            `json:"path" doc:"The directory that it is in, or will be, on the machine of the process."`
	Begun   string            `json:"begun,omitempty" schema:"format=date-time"`
	Moment  string            `json:"moment,omitempty" doc:"What the spans are of: all that was acknowledged before is in it. Keys and setups are of a moment between that and ended." schema:"format=date-time"`
	Ended   string            `json:"ended,omitempty" schema:"format=date-time"`
	Files   int64             `json:"files" doc:"Files of spans that are copied."`
	Bytes   int64             `json:"bytes" doc:"Bytes of them."`
	Total   int64             `json:"total_bytes" doc:"About how many bytes there are to copy."`
	Problem string            `json:"problem" doc:"Why it failed, empty where it did not."`
}

// begin begins a backup, which goes on behind the answer.
func (a *BackupsAPI) begin(c *rest.Call, in *BackupRequest) (*Backup, error) {
	begun, err := a.Backups.Begin(in.Name)
	if err != nil {
		return nil, err
	}
	c.Made(begun.Name)
	return showBackup(&begun), nil
}

func (a *BackupsAPI) list(*rest.Call, *rest.None) (*Backups, error) {
	list, err := a.Backups.List()
	if err != nil {
		return nil, err
	}
	shown := &Backups{Backups: make([]Backup, len(list))}
	for i := range list {
		shown.Backups[i] = *showBackup(&list[i])
	}
	return shown, nil
}

func (a *BackupsAPI) get(_ *rest.Call, in *GetBackupInput) (*Backup, error) {
	list, err := a.Backups.List()
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == in.Name {
			return showBackup(&list[i]), nil
		}
	}
	return nil, fault.New(fault.NotFound, "backup not found")
}

func showBackup(b *store.Backup) *Backup {
	return &Backup{
		Name: b.Name, State: b.State, Path: b.Path, Begun: rest.TimeIfAny(b.Begun), Moment: rest.TimeIfAny(b.Moment), Ended: rest.TimeIfAny(b.Ended),
		Files: b.Files, Bytes: b.Bytes, Total: b.Total, Problem: b.Problem,
	}
}
