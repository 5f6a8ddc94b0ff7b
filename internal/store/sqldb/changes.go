// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type changeRow struct {
	bun.BaseModel `bun:"table:changes"`

	Number        int64 `bun:",pk"`
	EnvironmentID tenant.EnvironmentID
	DocumentID    string
}

// announce numbers and keeps changes that the transaction makes. It comes last
// in a transaction: from here on other changes wait for its end.
func announce(ctx context.Context, tx bun.Tx, changes ...store.Change) error {
	if len(changes) == 0 {
		return nil
	}
	var last int64
	err := tx.NewUpdate().Table("change_counter").
		Set("number = number + ?", len(changes)).Where("true").Returning("number").Scan(ctx, &last)
	if err != nil {
		return err
	}
	rows := make([]changeRow, len(changes))
	for i, c := range changes {
		rows[i] = changeRow{Number: last - int64(len(changes)-1-i), EnvironmentID: c.Environment, DocumentID: c.ID}
	}
	if err := insertAll(ctx, tx, rows); err != nil {
		return err
	}
	_, err = tx.NewDelete().Table("changes").Where("number <= ?", last-store.KeptChanges).Exec(ctx)
	return err
}

// Changes implements store.Control. The change asked for is among the rows as
// long as it is remembered, and then tells that none after it was forgotten.
func (d *DB) Changes(ctx context.Context, after int64) (store.Changes, error) {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var rows []changeRow
	if err := d.bun.NewSelect().Model(&rows).Where("number >= ?", after).Order("number").Scan(ctx); err != nil {
		return store.Changes{}, d.fault(err, "read changes")
	}
	if len(rows) > 0 && rows[0].Number == after {
		changes := store.Changes{Number: rows[len(rows)-1].Number}
		for _, r := range rows[1:] {
			changes.List = append(changes.List, store.Change{Environment: r.EnvironmentID, ID: r.DocumentID})
		}
		return changes, nil
	}
	changes := store.Changes{All: true}
	if err := d.bun.NewSelect().Table("change_counter").Column("number").Scan(ctx, &changes.Number); err != nil {
		return store.Changes{}, d.fault(err, "read changes")
	}
	return changes, nil
}
