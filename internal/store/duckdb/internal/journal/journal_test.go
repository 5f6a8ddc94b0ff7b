// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// filled sets every field of a value, lists to two elements.
func filled(t *testing.T, r *rand.Rand, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[eval.Grounds]() { // whose texts are of one line and UTF-8
			v.Set(reflect.ValueOf(eval.Grounds{Score: eval.Scored(r.NormFloat64()), Reason: "why", Evidence: []eval.Evidence{{Input: "text", Kind: "K", Start: 1, End: 2}}}))
			return
		}
		for i := range v.NumField() {
			filled(t, r, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			filled(t, r, v.Index(i))
		}
	case reflect.String:
		b := make([]byte, 1+r.IntN(150))
		for i := range b {
			b[i] = byte(r.Uint32()) // a text of a client need not be one
		}
		v.SetString(string(b))
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64() - 1<<62)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(1 + uint64(r.Uint32())>>24)
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"text", 1.5, int64(-7), true}[r.IntN(4)]))
	case reflect.Pointer: // prices of the organization, which are used before a span is stored
		require.Equal(t, reflect.TypeFor[*tenant.Prices](), v.Type())
	default:
		require.Fail(t, "a field is of a kind that the test does not know", v.Kind().String())
	}
}

// batchOf makes a batch of so many records and messages in which every field is set.
func batchOf(t *testing.T, seed uint64, records, messages int) store.Batch {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	b := store.Batch{Records: make([]store.Record, records), Messages: make([]store.Messages, messages)}
	for i := range b.Records {
		filled(t, r, reflect.ValueOf(&b.Records[i]).Elem())
		b.Records[i].Environment.Quota, b.Records[i].Environment.Mappings = tenant.Quota{}, ""
	}
	for i := range b.Messages {
		filled(t, r, reflect.ValueOf(&b.Messages[i]).Elem())
		b.Messages[i].Environment.Quota, b.Messages[i].Environment.Mappings = tenant.Quota{}, ""
	}
	return b
}

func opened(t *testing.T, dir string) (*Journal, Found) {
	t.Helper()
	j, found, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, j.Close()) })
	return j, found
}

func TestWhatWasAppendedIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, found := opened(t, dir)
	require.Equal(t, Found{}, found)
	require.NoFileExists(t, j.Path())
	var want []store.Batch
	for i := range 3 {
		b := batchOf(t, uint64(i), i+1, 2-i)
		if i == 2 {
			b.Messages = nil
		}
		require.NoError(t, j.Append(&b))
		want = append(want, b)
	}
	for range 2 {
		next, found := opened(t, dir)
		require.Equal(t, want, found.Batches)
		require.EqualValues(t, 6, found.Spans())
		require.False(t, found.Torn)
		require.NoError(t, found.Damage)
		more := batchOf(t, 9, 0, 1)
		more.Records = nil
		require.NoError(t, next.Append(&more))
		want = append(want, more)
	}
	last, _ := opened(t, dir)
	require.NoError(t, last.Empty())
	_, found = opened(t, dir)
	require.Empty(t, found.Batches)
	b := batchOf(t, 10, 1, 1)
	require.NoError(t, last.Append(&b))
	_, found = opened(t, dir)
	require.Equal(t, []store.Batch{b}, found.Batches)
}

func TestOutputsWithoutAValueAreRead(t *testing.T) {
	t.Parallel()
	b := store.Batch{Records: []store.Record{{Evaluations: []eval.Evaluation{{Outputs: []eval.Output{{Name: "none"}, {Name: "text", Value: ""}}}}}}}
	got, err := readBatch(appendBatch(nil, &b))
	require.NoError(t, err)
	require.Equal(t, b, got)
}

// A crash leaves any part of the last entry, or nothing of a file that was just made.
func TestAnEntryThatIsNotCompleteIsLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := opened(t, dir)
	first, second := batchOf(t, 1, 1, 1), batchOf(t, 2, 1, 1)
	require.NoError(t, j.Append(&first))
	begins := j.size
	require.NoError(t, j.Append(&second))
	whole, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	require.Len(t, whole, int(j.size))
	for n := range whole {
		if n > len(header())+1 && n < int(begins)-1 || n > int(begins)+headSize+1 && n < len(whole)-1 {
			continue // as its neighbours are
		}
		torn := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(torn, Name), whole[:n], 0o600))
		k, found, err := Open(torn)
		require.NoError(t, err)
		require.NoError(t, found.Damage)
		complete := 0
		if n >= int(begins) {
			complete = 1
		}
		require.Len(t, found.Batches, complete)
		require.Equal(t, n > len(header()) && n != int(begins), found.Torn, n)
		// What is appended takes the place of what is torn.
		require.NoError(t, k.Append(&second))
		require.NoError(t, k.Close())
		found, err = Read(k.Path())
		require.NoError(t, err)
		require.False(t, found.Torn)
		require.NoError(t, found.Damage)
		require.Len(t, found.Batches, complete+1)
		require.Equal(t, second, found.Batches[complete])
	}
}

func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := opened(t, dir)
	var ends []int64
	for i := range 3 {
		b := batchOf(t, uint64(i), 1, 0)
		require.NoError(t, j.Append(&b))
		ends = append(ends, j.size)
	}
	whole, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), Name)
	for n := range whole {
		if n == len(mark) || n > int(ends[0])+100 && n%97 != 0 {
			continue // the format, and some of what is as its neighbours are
		}
		b := append([]byte(nil), whole...)
		b[n] ^= 0x41
		require.NoError(t, os.WriteFile(path, b, 0o600))
		found, err := Read(path)
		require.NoError(t, err)
		require.Error(t, found.Damage, n)
		require.False(t, found.Torn)
		want := 2 // the entry alone is lost, but for a head
		switch {
		case n < len(mark):
			want = 0
		case n >= len(header()) && n < len(header())+8:
			want = 0
		case n >= int(ends[0]) && n < int(ends[0])+8:
			want = 1
		}
		require.Len(t, found.Batches, want, n)
	}
}

func TestAJournalOfALaterFormatIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	require.NoError(t, os.WriteFile(path, append([]byte(mark), format+1), 0o600))
	_, _, err := Open(dir)
	require.ErrorIs(t, err, ErrFormat)
	require.Equal(t, path+" has format 3, and this release knows 2", fault.Message(err))
}

// An entry that cannot be written is not there, and neither is it in the way of the next.
func TestAnEntryThatCannotBeWrittenIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := opened(t, dir)
	first, second := batchOf(t, 1, 1, 0), batchOf(t, 2, 1, 0)
	first.Messages, second.Messages = nil, nil
	require.NoError(t, j.Append(&first))
	whole := j.file
	var err error
	j.file, err = os.Open(j.Path()) // to read alone
	require.NoError(t, err)
	require.Error(t, j.Append(&second))
	require.Error(t, j.Empty())
	require.NoError(t, j.file.Close())
	j.file = whole
	require.NoError(t, j.Append(&second))
	_, found := opened(t, dir)
	require.Equal(t, []store.Batch{first, second}, found.Batches)
}

func FuzzReadBatch(f *testing.F) {
	b := store.Batch{Records: []store.Record{{Evaluations: []eval.Evaluation{{Outputs: []eval.Output{{Name: "n", Value: 1.5}}}}}}, Messages: make([]store.Messages, 1)}
	f.Add(appendBatch(nil, &b))
	f.Fuzz(func(t *testing.T, entry []byte) {
		got, err := readBatch(entry)
		if err != nil {
			return
		}
		again, err := readBatch(appendBatch(nil, &got))
		require.NoError(t, err)
		require.Equal(t, appendBatch(nil, &got), appendBatch(nil, &again))
	})
}

// A journal of the release before has no grounds of verdicts. What is appended to it has.
func TestAJournalOfAnEarlierFormatIsRead(t *testing.T) {
	t.Parallel()
	made := eval.Evaluation{
		SetupID: "s", Evaluator: "tone", Status: eval.Done, Backend: eval.Embedded, Truncated: true, Time: 3, Revision: 2, Attempts: 4,
		Outputs: []eval.Output{{Name: "tone", Value: "sad"}},
	}
	left := eval.Evaluation{SetupID: "s", Evaluator: "regex", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Time: 5}
	earlier := store.Batch{Records: []store.Record{{
		Environment: tenant.Environment{ID: "e", Slug: "prd"},
		Span:        span.Span{TraceID: span.TraceID{1}, SpanID: span.ID{2}, Name: "chat"},
		Evaluations: []eval.Evaluation{made, left},
	}}}
	kept, err := os.ReadFile("testdata/journal-1")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, Name), kept, 0o600))
	j, found := opened(t, dir)
	require.NoError(t, found.Damage)
	require.Equal(t, []store.Batch{earlier}, found.Batches)
	more := batchOf(t, 1, 1, 0)
	more.Messages = nil
	require.NoError(t, j.Append(&more))
	_, found = opened(t, dir)
	require.NoError(t, found.Damage)
	require.Equal(t, []store.Batch{earlier, more}, found.Batches)
}
