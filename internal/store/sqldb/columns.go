// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// moment is a time kept as Unix nanoseconds, the zero time as NULL.
type moment struct{ time.Time }

// Value implements driver.Valuer.
func (m moment) Value() (driver.Value, error) {
	if m.IsZero() {
		return nil, nil
	}
	return m.UnixNano(), nil
}

// Scan implements sql.Scanner.
func (m *moment) Scan(src any) error {
	switch n := src.(type) {
	case nil:
		m.Time = time.Time{}
	case int64:
		m.Time = time.Unix(0, n).UTC()
	default:
		return fmt.Errorf("time column holds %T", src)
	}
	return nil
}

// quota is a quota kept as a JSON object.
type quota tenant.Quota

// Value implements driver.Valuer.
func (q quota) Value() (driver.Value, error) {
	text, err := json.Marshal(tenant.Quota(q))
	return string(text), err
}

// Scan implements sql.Scanner.
func (q *quota) Scan(src any) error {
	*q = quota{}
	switch text := src.(type) {
	case string:
		return json.Unmarshal([]byte(text), (*tenant.Quota)(q))
	case []byte:
		return json.Unmarshal(text, (*tenant.Quota)(q))
	}
	return fmt.Errorf("quota column holds %T", src)
}

// prices are an organization's prices kept as a JSON object, an empty one for none.
type prices struct{ *tenant.Prices }

// Value implements driver.Valuer.
func (p prices) Value() (driver.Value, error) {
	if p.Prices == nil {
		return "{}", nil
	}
	text, err := json.Marshal(p.Prices)
	return string(text), err
}

// Scan implements sql.Scanner.
func (p *prices) Scan(src any) error {
	p.Prices = nil
	text, ok := src.(string)
	if !ok {
		raw, ok := src.([]byte)
		if !ok {
			return fmt.Errorf("prices column holds %T", src)
		}
		text = string(raw)
	}
	if text == "{}" {
		return nil
	}
	return json.Unmarshal([]byte(text), &p.Prices)
}

func insertAll[Row any](ctx context.Context, tx bun.Tx, rows []Row) error {
	for chunk := range slices.Chunk(rows, 1000) { // a statement has a greatest length
		if _, err := tx.NewInsert().Model(&chunk).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
