// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"crypto/rand"

	"github.com/uptrace/bun"
)

type secretRow struct {
	bun.BaseModel `bun:"table:secrets"`

	Name  string `bun:",pk"`
	Value []byte
}

// Secret implements store.Control.
func (d *DB) Secret(ctx context.Context, name string) ([]byte, error) {
	if !storable(name) {
		return nil, notStorable("name of a secret")
	}
	row := &secretRow{Name: name, Value: make([]byte, 32)}
	_, _ = rand.Read(row.Value) // never fails: crypto/rand ends the process instead
	err := d.write(ctx, "read secret", func(ctx context.Context, tx bun.Tx) error {
		// Where two ask at once, the first to write decides for both.
		if _, err := tx.NewInsert().Model(row).On("CONFLICT (name) DO NOTHING").Exec(ctx); err != nil {
			return err
		}
		return tx.NewSelect().Model(row).WherePK().Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	return row.Value, nil
}
