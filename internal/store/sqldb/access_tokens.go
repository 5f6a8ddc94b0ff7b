// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ store.AccessTokens = (*DB)(nil)

// accessTokens is the name of the secret that is the digests of access tokens, one after
// the other.
const accessTokens = "access_tokens"

// AccessTokens implements store.AccessTokens.
func (d *DB) AccessTokens(ctx context.Context) (list []tenant.Digest, err error) {
	err = d.read(ctx, "read access tokens", func(ctx context.Context, tx bun.Tx) error {
		list, err = selectAccessTokens(ctx, tx)
		return err
	})
	return list, err
}

func selectAccessTokens(ctx context.Context, tx bun.Tx) (list []tenant.Digest, err error) {
	row := &secretRow{Name: accessTokens}
	err = tx.NewSelect().Model(row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	for digest := range slices.Chunk(row.Value, sha256.Size) {
		if len(digest) == sha256.Size {
			list = append(list, tenant.Digest(digest))
		}
	}
	return list, err
}

// RenewAccessToken implements store.AccessTokens.
func (d *DB) RenewAccessToken(ctx context.Context, latest tenant.Digest, keep bool) error {
	return d.write(ctx, "renew the access token", func(ctx context.Context, tx bun.Tx) error {
		row := &secretRow{Name: accessTokens, Value: latest[:]}
		if keep {
			before, err := selectAccessTokens(ctx, tx)
			if err != nil {
				return err
			}
			if len(before) > 0 {
				row.Value = append(row.Value[:len(row.Value):len(row.Value)], before[0][:]...)
			}
		}
		_, err := tx.NewInsert().Model(row).On("CONFLICT (name) DO UPDATE").Set("value = EXCLUDED.value").Exec(ctx)
		return err
	})
}
