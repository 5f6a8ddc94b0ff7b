// SPDX-License-Identifier: Apache-2.0

package sqlparser

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// FuzzSQL holds that no text takes the parser long, since nothing can stop it.
func FuzzSQL(f *testing.F) {
	p := New()
	_, err := p.Statements(f.Context(), "SELECT 1") // starts it
	require.NoError(f, err)
	for _, text := range append(hostileSQL(1000), "SELECT", "'a' \n", "$a$b", "E'\\u0061'", "U&'a' UESCAPE '!'", "1e", "a.", "/* a */", "--\n", "(") {
		f.Add(text, uint16(1))
		f.Add(text, uint16(10_000))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		begin := time.Now()
		_, err := p.Statements(t.Context(), strings.Repeat(text, min(int(times), 1<<20/max(1, len(text)))))
		require.NotErrorIs(t, err, errParserFailed)
		require.Less(t, time.Since(begin), 5*time.Second, "%d times %q", times, text)
	})
}

func TestSQLParserThatFailedIsStartedAgain(t *testing.T) {
	t.Parallel()
	p, dropped := New(), 0
	p.discard = func() { dropped++ }
	p.count = func(text string) (int, error) {
		if text == "fails" {
			panic("stack overflow")
		}
		return 1, nil
	}
	p.Start()
	for range 3 {
		got, err := p.Statements(t.Context(), "SELECT 1")
		require.NoError(t, err)
		require.Equal(t, 1, got)
		_, err = p.Statements(t.Context(), "fails")
		require.ErrorIs(t, err, errParserFailed)
		require.True(t, fault.Is(err, fault.Internal))
	}
	require.Equal(t, 3, dropped)
}

func TestSQLParserThatIsLateIsUsedAgain(t *testing.T) {
	t.Parallel()
	p := New()
	p.patience = 0
	release := make(chan struct{})
	p.count = func(text string) (int, error) {
		if text == "late" {
			<-release
		}
		return 1, nil
	}
	_, err := p.Statements(t.Context(), "late")
	require.ErrorIs(t, err, errParserFailed)
	_, err = p.Statements(t.Context(), "SELECT 1")
	require.True(t, fault.Is(err, fault.Unavailable), "nobody waits behind it")
	close(release)
	require.Eventually(t, func() bool { return !p.late.Load() }, time.Minute, time.Millisecond)
	p.patience = time.Minute
	n, err := p.Statements(t.Context(), "SELECT 1")
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
		dropIdle()
	}
}

func TestSQLParserIsWaitedForNoLongerThanTheCallerDoes(t *testing.T) {
	t.Parallel()
	p := New()
	release := make(chan struct{})
	p.count = func(string) (int, error) {
		<-release
		return 1, nil
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Statements(ended, "SELECT 1")
	require.True(t, fault.Is(err, fault.Unavailable))
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	n, err := p.Statements(t.Context(), "SELECT 1")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestSQLParserThatDoesNotStart(t *testing.T) {
	t.Parallel()
	p := New()
	p.discard = func() {}
	var started atomic.Bool
	p.count = func(string) (int, error) {
		if !started.Load() {
			panic("no memory")
		}
		return 1, nil
	}
	_, err := p.Statements(t.Context(), "SELECT 1")
	require.True(t, fault.Is(err, fault.Unavailable))
	started.Store(true)
	n, err := p.Statements(t.Context(), "SELECT 1")
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
	p := New()
	for _, text := range hostileSQL(300_000) {
		_, err := p.Statements(t.Context(), text)
		require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
		require.EqualError(t, err, "input.text has too many characters of operators in a row")
	}
	for text, want := range map[string]bool{
		"/" + strings.Repeat("*", 100_000) + "/ SELECT 1": true, strings.Repeat("-", 100_000) + "\nSELECT 1": true, "SELECT '" + strings.Repeat("=", 100_000) + "'": true,
		"SELECT '" + strings.Repeat("+------", 200) + "+'": true, strings.Repeat("/* a */ ", 1000) + "SELECT 1": true,
		"SELECT 1 " + strings.Repeat("=", 100_000) + " 1": false, "SELECT 1 " + strings.Repeat("+", 63) + " 1": true,
	} {
		n, err := p.Statements(t.Context(), text)
		require.NoError(t, err)
		require.Equal(t, want, n > 0, "%.40s", text)
	}
}
