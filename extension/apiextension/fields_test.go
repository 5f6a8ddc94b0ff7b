// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
)

type shownFields struct {
	Fields []struct {
		ID     string `json:"id"`
		Source string `json:"source"`
		Type   string `json:"type"`
		Spans  int    `json:"spans"`
	} `json:"fields"`
	LookedAt  int  `json:"looked_at"`
	Truncated bool `json:"truncated"`
}

func (l *library) fields(t *testing.T, prefix string) shownFields {
	t.Helper()
	r := l.call(t, "GET", "/v2/warehouse/fields?"+url.Values{"from_timestamp_sec": {l.from}, "prefix": {prefix}}.Encode(), l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownFields](t, r)
}

func TestFieldsAreThoseThatSpansHave(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	require.Empty(t, l.fields(t, "").Fields)
	l.write(t, 4, func(i int, r *store.Record) {
		r.Span.Attributes = r.Span.Attributes.With("app.size", strconv.Itoa(i)).With("app.kind", strconv.Itoa(i)+"k")
		if i > 0 {
			r.Span.Resource = r.Span.Resource.With("app.host", "h")
		}
	})
	got := l.fields(t, "app.")
	require.Equal(t, 4, got.LookedAt)
	require.False(t, got.Truncated)
	require.Len(t, got.Fields, 2)
	require.Equal(t, []any{"app.kind", "span_attributes", "text", 4}, []any{got.Fields[0].ID, got.Fields[0].Source, got.Fields[0].Type, got.Fields[0].Spans})
	require.Equal(t, []any{"app.size", "number"}, []any{got.Fields[1].ID, got.Fields[1].Type})
	got = l.fields(t, "resource_attributes.app")
	require.Equal(t, 3, got.Fields[0].Spans)
	require.Equal(t, "span", l.fields(t, "span_name").Fields[0].Source)

	// More than an answer lists, of which there is no end.
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.TraceID[0] = 9
		for i := range 600 {
			r.Span.Attributes = r.Span.Attributes.With("many."+strconv.Itoa(i), "x")
		}
	})
	got = l.fields(t, "many.")
	require.Len(t, got.Fields, 500)
	require.True(t, got.Truncated)
	other := libraryOf(t, l.testAPI)
	require.Empty(t, other.fields(t, "").Fields)
	require.Equal(t, http.StatusBadRequest, l.call(t, "GET", "/v2/warehouse/fields", l.key, "").status)
}

// A line of conditions means filters, short names included, and a field that no span has is
// reported, with the one that may be meant.
func TestALineOfFiltersIsRead(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 3, func(i int, r *store.Record) {
		r.Span.Attributes = r.Span.Attributes.With("app.kind", strconv.Itoa(i)+"k")
	})
	type answer struct {
		Filters []struct {
			ID, Operator string
			Value        any
		}
		Unknown []struct {
			Field string
			Meant string `json:"did_you_mean"`
		}
	}
	ask := func(q string) reply {
		return l.call(t, "GET", "/v2/warehouse/filters?"+url.Values{"from_timestamp_sec": {l.from}, "q": {q}}.Encode(), l.key, "")
	}
	got := into[answer](t, ask(`-app.kind:0k duration>=0s app.knd:x kind:y`))
	require.Len(t, got.Filters, 4)
	require.Equal(t, []any{"duration", "greater_than_or_equal", 0.0}, []any{got.Filters[1].ID, got.Filters[1].Operator, got.Filters[1].Value})
	require.Len(t, got.Unknown, 2)
	require.Equal(t, "app.kind", got.Unknown[0].Meant)
	require.Equal(t, "app.kind", got.Unknown[1].Meant)
	require.Equal(t, http.StatusBadRequest, ask("status").status)

	found := l.call(t, "POST", "/v2/warehouse/spans/search", l.key, `{"from_timestamp_sec":`+l.from+`,"q":"-app.kind:0k duration>=0s"}`)
	require.Contains(t, found.body, `"total_results":2`)
	require.Equal(t, http.StatusBadRequest, l.call(t, "POST", "/v2/warehouse/spans/search", l.key, `{"from_timestamp_sec":`+l.from+`,"q":"refund now"}`).status)
	figures := l.call(t, "POST", "/v2/warehouse/spans/aggregate", l.key, `{"from_timestamp_sec":`+l.from+`,"measures":["count"],"q":"app.kind:1k"}`)
	require.Contains(t, figures.body, `"count":1`)
}
