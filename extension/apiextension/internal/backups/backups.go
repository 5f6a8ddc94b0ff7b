// SPDX-License-Identifier: Apache-2.0

// Package backups serves backups of the stores to the operator.
package backups

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// API serves backups.
type API struct {
	Backups store.Backups
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	const all = "/v2/backups"
	return []rest.Route{
		rest.Operator(http.MethodPost, all, a.begin).Denying("Not allowed with an API key: backups take the access token").Audited("backup.create"),
		rest.Operator(http.MethodGet, all, a.list).Denying("Not allowed with an API key: backups take the access token"),
		rest.Operator(http.MethodGet, all+"/{name}", a.get).Denying("Not allowed with an API key: backups take the access token"),
	}
}

type backupRequest struct {
	Name string `json:"name"`
}

type backupsAnswer struct {
	Backups []backupAnswer `json:"backups"`
}

// backupAnswer is one backup.
type backupAnswer struct {
	Name   string            `json:"name"`
	State  store.BackupState `json:"state"`
	Path   string            `json:"path"` // on the machine of the process
	Begun  string            `json:"begun,omitempty"`
	Moment string            `json:"moment,omitempty"` // that the spans are of
	Ended  string            `json:"ended,omitempty"`
	Files  int64             `json:"files"`
	Bytes  int64             `json:"bytes"`
	Total  int64             `json:"total_bytes"`
	// Problem is why it failed, "" where it did not.
	Problem string `json:"problem"`
}

// begin begins a backup, which goes on behind the answer.
func (a *API) begin(r *http.Request) (rest.Response, error) {
	var want backupRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	begun, err := a.Backups.Begin(want.Name)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusAccepted, Body: show(&begun), Made: []string{begun.Name}}, nil
}

func (a *API) list(*http.Request) (rest.Response, error) {
	list, err := a.Backups.List()
	if err != nil {
		return rest.Response{}, err
	}
	shown := backupsAnswer{Backups: make([]backupAnswer, len(list))}
	for i := range list {
		shown.Backups[i] = show(&list[i])
	}
	return rest.OK(shown), nil
}

func (a *API) get(r *http.Request) (rest.Response, error) {
	name := rest.PathValue(r, "name")
	list, err := a.Backups.List()
	if err != nil {
		return rest.Response{}, err
	}
	for i := range list {
		if list[i].Name == name {
			return rest.OK(show(&list[i])), nil
		}
	}
	return rest.Response{}, fault.New(fault.NotFound, "backup not found")
}

func show(b *store.Backup) backupAnswer {
	return backupAnswer{
		Name: b.Name, State: b.State, Path: b.Path, Begun: rest.TimeIfAny(b.Begun), Moment: rest.TimeIfAny(b.Moment), Ended: rest.TimeIfAny(b.Ended),
		Files: b.Files, Bytes: b.Bytes, Total: b.Total, Problem: b.Problem,
	}
}
