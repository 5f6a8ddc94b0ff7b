// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Hashes are those of texts that a query asks for, by the engine's function. They
// are the same in all partitions.
type Hashes struct {
	texts map[string]uint64
	pairs map[[2]string]uint64
}

// text returns the hash of a text.
func (h *Hashes) text(ctx context.Context, conn *sql.Conn, text string) (uint64, error) {
	if n, found := h.texts[text]; found {
		return n, nil
	}
	var n uint64
	if err := conn.QueryRowContext(ctx, "SELECT hash($1::VARCHAR)", text).Scan(&n); err != nil {
		return 0, err
	}
	if h.texts == nil {
		h.texts = map[string]uint64{}
	}
	h.texts[text] = n
	return n, nil
}

// pair returns the hash of two texts.
func (h *Hashes) pair(ctx context.Context, conn *sql.Conn, a, b string) (uint64, error) {
	if n, found := h.pairs[[2]string{a, b}]; found {
		return n, nil
	}
	var n uint64
	if err := conn.QueryRowContext(ctx, "SELECT hash($1::VARCHAR, $2::VARCHAR)", a, b).Scan(&n); err != nil {
		return 0, err
	}
	if h.pairs == nil {
		h.pairs = map[[2]string]uint64{}
	}
	h.pairs[[2]string{a, b}] = n
	return n, nil
}

// Token returns the token of an attribute of spans of the environment with this
// code: two bits of its list, 16 of the key and the environment, so that tokens of
// one key lie together, and 45 of key and value together.
func (h *Hashes) Token(ctx context.Context, conn *sql.Conn, code int32, key, value string) (int64, error) {
	k, err := h.text(ctx, conn, key)
	if err != nil {
		return 0, err
	}
	kv, err := h.pair(ctx, conn, key, value)
	return int64(uint64(tables.ListOf(key))<<61 | (k>>48^uint64(code)&0xffff)<<45 | kv>>19), err
}

// Field returns the number of an evaluator's output on spans of the environment with
// this code.
func (h *Hashes) Field(ctx context.Context, conn *sql.Conn, code int32, evaluator, output string) (int64, error) {
	n, err := h.pair(ctx, conn, evaluator, output)
	return int64((n ^ uint64(uint32(code))<<32) >> 1), err
}

// Holds reports whether the index can tell where a value is.
func Holds(value string) bool {
	return len(value) <= Longest && utf8.ValidString(value) && value != long
}

// Number returns the number that stands in verdicts for the text of an output, and
// whether one does.
func Number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || text == "-0" {
		return 0, false
	}
	b, err := json.Marshal(n)
	return n, err == nil && string(b) == text
}
