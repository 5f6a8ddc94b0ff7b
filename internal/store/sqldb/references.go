// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// refersTo returns what a document with this body refers to.
func refersTo(rules store.Rules, body []byte) []store.Reference {
	if rules.Refers == nil {
		return nil
	}
	return rules.Refers(body)
}

// allThere refuses references to what is not there. The environment must be held, by which
// all stays there until the transaction ends.
func allThere(ctx context.Context, tx bun.Tx, env tenant.EnvironmentID, list []store.Reference) error {
	for i := range list {
		r := &list[i]
		if !storable(r.ID) {
			return r.NotThere()
		}
		there, err := tx.NewSelect().Model((*documentRow)(nil)).
			Where("kind = ?", r.Kind).Where("environment_id = ?", env).Where("id = ?", r.ID).Exists(ctx)
		if err != nil {
			return err
		}
		if !there {
			return r.NotThere()
		}
	}
	return nil
}

// addedThere is allThere for what a document refers to that its stored revision did not: a
// setup whose evaluator has gone before can still be changed.
func addedThere(ctx context.Context, tx bun.Tx, doc *store.Document, rules store.Rules) error {
	now := refersTo(rules, doc.Body)
	if len(now) == 0 {
		return nil
	}
	var stored string
	err := tx.NewSelect().Model((*documentRow)(nil)).Column("body").
		Where("kind = ?", doc.Kind).Where("environment_id = ?", doc.Environment).
		Where("id = ?", doc.ID).Where("revision = ?", doc.Revision).Scan(ctx, &stored)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it is not replaced
	}
	if err != nil {
		return err
	}
	before := refersTo(rules, []byte(stored))
	added := slices.DeleteFunc(now, func(r store.Reference) bool {
		return slices.ContainsFunc(before, func(b store.Reference) bool { return b.Kind == r.Kind && b.ID == r.ID })
	})
	if len(added) == 0 {
		return nil
	}
	if err := holdEnvironment(ctx, tx, doc.Environment); err != nil {
		return err
	}
	return allThere(ctx, tx, doc.Environment, added)
}

// notNeeded refuses the deletion of a document that another one of its environment refers
// to. It holds the environment, so that none comes to refer to it until the transaction
// ends.
func notNeeded(ctx context.Context, tx bun.Tx, row *documentRow) error {
	by := row.Kind.Rules().ReferredBy
	if by == "" {
		return nil
	}
	if err := holdEnvironment(ctx, tx, row.EnvironmentID); err != nil {
		return err
	}
	var others []documentRow
	err := tx.NewSelect().Model(&others).Column("name", "body").
		Where("kind = ?", by).Where("environment_id = ?", row.EnvironmentID).OrderExpr(oldestFirst).Scan(ctx)
	if err != nil {
		return err
	}
	for i := range others {
		refers := func(r store.Reference) bool { return r.Kind == row.Kind && r.ID == row.ID }
		if slices.ContainsFunc(refersTo(by.Rules(), []byte(others[i].Body)), refers) {
			return row.Kind.Needed(by, others[i].Name)
		}
	}
	return nil
}
