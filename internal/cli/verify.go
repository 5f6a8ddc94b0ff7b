// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/verify"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// verified is the report about one file.
type verified struct {
	File     string `json:"file"`
	State    string `json:"state"`
	SetAside bool   `json:"set_aside,omitempty"`
	Spans    *int64 `json:"spans,omitempty"`
	Readable *int64 `json:"readable_spans,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

func (a *app) verify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIRECTORY",
		Short: "Check every file in the data directory of a stopped collector",
		Long: "Checks control.db, every file of spans and every journal that is not empty, files in spans/damaged too. Reports whether each is sound, damaged or of an " +
			"unknown format, and how many of its spans can be read. Changes nothing. Exits with 0 if all files are sound, and with 1 otherwise.",
		Example: "  touchstone verify data",
		Args:    arguments("DIRECTORY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := verifyAll(cmd.Context(), args[0])
			if err != nil {
				return &exitError{ExitFailed, err}
			}
			if err := a.tellVerified(files); err != nil {
				return err
			}
			wrong := 0
			for _, f := range files {
				if f.State != verify.Sound {
					wrong++
				}
			}
			if wrong > 0 {
				return &exitError{ExitFailed, fmt.Errorf("%d of %d files are not sound", wrong, len(files))}
			}
			return nil
		},
	}
}

func verifyAll(ctx context.Context, dir string) ([]verified, error) {
	path, err := filepath.Abs(filepath.Join(dir, "control.db"))
	if err != nil {
		return nil, err
	}
	spans, err := verify.Store(ctx, filepath.Join(dir, "spans"))
	if err != nil {
		return nil, err
	}
	control := verified{File: path, State: verify.Sound}
	if err := sqldb.Verify(ctx, path); err != nil {
		var format *sqldb.UnknownFormatError
		control.State, control.Problem = verify.Damaged, err.Error()
		if errors.As(err, &format) {
			control.State = verify.UnknownFormat
		}
	}
	files := []verified{control}
	for _, v := range spans {
		files = append(files, verified{
			File: v.Path, State: v.State, SetAside: v.Aside, Spans: &v.Spans, Readable: &v.Readable, Problem: v.Problem,
		})
	}
	return files, nil
}

func (a *app) tellVerified(files []verified) error {
	if a.output == "json" {
		b, err := json.Marshal(map[string]any{"files": files})
		if err != nil {
			return err
		}
		return a.json(b)
	}
	var rows [][]string
	for _, f := range files {
		state, readable := f.State, ""
		if f.SetAside {
			state += ", moved away"
		}
		if f.Spans != nil {
			readable = strconv.FormatInt(*f.Readable, 10) + " of " + strconv.FormatInt(*f.Spans, 10)
		}
		rows = append(rows, []string{line(f.File, 200), state, readable, line(f.Problem, 200)})
	}
	return a.rows([]string{"file", "state", "readable spans", "problem"}, rows)
}
