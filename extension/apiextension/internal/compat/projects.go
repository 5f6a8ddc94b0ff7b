// SPDX-License-Identifier: Apache-2.0

// Package compat serves what only clients of the original service ask for: spans under the
// names of projects, costs by a property, and addresses of images.
package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is the part of store.Engine that is needed here.
type Records interface {
	store.Searcher
	store.Aggregator
	// Together is that of queries.Queries.
	Together(ctx context.Context, env tenant.EnvironmentID, do func(context.Context) error) error
}

// ProjectsAPI serves what the SDKs and the MCP server of the original ask for under names
// of projects: roots of traces, spans of one, names of workflows, and the prompts that it
// keeps, of which there are none here. The key says whose spans they are, not the path.
// https://github.com/traceloop/opentelemetry-mcp-server
type ProjectsAPI struct {
	Records Records
	Cursors *query.Cursors
	// Shared has those who ask for the same trace at once share one reading of it.
	Shared rest.Shared
}

// Routes returns what is served.
func (a *ProjectsAPI) Routes() []rest.Route {
	return []rest.Route{
		RootSpans.Serve(rest.InEnvironment(a.roots)).Reading(),
		ProjectSpans.Serve(rest.InEnvironment(a.search)).Reading(),
		ProjectTrace.Serve(rest.InEnvironment(a.trace)),
		WorkflowNames.Serve(rest.InEnvironment(a.workflows)),
		AttributeValues.Serve(rest.InEnvironment(a.values)).Reading(),
		Prompts.Serve(rest.InEnvironment(prompts)).Accompanying(),
	}
}

// prompts answers that the environment keeps none: SDKs ask for them every few
// seconds, and log what is no answer.
func prompts(_ *http.Request, env tenant.Environment) (rest.Response, error) {
	return rest.OK(PromptList{Prompts: []any{}, Environment: env.Slug}), nil
}

// ofProject refuses a path that names another project than that of the key.
func ofProject(r *http.Request, env tenant.Environment) error {
	if project := rest.PathValue(r, "project"); project != "default" && project != env.ProjectID {
		return fault.New(fault.NotFound, "project not found")
	}
	return nil
}

const (
	// maxSpans is how many spans of a trace an answer has, and maxBytes how many bytes
	// it has before the last of them.
	maxSpans = 5000
	maxBytes = 16 << 20
)

// trace answers the spans of one trace, the earliest first, and whether there are more
// of them than an answer has.
func (a *ProjectsAPI) trace(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var id span.TraceID
	if err := ofProject(r, env); err != nil {
		return rest.Response{}, err
	}
	if rest.PathID(r, "trace_id", id[:]) != nil { // as the original answers
		return rest.OK(EventedTrace{}), nil
	}
	q := query.Query{
		From: math.MinInt64, To: math.MaxInt64, Limit: query.MaxLimit, Order: query.Order{By: query.SortTimestamp},
		Filters: []query.Filter{{Field: query.TraceField, Operator: query.OpEquals, Value: id.String()}},
	}
	return a.Shared.Answer(r.Context(), env.ID, id.String(), func(ctx context.Context, hold rest.Hold) (b json.RawMessage, err error) {
		err = a.Records.Together(ctx, env.ID, func(ctx context.Context) (err error) {
			b, err = a.spansOf(ctx, env, q, hold)
			return err
		})
		return b, err
	})
}

// spansOf returns the answer that has the spans of a query.
func (a *ProjectsAPI) spansOf(ctx context.Context, env tenant.Environment, q query.Query, hold rest.Hold) (json.RawMessage, error) {
	b, more, err := a.appendSpans(ctx, []byte(`{"spans":[`), env, q, hold)
	switch {
	case err != nil:
		return nil, err
	case len(b) == len(`{"spans":[`):
		return nil, fault.New(fault.NotFound, "trace not found")
	}
	return fmt.Appendf(b, `],"truncated":%t}`, more), nil
}

// appendSpans appends the spans of a query, as many as an answer has, and reports
// whether there are more. It holds what it has read.
func (a *ProjectsAPI) appendSpans(ctx context.Context, b []byte, env tenant.Environment, q query.Query, hold rest.Hold) (_ []byte, more bool, err error) {
	for n := 0; ; {
		page, err := a.Records.Search(ctx, env, q)
		if err != nil {
			return b, false, err
		}
		had := len(b)
		for i := range page.Spans {
			if n == maxSpans || len(b) >= maxBytes {
				return b, true, nil
			}
			if n++; n > 1 {
				b = append(b, ',')
			}
			if b, err = appendSpan(b, &page.Spans[i]); err != nil {
				return b, false, err
			}
		}
		if page.Next == nil {
			return b, false, nil
		}
		// Before more is read: the page, what was appended, and the room to append to.
		if err := hold(3 * int64(len(b)-had)); err != nil {
			return b, false, err
		}
		q.After = page.Next
	}
}

// EventedSpanEvent is an event of a span as the MCP server reads it.
type EventedSpanEvent struct {
	_ struct{} `schema:"open"`

	Name       string            `json:"name"`
	Timestamp  int64             `json:"timestamp" doc:"Unix milliseconds, as that of a span."`
	Attributes map[string]string `json:"attributes"`
}

// appendSpan appends a span as pages show it, and its events.
func appendSpan(b []byte, s *span.Span) ([]byte, error) {
	events := make([]EventedSpanEvent, len(s.Events))
	for i := range s.Events {
		x := &s.Events[i]
		events[i] = EventedSpanEvent{Name: x.Name, Timestamp: x.Time / 1e6, Attributes: map[string]string{}}
		for _, attribute := range x.Attributes {
			events[i].Attributes[attribute.Key] = attribute.Value
		}
	}
	list, err := json.Marshal(events)
	if err != nil {
		return nil, err
	}
	own := withLists(s.AppendJSON(nil), s)
	b = append(b, own[:len(own)-1]...)
	return append(append(append(b, `,"events":`...), list...), '}'), nil
}
