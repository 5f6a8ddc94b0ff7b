// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// document is a value kept as JSON text. Its strings must be of type text.
type document[T any] struct{ value T }

// Value implements driver.Valuer.
func (d document[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(d.value)
	return string(b), err
}

// Scan implements sql.Scanner.
func (d *document[T]) Scan(src any) error {
	var b []byte
	switch s := src.(type) {
	case string:
		b = []byte(s)
	case []byte:
		b = s
	default:
		return fmt.Errorf("json column holds %T", src)
	}
	// What was there before may share memory with what others read.
	var fresh T
	err := json.Unmarshal(b, &fresh)
	d.value = fresh
	return err
}

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
