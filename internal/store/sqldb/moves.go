// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/contents"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// moveNote is the name of the secret that says how far a move into the database got: as the
// digests of access tokens it needs no table of its own.
const moveNote = "move"

// MoveNote returns what NoteMove stored last, nil if it never did.
func (d *DB) MoveNote(ctx context.Context) (note []byte, err error) {
	err = d.read(ctx, "read how far the move is", func(ctx context.Context, tx bun.Tx) error {
		row := &secretRow{Name: moveNote}
		err := tx.NewSelect().Model(row).WherePK().Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		note = row.Value
		return err
	})
	return note, err
}

// NoteMove stores how far a move into the database is.
func (d *DB) NoteMove(ctx context.Context, note []byte) error {
	return d.write(ctx, "note how far the move is", func(ctx context.Context, tx bun.Tx) error { return noteMove(ctx, tx, note) })
}

func noteMove(ctx context.Context, tx bun.Tx, note []byte) error {
	_, err := tx.NewInsert().Model(&secretRow{Name: moveNote, Value: note}).On("CONFLICT (name) DO UPDATE").Set("value = EXCLUDED.value").Exec(ctx)
	return err
}

// MovedTable is how many rows of a table were moved.
type MovedTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// movedAtOnce is how many rows are read and written at once: a body may have some MB.
const movedAtOnce = 20

// moving is one table of a move.
type moving interface {
	name() string
	// copy copies all rows, and returns what they are.
	copy(ctx context.Context, from bun.IDB, to bun.Tx) (contents.Sum, error)
}

// movingTables are the tables that move, each behind those that it refers to. Those of changes
// and of pending evaluations are the database's own.
var movingTables = []moving{
	movingRows[organizationRow]{table: "organizations", key: []string{"id"}, at: func(r *organizationRow) []any { return []any{r.ID} }},
	movingRows[projectRow]{table: "projects", key: []string{"id"}, at: func(r *projectRow) []any { return []any{r.ID} }},
	movingRows[environmentRow]{table: "environments", key: []string{"id"}, at: func(r *environmentRow) []any { return []any{r.ID} }},
	movingRows[keyRow]{table: "keys", key: []string{"id"}, at: func(r *keyRow) []any { return []any{r.ID} }},
	movingRows[secretRow]{
		table: "secrets", key: []string{"name"}, at: func(r *secretRow) []any { return []any{r.Name} },
		replace: true, // a process that began on the database made some
	},
	movingRows[documentRow]{table: "documents", key: []string{"seq"}, at: func(r *documentRow) []any { return []any{r.Seq} }},
	movingRows[revisionRow]{table: "revisions", key: []string{"document", "revision"}, at: func(r *revisionRow) []any { return []any{r.Document, r.Revision} }},
}

// movingRows moves the rows of a table in the order of their key.
type movingRows[R any] struct {
	table   string
	key     []string
	at      func(*R) []any
	replace bool
}

func (m movingRows[R]) name() string { return m.table }

// pages gives f the rows, some at once.
func (m movingRows[R]) pages(ctx context.Context, of bun.IDB, f func([]R) error) error {
	var behind []any
	for {
		var rows []R
		q := of.NewSelect().Model(&rows).Order(m.key...).Limit(movedAtOnce)
		if behind != nil {
			q.Where("("+strings.Join(m.key, ", ")+") > (?)", bun.List(behind))
		}
		if m.replace { // secrets
			q.Where("name <> ?", moveNote)
		}
		if err := q.Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		behind = m.at(&rows[len(rows)-1])
		if err := f(rows); err != nil {
			return err
		}
	}
}

// copy writes what it reads, reads it again, and compares.
func (m movingRows[R]) copy(ctx context.Context, from bun.IDB, to bun.Tx) (sent contents.Sum, err error) {
	var d contents.Digester
	err = m.pages(ctx, from, func(rows []R) error {
		q := to.NewInsert().Model(&rows)
		if m.replace {
			q.On("CONFLICT (" + strings.Join(m.key, ", ") + ") DO UPDATE").Set("value = EXCLUDED.value")
		}
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
		var stored []R
		keys := make([]any, len(rows))
		for i := range rows {
			keys[i] = bun.Tuple(m.at(&rows[i]))
		}
		err := to.NewSelect().Model(&stored).Where("("+strings.Join(m.key, ", ")+") IN (?)", bun.List(keys)).Scan(ctx)
		if err != nil {
			return err
		}
		var had, has contents.Sum
		for i := range rows {
			d.Add(&had, rows[i])
		}
		for i := range stored {
			d.Add(&has, stored[i])
		}
		if had != has {
			return fault.New(fault.Internal, "what was stored in the table %s is not what was read", m.table)
		}
		sent.Plus(had)
		return nil
	})
	return sent, err
}

// errServes says that a database is not there for a move.
var errServes = fault.New(fault.Conflict, "the target serves organizations already: move into databases that are not in use")

// Serves returns an error if there are organizations.
func (d *DB) Serves(ctx context.Context) error {
	return d.read(ctx, "look for organizations", serves)
}

func serves(ctx context.Context, tx bun.Tx) error {
	n, err := tx.NewSelect().Model((*organizationRow)(nil)).Count(ctx)
	if err == nil && n > 0 {
		err = errServes
	}
	return err
}

// MoveFrom has the database, which is PostgreSQL's, be what another one is: organizations, keys,
// secrets and documents with their revisions, as they are, and the note that is made of how
// many; all or nothing. What was written is read again and compared before it counts. It answers Conflict where there are
// organizations.
func (d *DB) MoveFrom(ctx context.Context, from *DB, note func([]MovedTable) ([]byte, error)) error {
	// No bound of time holds for all of it.
	err := d.bun.RunInTx(ctx, d.engine.writing, func(ctx context.Context, tx bun.Tx) error {
		if tx.Dialect().Name() == dialect.PG {
			if _, err := tx.ExecContext(ctx, "LOCK TABLE organizations IN EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		if err := serves(ctx, tx); err != nil {
			return err
		}
		list, err := moveTables(ctx, from, tx)
		if err != nil {
			return err
		}
		if err := afterMove(ctx, tx); err != nil {
			return err
		}
		text, err := note(list)
		if err != nil {
			return err
		}
		return noteMove(ctx, tx, text)
	})
	return d.fault(err, "move organizations, keys and documents")
}

func moveTables(ctx context.Context, from *DB, tx bun.Tx) (list []MovedTable, err error) {
	err = from.bun.RunInTx(ctx, from.engine.snapshot, func(ctx context.Context, source bun.Tx) error {
		for _, m := range movingTables {
			sent, err := m.copy(ctx, source, tx)
			if err != nil {
				return err
			}
			list = append(list, MovedTable{m.name(), sent.Count})
		}
		return nil
	})
	return list, err
}

// afterMove has the next document come behind those that there are, and tells processes that
// everything is different.
func afterMove(ctx context.Context, tx bun.Tx) error {
	if tx.Dialect().Name() == dialect.PG {
		if _, err := tx.ExecContext(ctx, "SELECT setval(pg_get_serial_sequence('documents', 'seq'), (SELECT max(seq) FROM documents)) WHERE EXISTS (SELECT FROM documents)"); err != nil {
			return err
		}
	}
	var environments []tenant.EnvironmentID
	if err := tx.NewSelect().Model((*environmentRow)(nil)).Column("id").Scan(ctx, &environments); err != nil {
		return err
	}
	var documents []documentRow
	if err := tx.NewSelect().Model(&documents).Column("kind", "environment_id", "id").Scan(ctx); err != nil {
		return err
	}
	changes := make([]store.Change, 0, len(environments)+len(documents))
	for _, id := range environments {
		changes = append(changes, store.Change{Environment: id})
	}
	for i := range documents {
		if r := &documents[i]; r.Kind.Rules().Announced {
			changes = append(changes, store.Change{Environment: r.EnvironmentID, ID: r.ID})
		}
	}
	return announce(ctx, tx, slices.Clip(changes)...)
}
