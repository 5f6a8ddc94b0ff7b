// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	paramPrefix = "prefix"

	// mostLookedAt is how many spans are looked at for the fields that they have, the
	// newest of the period, and mostListed how many fields are answered.
	mostLookedAt = 300
	mostListed   = 500
)

// The sources of fields.
const (
	sourceSpan       = "span" // a field of the span itself
	sourceAttributes = "span_attributes"
	sourceResource   = "resource_attributes"
	sourceVerdicts   = "verdicts"
)

// SpanField is a field that spans have.
type SpanField struct {
	ID     string `json:"id" doc:"The field as filters know it."`
	Source string `json:"source" doc:"Where its values lie." enum:"span,span_attributes,resource_attributes,verdicts"`
	Type   string `json:"type" doc:"number where every value that was seen is one." enum:"text,number"`
	Spans  int    `json:"spans" doc:"How many of the spans that were looked at have it." schema:"minimum=1"`
}

// SpanFields are the fields of spans.
type SpanFields struct {
	Fields    []SpanField `json:"fields" doc:"The fields." schema:"maxItems=500"`
	LookedAt  int         `json:"looked_at" doc:"How many spans were looked at." schema:"minimum=0 maximum=300"`
	Truncated bool        `json:"truncated" doc:"Whether there are more fields."`
}

// fields answers the fields that spans of a period have.
func (a *API) fields(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	t, lookedAt, err := a.tally(r.Context(), env, values)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(t.answer(values.Get(paramPrefix), lookedAt)), nil
}

// tally counts the fields of the newest spans of a period, and how many these are.
func (a *API) tally(ctx context.Context, env tenant.Environment, values url.Values) (tally, int, error) {
	q := query.Query{Limit: mostLookedAt, Order: query.Order{By: query.SortTimestamp, Descending: true}}
	var err error
	if q.From, q.To, err = rest.QueryPeriod(values).Bounds(math.MaxInt64); err != nil {
		return nil, 0, err
	}
	page, err := a.Records.Search(ctx, env, q)
	if err != nil {
		return nil, 0, err
	}
	t := tally{}
	for i := range page.Spans {
		t.add(&page.Spans[i])
	}
	return t, len(page.Spans), nil
}

// tally counts the spans that have a field, by its id.
type tally map[string]*SpanField

func (t tally) count(id, source, value string) {
	f := t[id]
	if f == nil {
		f = &SpanField{ID: id, Source: source, Type: "number"}
		t[id] = f
	}
	f.Spans++
	if _, number := query.ParseNumber(value); !number {
		f.Type = "text"
	}
}

func (t tally) add(s *span.Span) {
	for i := range span.Fields {
		f := &span.Fields[i]
		if f.JSON != nil || f.List != nil || f.Outer {
			continue
		}
		if text, found := columnOf(f).Text(s); found && text != "" {
			t.count(f.ID, sourceSpan, text)
		}
	}
	for _, attribute := range s.Attributes {
		switch {
		case strings.HasPrefix(attribute.Key, tenant.EvaluationPrefix):
			t.count(attribute.Key, sourceVerdicts, attribute.Value)
		case !promoted(attribute.Key):
			t.count(attribute.Key, sourceAttributes, attribute.Value)
		}
	}
	for _, attribute := range s.Resource {
		t.count("resource_attributes."+attribute.Key, sourceResource, attribute.Value)
	}
}

// columnOf returns the field of a filter that looks at one of the span.
func columnOf(f *span.Field) query.Field {
	if f.Promoted {
		return query.Field{Kind: query.FieldAlias, Name: f.ID}
	}
	return query.Column(f.ID)
}

// promoted reports whether an attribute is counted as a field of the span.
func promoted(key string) bool {
	_, found := span.FieldOfKey(key)
	return found
}

// answer returns the fields whose ids begin with a prefix.
func (t tally) answer(prefix string, lookedAt int) SpanFields {
	shown := SpanFields{Fields: []SpanField{}, LookedAt: lookedAt}
	for _, f := range slices.SortedFunc(maps.Values(t), func(a, b *SpanField) int {
		return cmp.Or(cmp.Compare(b.Spans, a.Spans), cmp.Compare(a.ID, b.ID))
	}) {
		if strings.HasPrefix(f.ID, prefix) {
			shown.Fields = append(shown.Fields, *f)
		}
	}
	if len(shown.Fields) > mostListed {
		shown.Fields, shown.Truncated = shown.Fields[:mostListed], true
	}
	return shown
}
