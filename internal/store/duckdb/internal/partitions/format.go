// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

//go:embed sql/format.sql
var formatSQL string

// Inspect refuses the file of a partition whose format this release does not know,
// before any is changed. One with a log must be attached for that as it will be,
// and stays.
func (f *Files) Inspect(ctx context.Context, q *Querier, p *Partition, takesIn bool) error {
	if _, err := p.identify(); !errors.Is(err, errLogged) {
		if _, err := q.Conn.ExecContext(ctx, "ATTACH "+sqltext.Quoted(p.Path)+" AS "+p.Alias()+" (READ_ONLY)"); err != nil {
			return f.BlameOpening(p, err)
		}
		if _, err := q.format(ctx, p, f.options.Formats); err != nil {
			return f.BlameOpening(p, err)
		}
		return q.detach(ctx, p)
	}
	if err := q.attach(ctx, p); err != nil {
		return f.BlameOpening(p, err)
	}
	f.setAttached(p, true)
	if !takesIn {
		f.attached.adopt(p)
	}
	_, err := q.format(ctx, p, f.options.Formats)
	return f.BlameOpening(p, err)
}

// bring leads the partition that the connection uses to the latest format, in
// one transaction: if the process is killed, each step was done wholly or not
// at all, and is done when the file is opened next.
func (q *Querier) bring(ctx context.Context, p *Partition, known tables.Formats) error {
	had, err := q.format(ctx, p, known)
	if err != nil || had == len(known) {
		return err
	}
	statements := []string{"BEGIN TRANSACTION"}
	if had == 0 {
		statements = append(statements, "CREATE TABLE format (version INTEGER NOT NULL); INSERT INTO format VALUES (0)")
	}
	statements = append(statements, known[had:]...)
	statements = append(statements, "UPDATE format SET version = "+strconv.Itoa(len(known)), "COMMIT")
	for _, s := range statements {
		if _, err := q.Conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: format %d to %d: %w", p.Path, had, len(known), err)
		}
	}
	return nil
}

// format returns the format version of a partition's file, 0 for one without
// tables. The error is a fault that says what to do if it is none of those known.
func (q *Querier) format(ctx context.Context, p *Partition, known tables.Formats) (int, error) {
	var tables, versioned int
	if err := q.Conn.QueryRowContext(ctx, formatSQL, p.Alias()).Scan(&tables, &versioned); err != nil {
		return 0, err
	}
	if tables == 0 {
		return 0, nil
	}
	version := 0
	if versioned > 0 {
		err := q.Conn.QueryRowContext(ctx, "SELECT version FROM "+p.Alias()+".format").Scan(&version)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
	}
	switch {
	case version < 1:
		return 0, formatErrorf("%s has tables and no format version, so no release of Touchstone wrote it: "+
			"move it elsewhere, or give the store another directory", p.Path)
	case version > len(known):
		return 0, formatErrorf("%s has format %d, which a newer release of Touchstone wrote, and this one knows formats up to %d: "+
			"start the newer release, or give the store another directory", p.Path, version, len(known))
	}
	return version, nil
}

// formatError is the error of a file whose format is none of those known.
type formatError struct{ message string }

func (e *formatError) Error() string { return e.message }

func formatErrorf(format string, args ...any) error {
	return &formatError{fmt.Sprintf(format, args...)}
}
