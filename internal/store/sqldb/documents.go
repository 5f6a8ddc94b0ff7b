// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// oldestFirst is the order of every list of documents.
const oldestFirst = "created_at NULLS FIRST, seq"

// Put implements store.Documents.
func (d *DB) Put(ctx context.Context, doc store.Document) (store.Document, error) {
	if doc.Revision == 0 {
		return d.create(ctx, doc)
	}
	return d.replace(ctx, doc)
}

func (d *DB) create(ctx context.Context, doc store.Document) (store.Document, error) {
	rules := doc.Kind.Rules()
	if !storable(doc.ID, doc.Name, doc.Label, string(doc.Body)) {
		return store.Document{}, notStorable(rules.Name)
	}
	if rules.Parent != "" && (doc.Parent == "" || !storable(doc.Parent)) {
		return store.Document{}, rules.Parent.NotFound()
	}
	doc.Revision = 1
	var row *documentRow
	err := d.write(ctx, "create "+string(doc.Kind), func(ctx context.Context, tx bun.Tx) error {
		if err := holdEnvironment(ctx, tx, doc.Environment); err != nil {
			return err
		}
		if err := withinBounds(ctx, tx, &doc, rules); err != nil {
			return err
		}
		if err := allThere(ctx, tx, doc.Environment, refersTo(rules, doc.Body)); err != nil {
			return err
		}
		row = rowOf(&doc)
		if err := tx.NewInsert().Model(row).ExcludeColumn("seq").Returning("seq").Scan(ctx); err != nil {
			return err
		}
		return noteWrite(ctx, tx, row, rules)
	})
	switch {
	case fault.Is(err, fault.Conflict) && byDatabase(err):
		err = doc.Kind.Taken(err)
	case fault.Is(err, fault.NotFound) && byDatabase(err): // the environment is there
		err = rules.Parent.NotFound()
	}
	if err != nil {
		return store.Document{}, err
	}
	return row.document(), nil
}

// byDatabase reports whether a fault is what the database's own constraints
// said.
func byDatabase(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Cause != nil
}

// holdEnvironment keeps other creations in the environment out until the
// transaction ends. It answers NotFound when there is no such environment, or
// its organization was deleted.
func holdEnvironment(ctx context.Context, tx bun.Tx, id tenant.EnvironmentID) error {
	var held tenant.EnvironmentID
	err := hold(tx, tx.NewSelect().Model((*environmentRow)(nil)).Column("id").Where("id = ?", id).Where("is_closed = 0")).Scan(ctx, &held)
	if errors.Is(err, sql.ErrNoRows) {
		err = fault.New(fault.NotFound, "environment not found")
	}
	return err
}

func withinBounds(ctx context.Context, tx bun.Tx, doc *store.Document, rules store.Rules) error {
	count := func(q *bun.SelectQuery) (int64, error) {
		return q.Where("kind = ?", doc.Kind).Where("environment_id = ?", doc.Environment).Count(ctx)
	}
	if rules.Max > 0 {
		n, err := count(tx.NewSelect().Model((*documentRow)(nil)))
		if err != nil {
			return err
		}
		if n >= int64(rules.Max) {
			return doc.Kind.TooMany()
		}
	}
	if rules.MaxOpen > 0 && doc.Open {
		n, err := count(tx.NewSelect().Model((*documentRow)(nil)).Where("parent_id = ?", doc.Parent).Where("is_open = 1"))
		if err != nil {
			return err
		}
		if n >= int64(rules.MaxOpen) {
			return doc.Kind.TooManyOpen()
		}
	}
	if rules.MaxOpenInAll > 0 && doc.Open {
		n, err := count(tx.NewSelect().Model((*documentRow)(nil)).Where("is_open = 1"))
		if err != nil {
			return err
		}
		if n >= int64(rules.MaxOpenInAll) {
			return doc.Kind.TooManyOpenInAll()
		}
	}
	return nil
}

// noteWrite keeps the revision that row is at, if revisions of its kind are
// kept, and announces the change, if changes of its kind are.
func noteWrite(ctx context.Context, tx bun.Tx, row *documentRow, rules store.Rules) error {
	if rules.KeptRevisions > 0 {
		if _, err := tx.NewInsert().Model(row.kept()).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*revisionRow)(nil)).
			Where("document = ?", row.Seq).Where("revision <= ?", row.Revision-rules.KeptRevisions).Exec(ctx); err != nil {
			return err
		}
	}
	if rules.Announced {
		return announce(ctx, tx, store.Change{Environment: row.EnvironmentID, ID: row.ID})
	}
	return nil
}

// named returns the row of the document that goes by a name in an environment,
// in its latest revision, or NotFound.
func named(ctx context.Context, tx bun.Tx, kind store.Kind, env tenant.EnvironmentID, name string) (*documentRow, error) {
	row := new(documentRow)
	if !storable(name) {
		return nil, kind.NotFound()
	}
	err := tx.NewSelect().Model(row).
		Where("kind = ?", kind).
		Where("environment_id = ?", env).
		Where("name = ? OR id = ?", name, name).
		OrderExpr("name = ? DESC", name).
		Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, kind.NotFound()
	}
	return row, err
}

// turnTo returns the row one of its kept revisions, or answers NotFound.
func (r *documentRow) turnTo(ctx context.Context, tx bun.Tx, revision string) error {
	if !storable(revision) {
		return r.Kind.NotFound()
	}
	kept := new(revisionRow)
	err := tx.NewSelect().Model(kept).
		Where("document = ?", r.Seq).
		Where("CAST(revision AS TEXT) = ? OR label = ?", revision, revision).
		OrderExpr("CAST(revision AS TEXT) = ? DESC", revision).
		Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return r.Kind.NotFound()
	}
	r.Revision, r.Label, r.Body = kept.Revision, kept.Label, kept.Body
	return err
}

// List implements store.Documents.
func (d *DB) List(ctx context.Context, f store.DocumentFilter) ([]store.Document, error) {
	if f.Name != "" {
		return d.listNamed(ctx, f)
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var rows []documentRow
	q := d.bun.NewSelect().Model(&rows).Where("kind = ?", f.Kind).OrderExpr(oldestFirst)
	if f.Environment != "" {
		q.Where("environment_id = ?", f.Environment)
	}
	if f.Parent != "" {
		q.Where("parent_kind = ?", f.Kind.Rules().Parent).Where("parent_id = ?", f.Parent)
	}
	if f.IDs != nil {
		q.Where("id IN (?)", bun.List(f.IDs))
	}
	if f.Open {
		q.Where("is_open = 1")
	}
	if err := q.Scan(ctx); err != nil { // one statement: all is as it was at one moment
		return nil, d.fault(err, "list "+string(f.Kind)+"s")
	}
	list := make([]store.Document, len(rows))
	for i := range rows {
		list[i] = rows[i].document()
	}
	return list, nil
}

// listNamed lists the document that goes by a name, if there is one, in the
// revision that is asked for.
func (d *DB) listNamed(ctx context.Context, f store.DocumentFilter) (list []store.Document, err error) {
	err = d.read(ctx, "read "+string(f.Kind), func(ctx context.Context, tx bun.Tx) error {
		row, err := named(ctx, tx, f.Kind, f.Environment, f.Name)
		if err == nil && f.Revision != "" {
			err = row.turnTo(ctx, tx, f.Revision)
		}
		if err == nil {
			list = []store.Document{row.document()}
		}
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return list, err
}

func (d *DB) replace(ctx context.Context, doc store.Document) (store.Document, error) {
	rules := doc.Kind.Rules()
	if !storable(doc.Name, doc.Label, string(doc.Body)) {
		return store.Document{}, notStorable(rules.Name)
	}
	if !storable(doc.ID) {
		return store.Document{}, doc.Kind.NotFound()
	}
	row := rowOf(&doc)
	row.Revision++
	err := d.write(ctx, "replace "+string(doc.Kind), func(ctx context.Context, tx bun.Tx) error {
		if err := addedThere(ctx, tx, &doc, rules); err != nil {
			return err
		}
		err := tx.NewUpdate().Model(row).
			Column("name", "is_open", "revision", "label", "body").
			Where("kind = ?", doc.Kind).
			Where("environment_id = ?", doc.Environment).
			Where("id = ?", doc.ID).
			Where("revision = ?", doc.Revision).
			Returning("*").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return whyNotReplaced(ctx, tx, &doc)
		}
		if err != nil {
			return err
		}
		return noteWrite(ctx, tx, row, rules)
	})
	if fault.Is(err, fault.Conflict) && byDatabase(err) {
		err = doc.Kind.Taken(err)
	}
	if err != nil {
		return store.Document{}, err
	}
	if rules.Forgetful && !doc.Open {
		err = d.fault(d.engine.scrub(ctx, d.bun.DB), "scrub")
	}
	return row.document(), err
}

func whyNotReplaced(ctx context.Context, tx bun.Tx, doc *store.Document) error {
	exists, err := tx.NewSelect().Model((*documentRow)(nil)).
		Where("kind = ?", doc.Kind).
		Where("environment_id = ?", doc.Environment).
		Where("id = ?", doc.ID).Exists(ctx)
	switch {
	case err != nil:
		return err
	case exists:
		return doc.Kind.Changed()
	}
	return doc.Kind.NotFound()
}

// Delete implements store.Documents.
func (d *DB) Delete(ctx context.Context, of store.Kind, env tenant.EnvironmentID, name string) error {
	return d.write(ctx, "delete "+string(of), func(ctx context.Context, tx bun.Tx) error {
		row, err := named(ctx, tx, of, env, name)
		if err != nil {
			return err
		}
		if err := notNeeded(ctx, tx, row); err != nil {
			return err
		}
		gone, err := tx.NewDelete().Model(row).WherePK().Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := gone.RowsAffected(); err != nil || n == 0 { // another was faster
			return errors.Join(err, of.NotFound())
		}
		if of.Rules().Announced {
			return announce(ctx, tx, store.Change{Environment: row.EnvironmentID, ID: row.ID})
		}
		return nil
	})
}
