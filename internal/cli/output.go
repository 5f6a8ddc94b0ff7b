// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
)

// json prints an answer of the API as it is, indented.
func (a *app) json(raw []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return &exitError{ExitFailed, fmt.Errorf("the answer is no JSON: %w", err)}
	}
	out.WriteByte('\n')
	_, err := a.out.Write(out.Bytes())
	return err
}

// rows prints a table.
func (a *app) rows(header []string, rows [][]string) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.AppendHeader(row(header))
	for _, r := range rows {
		t.AppendRow(row(r))
	}
	_, err := fmt.Fprintln(a.out, t.Render())
	return err
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}

// line returns a text as one line of at most n characters in which nothing can
// move the cursor or hide: controls and directions of writing are shown as
// their code points. Texts of spans are not to be trusted.
func line(s string, n int) string {
	var out strings.Builder
	count := 0
	for _, r := range s {
		if count >= n {
			out.WriteRune('…')
			break
		}
		switch {
		case r == '\n', r == '\t', r == '\r':
			out.WriteRune(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			fmt.Fprintf(&out, "<U+%04X>", r)
		default:
			out.WriteRune(r)
		}
		count++
	}
	return out.String()
}

// moment returns Unix milliseconds as a time of this machine's zone.
func moment(milliseconds int64) string {
	return time.UnixMilli(milliseconds).Format("2006-01-02 15:04:05.000")
}

// took returns a duration in milliseconds for people.
func took(milliseconds int64) string {
	if milliseconds < 1000 {
		return fmt.Sprintf("%d ms", milliseconds)
	}
	return fmt.Sprintf("%.2f s", float64(milliseconds)/1000)
}
