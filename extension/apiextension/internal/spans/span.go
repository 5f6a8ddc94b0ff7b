// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

const (
	paramMaxText = "max_text"
	// longestText is the largest max_text, in characters.
	longestText = 1_000_000
	// toolDefinitions is the text that is worked out of what conventions differ in.
	toolDefinitions = string(span.PartToolDefinitions)
)

// span answers one span in full: with its events and with what became of every
// evaluator.
func (a *API) span(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	most, bounded, err := parseMaxText(values)
	if err != nil {
		return rest.Response{}, err
	}
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	made, err := store.EvaluationsOf(r.Context(), a.Records, env.ID, []span.Span{*s})
	if err != nil {
		return rest.Response{}, err
	}
	var cut []cutText
	tools, _ := genai.Part(s, span.PartToolDefinitions)
	from := genai.ContentSourceOf(s, env.Mappings)
	if bounded {
		s, cut = cutTexts(s, most)
		if beginning, more := textcut.Characters(tools, most); more {
			cut = append(cut, cutText{toolDefinitions, len(tools)})
			tools = beginning
		}
	}
	body, err := appendSpan(nil, s, tools, &from, made[0], cut)
	return rest.OK(json.RawMessage(body)), err
}

// text answers one text of a span, whole.
func (a *API) text(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	field := values.Get("field")
	switch {
	case field == "":
		return rest.Response{}, invalid("field", "is required: where the span in full has the text, such as input or span_attributes.<key>")
	case len(field) > query.MaxFilterText:
		return rest.Response{}, invalid("field", "must be at most %d bytes long", query.MaxFilterText)
	}
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	text, found := textOf(s, field)
	if field == toolDefinitions {
		text, found = genai.Part(s, span.PartToolDefinitions)
	}
	if !found {
		return rest.Response{}, fault.New(fault.NotFound, "the span has no such text")
	}
	return rest.OK(rest.Attachment{Name: s.TraceID.String() + "-" + s.SpanID.String() + ".txt", Text: text}), nil
}

// find returns the span that the path names. Of several that were sent under the
// same ids it is the one that started last.
func (a *API) find(r *http.Request, env tenant.Environment) (*span.Span, error) {
	key, err := rest.PathSpan(r)
	if err != nil {
		return nil, err
	}
	found, err := a.Records.Get(r.Context(), env, []span.Key{key}, 0)
	if err != nil {
		return nil, err
	}
	last := store.LastStarted(found)
	if last == nil {
		return nil, fault.New(fault.NotFound, "span not found")
	}
	return last, nil
}

// parseMaxText returns how many characters of a text are wanted, and whether that
// is bounded.
func parseMaxText(values url.Values) (most int, bounded bool, err error) {
	if !values.Has(paramMaxText) {
		return 0, false, nil
	}
	most, err = strconv.Atoi(values.Get(paramMaxText))
	if err != nil || most < 1 || most > longestText {
		return 0, false, invalid(paramMaxText, "must be a whole number from 1 to %d", longestText)
	}
	return most, true, nil
}

// named returns what the attributes of a span say under names that conventions differ
// in.
func named(s *span.Span) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for _, name := range [...]string{span.AliasWorkflow, span.AliasEntity, span.AliasConversation, span.AliasSession, span.AliasUser} {
			if f, _ := span.FieldOf(name); !yield(name, f.Value(s)) {
				return
			}
		}
	}
}

// appendSpan appends a span as AppendJSON does, with more members; tools are the
// tools that its call may use, and from is where its content was read.
func appendSpan(b []byte, s *span.Span, tools string, from *genai.ContentSource, made []eval.Evaluation, cut []cutText) ([]byte, error) {
	b = s.AppendJSON(b)
	b = span.AppendQuoted(append(b[:len(b)-1], `,"`+toolDefinitions+`":`...), tools)
	for name, text := range named(s) {
		b = span.AppendQuoted(append(b, `,"`+name+`":`...), text)
	}
	b = append(b, `,"events":[`...)
	for i := range s.Events {
		if i > 0 {
			b = append(b, ',')
		}
		e := &s.Events[i]
		b = span.AppendQuoted(append(b, `{"name":`...), e.Name)
		b = strconv.AppendInt(append(b, `,"time_ns":"`...), e.Time, 10)
		attributes, err := e.Attributes.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, `","attributes":`...), attributes...), '}')
	}
	source, err := rest.Encode(from)
	if err != nil {
		return nil, err
	}
	b = append(append(b, `],"content_source":`...), source...)
	verdicts, err := rest.Encode(verdictsOf(made))
	if err != nil {
		return nil, err
	}
	b = append(append(b, `,"verdicts":`...), verdicts...)
	b = append(b, `,"cut_texts":{`...)
	for i, c := range cut {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(span.AppendQuoted(b, c.field), ':'), int64(c.bytes), 10)
	}
	return append(b, "}}"...), nil
}
