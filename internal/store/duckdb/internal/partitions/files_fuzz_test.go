// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
)

// beside returns a directory with the file of a partition of which nothing is known, the
// same each time.
func beside(t testing.TB) (dir string, l label.Label) {
	t.Helper()
	dir = t.TempDir()
	l = label.Label{Serial: 3, Opened: time.Unix(1_700_000_000, 0).UTC(), Class: time.Hour}
	p := New(dir, l)
	require.NoError(t, os.MkdirAll(filepath.Dir(p.Path), 0o700))
	require.NoError(t, os.WriteFile(p.Path, bytes.Repeat([]byte("0123456789abcdef"), headerBytes/8), 0o600))
	require.NoError(t, os.Chtimes(p.Path, time.Time{}, time.Unix(1_700_000_000, 7)))
	return dir, l
}

// FuzzSummary has whatever as the summary of a partition. It is passed over, or all of it
// is known and would be written again as it is.
func FuzzSummary(f *testing.F) {
	const format = 9
	dir, l := beside(f)
	id, err := New(dir, l).identify()
	require.NoError(f, err)
	for _, s := range []summary{
		{
			Format: format, Next: 7, Codes: 2, Latest: 9, Owed: 1, Texts: 3, Index: 2, File: id,
			Environments: []summaryEnvironment{
				{ID: "a", Code: 1, Retention: time.Hour, Spans: 7, Min: -5, Max: 1 << 62, Messages: 1, Buckets: []keyfilter.Run{{First: -1, Last: 4}, {First: 9, Last: 9}}},
				{ID: "b", Spans: 1, Min: 1, Max: 2},
			},
		},
		{Format: format, File: id},
		{Format: format + 1, File: id, Environments: []summaryEnvironment{{ID: "a"}}},
		{Format: format, Environments: []summaryEnvironment{{}}},
	} {
		text, err := json.Marshal(s)
		require.NoError(f, err)
		f.Add(text)
		f.Add(whole(text))
	}
	f.Add(whole([]byte("null")))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, contents := range [][]byte{text, whole(text)} {
			p := New(dir, l)
			path := p.Path + summarySuffix
			require.NoError(t, os.WriteFile(path, contents, 0o600))
			p.RecallSummary(format)
			if !p.learned {
				require.Equal(t, New(dir, l).Facts(), p.Facts(), "nothing is known")
				continue
			}
			head, body, _ := bytes.Cut(contents, []byte{'\n'})
			sum := sha256.Sum256(body)
			require.Equal(t, hex.EncodeToString(sum[:]), string(head), "it is whole")
			facts := p.Facts()
			require.NotEmpty(t, facts.Environments)
			for _, b := range facts.Environments {
				b.Buckets.Has(span.BucketOf(b.Min))
			}
			p.summarized = false
			p.summarize(format)
			again := New(dir, l)
			again.RecallSummary(format)
			require.True(t, again.learned)
			require.Equal(t, facts, again.Facts())
		}
	})
}

// whole puts the digest before the text of a summary, without which nothing is read.
func whole(text []byte) []byte {
	sum := sha256.Sum256(text)
	return append(append([]byte(hex.EncodeToString(sum[:])), '\n'), text...)
}

// FuzzLogStart has whatever as the log of a partition. One that the engine would pass
// over is damage; one that names the file, or is cut off before it does, is none.
func FuzzLogStart(f *testing.F) {
	dir, l := beside(f)
	right := append(bytes.Clone(logStart), "0123456789abcdef"...)
	f.Add(append(bytes.Clone(right), make([]byte, logHead)...))
	f.Add(right)
	f.Add(append(append(bytes.Clone(logStart), bytes.Repeat([]byte{0x80}, 12)...), make([]byte, logHead)...))
	f.Add(append(append(bytes.Clone(logStart), bytes.Repeat([]byte{0xff, 1}, logName)...), make([]byte, logHead)...))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, log []byte) {
		p := New(dir, l)
		require.NoError(t, os.WriteFile(p.Path+walSuffix, log, 0o600))
		err := p.checkLog()
		var d *instance.Damage
		switch {
		case len(log) < logHead:
			require.NoError(t, err)
		case bytes.HasPrefix(log, right):
			require.NoError(t, err)
		case !bytes.HasPrefix(log, logStart):
			require.ErrorAs(t, err, &d)
		case err != nil:
			require.ErrorAs(t, err, &d)
			require.Equal(t, p.Path, d.Path)
			require.ErrorIs(t, errors.Unwrap(d), errBadStart)
		}
	})
}
