// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// backupPause lies between two looks at a backup that is being made.
const backupPause = 200 * time.Millisecond

// backup is one backup as the API tells of it.
type backup struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Path    string `json:"path"`
	Moment  string `json:"moment"`
	Files   int64  `json:"files"`
	Bytes   int64  `json:"bytes"`
	Total   int64  `json:"total_bytes"`
	Problem string `json:"problem"`
}

func (a *app) backup() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "backup [NAME]",
		Short: "Back up the stores of a running collector, and wait until that is done",
		Long: "Makes a directory NAME in the collector's backup_directory, on its machine, with everything that was stored before one moment. The default NAME " +
			"is the time. Takes the access token as the key. Exits with 0 when the backup is done.",
		Example: `  touchstone backup --key-file data/access_token
  touchstone backup --key-file data/access_token before-upgrade
  touchstone backup --key-file data/access_token --list`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				if len(args) > 0 {
					return usage("--list takes no name")
				}
				return a.listBackups(cmd.Context())
			}
			name := time.Now().UTC().Format("20060102T150405Z")
			if len(args) > 0 {
				name = args[0]
			}
			return a.makeBackup(cmd.Context(), name)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show the backups that there are")
	return cmd
}

// makeBackup begins a backup and waits until it has ended.
func (a *app) makeBackup(ctx context.Context, name string) error {
	answered, err := a.client.ask(ctx, http.MethodPost, "/v2/backups", nil, map[string]any{"name": name})
	if err != nil {
		return err
	}
	bar := a.progress(true, "bytes")
	defer bar.stop()
	for {
		var b backup
		if err := json.Unmarshal(answered.body, &b); err != nil {
			return &exitError{ExitFailed, fmt.Errorf("the answer cannot be read: %w", err)}
		}
		bar.at(b.Bytes, b.Total)
		if b.State != "running" {
			bar.stop()
			return a.tellBackup(b, answered.body)
		}
		select {
		case <-time.After(backupPause):
		case <-ctx.Done():
			return &exitError{ExitFailed, errors.New("the backup goes on without you: --list shows what comes of it")}
		}
		if answered, err = a.client.ask(ctx, http.MethodGet, "/v2/backups/"+url.PathEscape(name), nil, nil); err != nil {
			return err
		}
	}
}

// tellBackup prints what came of a backup.
func (a *app) tellBackup(b backup, raw []byte) error {
	if b.State != "done" {
		return &exitError{ExitFailed, fmt.Errorf("the backup %s failed: %s", b.Name, line(b.Problem, 200))}
	}
	if a.output == "json" {
		return a.json(raw)
	}
	return a.rows(backupHeader, [][]string{b.row()})
}

// listBackups prints the backups that there are.
func (a *app) listBackups(ctx context.Context) error {
	told, raw, err := get[struct {
		Backups []backup `json:"backups"`
	}](ctx, &a.client, "/v2/backups", nil)
	if err != nil {
		return err
	}
	if a.output == "json" {
		return a.json(raw)
	}
	rows := make([][]string, len(told.Backups))
	for i := range told.Backups {
		rows[i] = told.Backups[i].row()
	}
	return a.rows(backupHeader, rows)
}

var backupHeader = []string{"name", "state", "moment", "files", "bytes", "path", "problem"}

func (b *backup) row() []string {
	return []string{
		line(b.Name, 100), b.State, b.Moment, strconv.FormatInt(b.Files, 10), strconv.FormatInt(b.Bytes, 10), line(b.Path, 200), line(b.Problem, 200),
	}
}
