// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxSpans is how many spans of a trace an answer has.
const maxSpans = query.MaxBrief

// TracesAPI serves whole traces: what is in them and how long it took, without their texts.
type TracesAPI struct {
	Records Records
	// Shared has those who ask for the same trace at once share one reading of it.
	Shared rest.Shared
}

// Routes returns what is served.
func (a *TracesAPI) Routes() []rest.Route {
	return []rest.Route{GetTrace.Serve(rest.InEnvironment(a.trace))}
}

// trace answers the spans of one trace by columns, the earliest first.
func (a *TracesAPI) trace(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var id span.TraceID
	if err := rest.PathID(r, "trace_id", id[:]); err != nil {
		return rest.Response{}, err
	}
	q := query.Query{
		From: math.MinInt64, To: math.MaxInt64, Brief: true, Limit: firstSpans, Total: true, Order: query.Order{By: query.SortTimestamp},
		Filters: []query.Filter{{Field: query.TraceField, Operator: query.OpEquals, Value: id.String()}},
	}
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	if q.From, q.To, err = rest.QueryPeriod(values).Within(q.From, q.To); err != nil {
		return rest.Response{}, err
	}
	return a.Shared.Answer(r.Context(), env.ID, fmt.Sprint(id, q.From, q.To), func(ctx context.Context, hold rest.Hold) (b json.RawMessage, err error) {
		err = a.Records.Together(ctx, env.ID, func(ctx context.Context) error {
			shown, err := a.read(ctx, env, q, hold)
			if err != nil {
				return err
			}
			if shown.Total == 0 {
				return fault.New(fault.NotFound, "trace not found: no span of it came to this environment in the period, or all are past their retention")
			}
			shown.TraceID = id.String()
			b, err = rest.Encode(shown)
			return err
		})
		return b, err
	})
}

// The first spans of a trace are read at once; of most traces these are all. perSpan is what
// a span takes in memory while a trace is put together, in bytes: as it was read, its
// evaluations, its columns and their JSON.
const (
	firstSpans = 1000
	perSpan    = 2 << 10
)

// evaluated is of how many spans evaluations are read at once: each reading goes
// through all spans of the trace.
const evaluated = 5000

// read reads a trace. Its texts are not looked at.
func (a *TracesAPI) read(ctx context.Context, env tenant.Environment, q query.Query, hold rest.Hold) (*Trace, error) {
	t := &table{}
	for {
		if err := hold(perSpan * t.next(int64(q.Limit))); err != nil {
			return nil, err
		}
		page, err := a.Records.Search(ctx, env, q)
		if err != nil {
			return nil, err
		}
		if q.Total {
			t.total, q.Total = page.Total, false
		}
		for spans := range slices.Chunk(page.Spans, evaluated) {
			made, err := store.EvaluationsOf(ctx, a.Records, env.ID, spans)
			if err != nil {
				return nil, err
			}
			for i := range spans {
				t.add(&spans[i], made[i])
			}
		}
		if page.Next == nil || len(t.spans) == maxSpans {
			return t.answer(), nil
		}
		q.After, q.Limit = page.Next, maxSpans-len(t.spans)
	}
}
