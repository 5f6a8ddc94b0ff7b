// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
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
				got, err := e.FromSpan(t.Context(), parts{"output": map[bool]string{true: "SELECT 1", false: "SELECT FROM WHERE"}[want]}, nil)
				if err != nil || got.Outputs[0].Value != want {
					t.Errorf("%v %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// hostileSQL are texts of which the scanner reads the same again and again.
func hostileSQL(n int) []string {
	return []string{
		strings.Repeat("/*", n), strings.Repeat("+", n) + strings.Repeat("-", n/2), "SELECT 1 " + strings.Repeat("/**/", n/2),
		"/* " + strings.Repeat("/*", n), strings.Repeat("-+", n), strings.Repeat("/*+", n/2), strings.Repeat("+/*", n/2), "'" + strings.Repeat("/*", n),
		strings.Repeat("=-", n), strings.Repeat(strings.Repeat("/*", 1000)+" ", n/1000), strings.Repeat("*/-", n), strings.Repeat("+", n),
	}
}

func TestSQLIsNotReadAgainAndAgain(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("sql-validator")
	for _, text := range hostileSQL(300_000) {
		refuses(t, e, map[string]any{"text": text}, nil, fault.TooLarge, "input.text has too many characters of operators in a row")
	}
	for text, want := range map[string]bool{
		"/" + strings.Repeat("*", 100_000) + "/ SELECT 1": true, strings.Repeat("-", 100_000) + "\nSELECT 1": true, "SELECT '" + strings.Repeat("=", 100_000) + "'": true,
		"SELECT '" + strings.Repeat("+------", 200) + "+'": true, strings.Repeat("/* a */ ", 1000) + "SELECT 1": true,
		"SELECT 1 " + strings.Repeat("=", 100_000) + " 1": false, "SELECT 1 " + strings.Repeat("+", 63) + " 1": true,
	} {
		require.Equal(t, want, output(t, "sql-validator", map[string]string{"text": text}), "%.40s", text)
	}
}

// FuzzSQL holds that no text takes the parser long, since nothing can stop it.
func FuzzSQL(f *testing.F) {
	e, _ := Catalog().Get("sql-validator")
	_, err := e.FromSpan(f.Context(), parts{"output": "SELECT 1"}, nil) // starts the parser
	require.NoError(f, err)
	for _, text := range append(hostileSQL(1000), "SELECT", "'a' \n", "$a$b", "E'\\u0061'", "U&'a' UESCAPE '!'", "1e", "a.", "/* a */", "--\n", "(") {
		f.Add(text, uint16(1))
		f.Add(text, uint16(10_000))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		begin := time.Now()
		_, err := e.FromSpan(t.Context(), parts{"output": strings.Repeat(text, min(int(times), 1<<20/max(1, len(text))))}, nil)
		require.NotErrorIs(t, err, errParserFailed)
		require.Less(t, time.Since(begin), 5*time.Second, "%d times %q", times, text)
	})
}

func TestSQLParserThatFailedIsStartedAgain(t *testing.T) {
	t.Parallel()
	p, dropped := newSQLParser(), 0
	p.discard = func() { dropped++ }
	p.count = func(text string) (int, error) {
		if text == "fails" {
			panic("stack overflow")
		}
		return 1, nil
	}
	d := sqlValidator(p)
	require.NoError(t, d.Check(eval.None{}))
	for range 3 {
		got, err := d.Run(t.Context(), sqlValidatorInput{Text: "SELECT 1"}, eval.None{})
		require.NoError(t, err)
		require.True(t, got.Valid)
		_, err = d.Run(t.Context(), sqlValidatorInput{Text: "fails"}, eval.None{})
		require.ErrorIs(t, err, errParserFailed)
		require.True(t, fault.Is(err, fault.Internal))
	}
	require.Equal(t, 3, dropped)
}

func TestSQLParserThatIsLateIsUsedAgain(t *testing.T) {
	t.Parallel()
	p := newSQLParser()
	p.patience = 0
	release := make(chan struct{})
	p.count = func(text string) (int, error) {
		if text == "late" {
			<-release
		}
		return 1, nil
	}
	_, err := p.statements(t.Context(), "late")
	require.ErrorIs(t, err, errParserFailed)
	_, err = p.statements(t.Context(), "SELECT 1")
	require.True(t, fault.Is(err, fault.Unavailable), "nobody waits behind it")
	close(release)
	require.Eventually(t, func() bool { return !p.late.Load() }, time.Minute, time.Millisecond)
	p.patience = time.Minute
	n, err := p.statements(t.Context(), "SELECT 1")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// What the library keeps of an instance that failed is not used again.
func TestSQLParsersAreDropped(t *testing.T) { //nolint:paralleltest // others use the instances
	for range 2 {
		n, err := countStatements("SELECT 1; SELECT 2")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		idleParsersMu.Lock()
		idle := idleParsers.Len()
		idleParsersMu.Unlock()
		require.Positive(t, idle)
		dropSQLParsers()
	}
}

func TestSQLParserIsWaitedForNoLongerThanTheCallerDoes(t *testing.T) {
	t.Parallel()
	p := newSQLParser()
	release := make(chan struct{})
	p.count = func(string) (int, error) {
		<-release
		return 1, nil
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.statements(ended, "SELECT 1")
	require.True(t, fault.Is(err, fault.Unavailable))
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	n, err := p.statements(t.Context(), "SELECT 1")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestSQLParserThatDoesNotStart(t *testing.T) {
	t.Parallel()
	p := newSQLParser()
	p.discard = func() {}
	var started atomic.Bool
	p.count = func(string) (int, error) {
		if !started.Load() {
			panic("no memory")
		}
		return 1, nil
	}
	_, err := p.statements(t.Context(), "SELECT 1")
	require.True(t, fault.Is(err, fault.Unavailable))
	started.Store(true)
	n, err := p.statements(t.Context(), "SELECT 1")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestListLength(t *testing.T) {
	t.Parallel()
	for _, broken := range [][]byte{{0xff}, {0x12, 0x7f}, {0x12}} {
		_, err := listLength(broken)
		require.ErrorIs(t, err, errParserFailed)
	}
	n, err := listLength([]byte{0x08, 0x01, 0x12, 0x00, 0x12, 0x01, 0x00})
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

func BenchmarkSQL(b *testing.B) {
	e, _ := Catalog().Get("sql-validator")
	span := parts{"output": "SELECT u.name, count(*) FROM users u JOIN orders o ON o.user_id = u.id WHERE o.total > 100 GROUP BY 1 ORDER BY 2 DESC LIMIT 10"}
	_, err := e.FromSpan(b.Context(), span, nil) // starts the parser
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.FromSpan(b.Context(), span, nil); err != nil {
			b.Fatal(err)
		}
	}
}
