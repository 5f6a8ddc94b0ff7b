// SPDX-License-Identifier: Apache-2.0

package contents_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/contents"
)

func digest(parts ...any) string {
	var d contents.Digester
	var s contents.Sum
	d.Add(&s, parts...)
	return s.Digest()
}

func TestOrderDoesNotMatterAndHowOftenDoes(t *testing.T) {
	t.Parallel()
	var d contents.Digester
	var a, b, twice contents.Sum
	for _, x := range []string{"x", "y", "z"} {
		d.Add(&a, x)
	}
	for _, x := range []string{"z", "x"} {
		d.Add(&b, x)
	}
	require.NotEqual(t, a, b)
	var last contents.Sum
	d.Add(&last, "y")
	b.Plus(last)
	require.Equal(t, a, b)
	require.EqualValues(t, 3, a.Count)
	require.Len(t, a.Digest(), 64)

	twice.Plus(last)
	twice.Plus(last)
	require.NotEqual(t, last.Digest(), twice.Digest())
	require.NotEqual(t, contents.Sum{}.Digest(), twice.Digest())
}

func TestEveryFieldMatters(t *testing.T) {
	t.Parallel()
	x := span.Span{Name: "a", Start: 1, Attributes: span.NewAttributes([]span.Attribute{{Key: "k", Value: "v"}})}
	same := x
	same.Links = []span.Link{} // none
	require.Equal(t, digest(x), digest(same))
	for name, change := range map[string]func(*span.Span){
		"a text":       func(s *span.Span) { s.Vendor = "v" },
		"a number":     func(s *span.Span) { s.Arrived = 1 },
		"an id":        func(s *span.Span) { s.SpanID[7] = 1 },
		"an attribute": func(s *span.Span) { s.Attributes = s.Attributes.With("l", "w") },
		"an event":     func(s *span.Span) { s.Events = []span.Event{{Time: 1}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := x
			change(&other)
			require.NotEqual(t, digest(x), digest(other))
		})
	}
	output := func(v any) string { return digest(eval.Output{Name: "n", Value: v}) }
	require.NotEqual(t, output(int64(1)), output(1.0))
	require.NotEqual(t, output("true"), output(true))
	require.NotEqual(t, output(math.Copysign(0, -1)), output(0.0))
	require.NotEqual(t, digest("ab", "c"), digest("a", "bc"))
	at := time.Unix(1, 2)
	require.Equal(t, digest(at), digest(at.UTC()))
	require.NotEqual(t, digest(at), digest(time.Time{}))
}

func TestWhatHasNoDigestIsAMistake(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { digest(map[string]string{}) })
}
