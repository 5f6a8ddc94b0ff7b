// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// text is a string of any bytes, kept in the database as readable text that
// every SQL database takes: a backslash is doubled, and each byte that is NUL
// or not part of UTF-8 becomes \xHH. Two strings are the same if and only if
// they are kept as the same.
type text string

// Value implements driver.Valuer.
func (t text) Value() (driver.Value, error) { return t.escape(), nil }

// Scan implements sql.Scanner.
func (t *text) Scan(src any) error {
	switch s := src.(type) {
	case string:
		return t.unescape(s)
	case []byte:
		return t.unescape(string(s))
	}
	return fmt.Errorf("text column holds %T", src)
}

// MarshalText lets text be part of JSON columns.
func (t text) MarshalText() ([]byte, error) { return []byte(t.escape()), nil }

// UnmarshalText is the inverse of MarshalText.
func (t *text) UnmarshalText(b []byte) error { return t.unescape(string(b)) }

func (t text) escape() string {
	s := string(t)
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\\\x00") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == 0 || r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func (t *text) unescape(s string) error {
	plain, rest, found := strings.Cut(s, `\`)
	if !found {
		*t = text(s)
		return nil
	}
	var b strings.Builder
	b.Grow(len(s))
	for found {
		b.WriteString(plain)
		switch {
		case strings.HasPrefix(rest, `\`):
			b.WriteByte('\\')
			rest = rest[1:]
		case len(rest) >= 3 && rest[0] == 'x':
			raw, err := hex.DecodeString(rest[1:3])
			if err != nil {
				return fmt.Errorf("text column: %w", err)
			}
			b.Write(raw)
			rest = rest[3:]
		default:
			return fmt.Errorf("text column: unknown escape")
		}
		plain, rest, found = strings.Cut(rest, `\`)
	}
	b.WriteString(plain)
	*t = text(b.String())
	return nil
}
