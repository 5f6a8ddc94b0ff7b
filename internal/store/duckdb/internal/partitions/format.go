// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

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

// bring leads the partition that the connection uses to the latest format.
func (q *Querier) bring(ctx context.Context, p *Partition, known tables.Formats) error {
	had, err := q.format(ctx, p, known)
	if err != nil {
		return err
	}
	return q.lead(ctx, p, had, known)
}

// fill gives the partition that the connection uses, whose file was made a moment
// ago, the tables of the latest format.
func (q *Querier) fill(ctx context.Context, p *Partition, known tables.Formats) error {
	return q.lead(ctx, p, 0, known)
}

// lead leads a partition that has a format to the latest one, in one transaction: if
// the process is killed, each step was done wholly or not at all, and is done when
// the file is opened next.
func (q *Querier) lead(ctx context.Context, p *Partition, had int, known tables.Formats) error {
	if had == len(known) {
		return nil
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
	version, err := q.version(ctx, p)
	if err != nil {
		return 0, err
	}
	switch {
	case version < 1:
		// The engine lists the tables of all files that are attached, and for as long
		// keeps each from being closed: it is asked only about files that tell no format.
		var n int
		if err := q.Conn.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE database_name = ?", p.Alias()).Scan(&n); err != nil {
			return 0, err
		}
		if n == 0 {
			return 0, nil
		}
		return 0, formatErrorf("%s has tables and no format version, so no release of Touchstone wrote it: "+
			"move it elsewhere, or give the store another directory", p.Path)
	case version > len(known):
		return 0, formatErrorf("%s has format %d, which a newer release of Touchstone wrote, and this one knows formats up to %d: "+
			"start the newer release, or give the store another directory", p.Path, version, len(known))
	}
	return version, nil
}

// version returns what a file tells of its format, 0 for one that tells nothing.
func (q *Querier) version(ctx context.Context, p *Partition) (int, error) {
	var version int
	err := q.Conn.QueryRowContext(ctx, "SELECT version FROM "+p.Alias()+".format").Scan(&version)
	var refused *duck.Error
	if errors.As(err, &refused) && refused.Type == duck.ErrorTypeCatalog || errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

// formatError is the error of a file whose format is none of those known.
type formatError struct{ message string }

func (e *formatError) Error() string { return e.message }

func formatErrorf(format string, args ...any) error {
	return &formatError{fmt.Sprintf(format, args...)}
}
