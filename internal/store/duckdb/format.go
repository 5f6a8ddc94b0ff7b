// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// inspect refuses files whose format this release does not know before any is
// changed. Those with a log must be attached for that as they will be, and stay.
func (e *engine) inspect(ctx context.Context) error {
	return e.alone(ctx, func(q querier) error {
		for _, p := range e.partitions {
			if p.summarized {
				continue
			}
			if err := e.inspectFile(ctx, q, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *engine) inspectFile(ctx context.Context, q querier, p *partition) error {
	if _, err := p.identify(); err == nil {
		if _, err := q.conn.ExecContext(ctx, "ATTACH "+sqltext.Quoted(p.path)+" AS "+p.alias()+" (READ_ONLY)"); err != nil {
			return err
		}
		if _, err := q.format(ctx, p, e.cfg.formats); err != nil {
			return err
		}
		return q.detach(ctx, p)
	}
	if err := q.attach(ctx, p); err != nil {
		return err
	}
	p.setAttached(true)
	if e.current[p.class] != p {
		e.files.adopt(p)
	}
	_, err := q.format(ctx, p, e.cfg.formats)
	return err
}

// bring leads the partition that the connection uses to the latest format, in
// one transaction: if the process is killed, each step was done wholly or not
// at all, and is done when the file is opened next.
func (q querier) bring(ctx context.Context, p *partition, known tables.Formats) error {
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
		if _, err := q.conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: format %d to %d: %w", p.path, had, len(known), err)
		}
	}
	return nil
}

// format returns the format version of a partition's file, 0 for one without
// tables. The error is a fault that says what to do if it is none of those known.
func (q querier) format(ctx context.Context, p *partition, known tables.Formats) (int, error) {
	var tables, versioned int
	if err := q.conn.QueryRowContext(ctx, formatSQL, p.alias()).Scan(&tables, &versioned); err != nil {
		return 0, err
	}
	if tables == 0 {
		return 0, nil
	}
	version := 0
	if versioned > 0 {
		err := q.conn.QueryRowContext(ctx, "SELECT version FROM "+p.alias()+".format").Scan(&version)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
	}
	switch {
	case version < 1:
		return 0, fmt.Errorf("%s has tables and no format version, so no release of Touchstone wrote it: "+
			"move it elsewhere, or give the store another directory", p.path)
	case version > len(known):
		return 0, fmt.Errorf("%s has format %d, which a newer release of Touchstone wrote, and this one knows formats up to %d: "+
			"start the newer release, or give the store another directory", p.path, version, len(known))
	}
	return version, nil
}
