// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

const (
	// triedSpans is how many of the newest spans mappings are tried on.
	triedSpans = 1000
	// shownSpans is how many of them are shown by default.
	shownSpans = 10
	// maxShownText bounds a text in an answer, in characters.
	maxShownText = 1000
)

// MappingsAPI serves what an environment reads attributes of its own as.
type MappingsAPI struct {
	Control Control
	Records store.Searcher
	Now     func() time.Time
}

// Routes returns what is served.
func (a *MappingsAPI) Routes() []rest.Route {
	return []rest.Route{
		GetMappings.Serve(rest.InEnvironment(a.get)),
		SetMappings.Serve(rest.InEnvironment(a.set)).Audited("mappings.set"),
		TestMappings.Serve(rest.InEnvironment(a.test)).Reading(),
	}
}

// MappingRole is what an attribute is read as.
type MappingRole string

// JSONSchema returns the schema of a role.
func (MappingRole) JSONSchema(func(any) map[string]any) map[string]any {
	return map[string]any{"type": "string", "enum": semconv.Roles()}
}

// Mapping says what an attribute is read as.
type Mapping struct {
	Attribute string      `json:"attribute" doc:"The key of a span attribute." schema:"required minLength=1 maxLength=255"`
	Role      MappingRole `json:"role" doc:"What it is read as. content is read for nothing, and is dropped with content." schema:"required"`
}

// MappingsRequest are the mappings that an environment is to have.
type MappingsRequest struct {
	Mappings []Mapping `json:"mappings" doc:"Of several attributes of one role the first that a span has counts. They come before all conventions." schema:"required maxItems=100"`
}

// Mappings are those of an environment.
type Mappings struct {
	Mappings []Mapping `json:"mappings" doc:"In the order in which they count."`
}

// MappingsTest asks what mappings would read.
type MappingsTest struct {
	MappingsRequest
	Limit *rest.Int `json:"limit" doc:"How many spans to show." schema:"nullable minimum=1 maximum=50 default=10"`
}

// MappingsTrial is what mappings would read of stored spans.
type MappingsTrial struct {
	Spans   int          `json:"spans" doc:"How many spans were looked at: at most the newest 1,000."`
	Matched int          `json:"matched" doc:"How many of them have one of the attributes."`
	Samples []MappedSpan `json:"samples" doc:"Those, newest first."`
}

// MappedSpan is a stored span as mappings would have had it read.
type MappedSpan struct {
	TraceID   string              `json:"trace_id" doc:"The trace."`
	SpanID    string              `json:"span_id" doc:"The span."`
	Timestamp int64               `json:"timestamp" doc:"Its start, Unix milliseconds."`
	SpanName  string              `json:"span_name" doc:"Its name."`
	SpanType  string              `json:"span_type" doc:"Its type."`
	Question  string              `json:"question" doc:"The question that evaluators get, cut to 1,000 characters."`
	Output    string              `json:"output" doc:"The output that they get, cut to 1,000 characters."`
	Content   genai.ContentSource `json:"content_source" doc:"The attributes or events that the content is read from; empty for what the span does not have."`
	Reads     []MappedText        `json:"reads" doc:"The mappings that count, with what the span has there."`
}

// MappedText is what a span has under a mapped attribute.
type MappedText struct {
	Mapping
	Text string `json:"text" doc:"Cut to 1,000 characters."`
}

// mappings checks the mappings of a request.
func (m *MappingsRequest) mappings() (tenant.Mappings, error) {
	list := make([]tenant.Mapping, len(m.Mappings))
	known := make(map[string]bool, len(m.Mappings))
	for i, x := range m.Mappings {
		switch {
		case tenant.Reserved(x.Attribute):
			return "", fault.New(fault.Invalid, "mappings[%d].attribute: attributes that begin with %q and %q are not sent by clients", i, "touchstone.", tenant.EvaluationPrefix)
		case known[x.Attribute]:
			return "", fault.New(fault.Invalid, "mappings[%d].attribute: %q has two roles", i, x.Attribute)
		}
		known[x.Attribute] = true
		list[i] = tenant.Mapping{Attribute: x.Attribute, Role: string(x.Role)}
	}
	encoded, err := tenant.NewMappings(list)
	if err != nil {
		return "", fault.Wrap(fault.Internal, err, "encode mappings")
	}
	return encoded, nil
}

func showMappings(m tenant.Mappings) rest.Response {
	shown := Mappings{Mappings: []Mapping{}}
	for _, x := range m.List() {
		shown.Mappings = append(shown.Mappings, Mapping{Attribute: x.Attribute, Role: MappingRole(x.Role)})
	}
	return rest.OK(shown)
}

// get answers the mappings as they are stored: what keys know of them may be older.
func (a *MappingsAPI) get(r *http.Request, env tenant.Environment) (rest.Response, error) {
	found, err := a.Control.Organizations(r.Context(), env.OrganizationID)
	if err != nil {
		return rest.Response{}, err
	}
	same := func(e *tenant.Environment) bool { return e.ID == env.ID }
	for i := range found {
		if e := found[i].Environment(same); e != nil {
			return showMappings(e.Mappings), nil
		}
	}
	return rest.Response{}, errNoEnvironment
}

// set replaces them.
func (a *MappingsAPI) set(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want MappingsRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	next, err := want.mappings()
	if err != nil {
		return rest.Response{}, err
	}
	_, err = a.Control.ChangeOrganization(r.Context(), env.OrganizationID, func(o *tenant.Organization) error {
		e := o.Environment(func(e *tenant.Environment) bool { return e.ID == env.ID })
		if e == nil {
			return errNoEnvironment
		}
		e.Mappings = next
		return nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	return showMappings(next), nil
}

// test answers what mappings would read of stored spans, and stores nothing.
func (a *MappingsAPI) test(r *http.Request, env tenant.Environment) (rest.Response, error) {
	want := MappingsTest{}
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	m, err := want.mappings()
	if err != nil {
		return rest.Response{}, err
	}
	limit := shownSpans
	if want.Limit != nil {
		limit = int(*want.Limit)
	}
	shown, err := a.try(r.Context(), env, m, limit)
	return rest.OK(shown), err
}

func (a *MappingsAPI) try(ctx context.Context, env tenant.Environment, m tenant.Mappings, limit int) (MappingsTrial, error) {
	shown := MappingsTrial{Samples: []MappedSpan{}}
	page, err := a.Records.Search(ctx, env, query.Query{
		From: a.Now().Add(-env.Retention).UnixNano(), To: math.MaxInt64, Limit: triedSpans,
		Order: query.Order{By: query.SortTimestamp, Descending: true},
	})
	if err != nil {
		return shown, err
	}
	shown.Spans = len(page.Spans)
	for i := range page.Spans {
		s := &page.Spans[i]
		read := genai.Mapped(s, m)
		if len(read.Used) == 0 {
			continue
		}
		if shown.Matched++; len(shown.Samples) < limit {
			shown.Samples = append(shown.Samples, showMapped(s, &read))
		}
	}
	return shown, nil
}

func showMapped(s *span.Span, read *genai.Reading) MappedSpan {
	part := func(name span.Part) string {
		text, _ := genai.Part(&read.Span, name)
		text, _ = textcut.Characters(text, maxShownText)
		return text
	}
	shown := MappedSpan{
		TraceID: s.TraceID.String(), SpanID: s.SpanID.String(), Timestamp: s.TimestampMillis(), SpanName: s.Name, SpanType: read.Span.Type,
		Question: part(span.PartQuestion), Output: part(span.PartOutput), Content: read.From, Reads: []MappedText{},
	}
	for _, x := range read.Used {
		text, _ := textcut.Characters(x.Text, maxShownText)
		shown.Reads = append(shown.Reads, MappedText{Mapping{Attribute: x.Attribute, Role: MappingRole(x.Role)}, text})
	}
	return shown
}
