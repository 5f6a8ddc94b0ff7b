// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestSQL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SELECT 1": true, "SELECT 1; SELECT 2;": true, "select * from a join b using (id) where x in (1, 2) order by 1": true,
		"INSERT INTO t (a) VALUES ('it''s') ON CONFLICT DO NOTHING RETURNING *": true, "WITH x AS (SELECT 1) SELECT * FROM x": true,
		"CREATE TABLE t (id bigint PRIMARY KEY)": true, "SELECT $1": true, "DO $$ anything at all $$": true, "/* c */ SELECT 'é'": true,
		"SELECT no_such_column FROM no_such_table": true,
		"": false, "  \n": false, "-- nothing": false, ";": false, "SELEC 1": false, "SELECT FROM": false, "SELECT 'a": false, "SELECT `a` FROM b": false,
		"SELECT TOP 5 * FROM a": false, "```sql\nSELECT 1\n```": false, "Here is a query: SELECT 1": false, "SELECT 1\x00": false, "\x00": false,
		"SELECT '\xff'": true, "SELECT (1": false,
	} {
		require.Equal(t, want, output(t, "sql-validator", map[string]string{"text": text}), "%q", text)
	}
}

func TestSQLIsBounded(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("sql-validator")
	for _, text := range []string{
		"SELECT 1" + strings.Repeat("+1", 20_000), "SELECT " + strings.Repeat("NOT ", 100_000) + "true", "SELECT " + strings.Repeat("(", 100_000),
		strings.Repeat("SELECT * FROM (", 20_000), "SELECT " + strings.Repeat("1,", 400_000) + "1",
	} {
		refuses(t, e, map[string]any{"text": text}, nil, fault.TooLarge, "input.text has more than 1500 tokens")
	}
	// The parser still answers, and right, up to the bound.
	for _, text := range []string{
		"SELECT " + strings.Repeat("NOT ", 1490) + "true", "SELECT 1" + strings.Repeat(" ISNULL", 1490), "SELECT 1" + strings.Repeat("+1", 740),
		"SELECT " + strings.Repeat("(SELECT ", 490) + "1" + strings.Repeat(")", 490), "SELECT 1" + strings.Repeat("::int", 740),
	} {
		require.Equal(t, true, output(t, "sql-validator", map[string]string{"text": text}), "%.40s", text)
		require.Equal(t, true, output(t, "sql-validator", map[string]string{"text": "SELECT 1"}))
	}
	long := "SELECT '" + strings.Repeat("a word ", 100_000) + "'"
	require.Equal(t, true, output(t, "sql-validator", map[string]string{"text": long}), "one long token")
}

func TestSQLIsParsedForSeveralAtOnce(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("sql-validator")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				want := i%2 == 0
				got, err := fromSpan(t.Context(), e, parts{"output": map[bool]string{true: "SELECT 1", false: "SELECT FROM WHERE"}[want]}, nil)
				if err != nil || got.Outputs[0].Value != want {
					t.Errorf("%v %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkSQL(b *testing.B) {
	e, _ := Catalog().Get("sql-validator")
	span := parts{"output": "SELECT u.name, count(*) FROM users u JOIN orders o ON o.user_id = u.id WHERE o.total > 100 GROUP BY 1 ORDER BY 2 DESC LIMIT 10"}
	_, err := fromSpan(b.Context(), e, span, nil) // starts the parser
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}
