// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a draw.
const (
	defaultDrawn = 50
	maxDrawn     = 500
	maxLooked    = 10_000 // outputs that one request looks at
	maxSeed      = 200    // bytes
)

// drawRequest is a draw as its parameters tell it.
type drawRequest struct {
	source  *Source
	share   float64 // of passes
	seed    string
	without string // the evaluator whose verdicts spans must not have; "" is any
	limit   int
	query   query.Query
}

// Draw are spans to label.
type Draw struct {
	Metric string      `json:"metric" doc:"The verdict."`
	Share  float64     `json:"share" doc:"The probability of spans that pass."`
	Spans  []DrawnSpan `json:"spans" doc:"To label. There may be none, and more behind the cursor."`
	Looked DrawnFrom   `json:"looked" doc:"How many spans this answer was drawn from."`
	Next   string      `json:"next_cursor" doc:"Empty when nothing is left."`
}

// DrawnFrom counts the spans that the draw was from.
type DrawnFrom struct {
	Failures int `json:"failures" doc:"All of them were drawn."`
	Passes   int `json:"passes" doc:"Of these a share was."`
}

// DrawnSpan is a span to label. Its weight is the inverse of Probability.
type DrawnSpan struct {
	TraceID     string  `json:"trace_id" doc:"The trace."`
	SpanID      string  `json:"span_id" doc:"The span."`
	Timestamp   int64   `json:"timestamp" doc:"Its start, Unix milliseconds."`
	SpanName    string  `json:"span_name" doc:"Its name."`
	Value       any     `json:"value" doc:"The verdict." schema:"types=string,number,boolean"`
	Passes      bool    `json:"passes" doc:"Whether the verdict speaks for it."`
	Probability float64 `json:"probability" doc:"How likely it was to be drawn: 1 where the verdict speaks against it." schema:"maximum=1 exclusiveMinimum=0"`
	Inclusion   float64 `json:"inclusion_probability,omitempty" doc:"How likely it was that such a span was judged; absent where that is not known." schema:"maximum=1 exclusiveMinimum=0"`
	Weight      float64 `json:"weight" doc:"The inverse of probability: how many spans it stands for." schema:"minimum=1"`

	key   span.Key
	setup string
}

// draw answers spans for people to label: all that a verdict speaks against, and a
// share of the others. Who is drawn depends on the span's ids and the seed alone,
// so that the same question has the same answer, and a larger share has those of
// a smaller one.
func (a *LabelsAPI) draw(r *http.Request, env tenant.Environment) (rest.Response, error) {
	want, cursor, err := a.drawing(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	q := want.query
	if cursor != "" {
		at, err := a.Cursors.Open(string(env.ID), &q, cursor)
		if err != nil {
			return rest.Response{}, err
		}
		q.After = &at
	}
	shown := Draw{Metric: want.source.Metric(), Share: want.share, Spans: []DrawnSpan{}}
	for looked := 0; ; {
		page, err := a.Records.Search(r.Context(), env, q)
		if err != nil {
			return rest.Response{}, err
		}
		behind, err := a.take(r.Context(), env, want, &page, &shown)
		if err != nil {
			return rest.Response{}, err
		}
		if looked += len(page.Outputs); behind == nil {
			return rest.OK(shown), nil
		}
		if q.After = behind; len(shown.Spans) >= want.limit || looked >= maxLooked {
			shown.Next = a.Cursors.Seal(string(env.ID), &want.query, *behind)
			return rest.OK(shown), nil
		}
	}
}

// drawing reads the parameters of a draw, and its cursor.
func (a *LabelsAPI) drawing(r *http.Request, env tenant.Environment) (want *drawRequest, cursor string, err error) {
	values, err := rest.Query(r)
	if err != nil {
		return nil, "", err
	}
	want = &drawRequest{share: 0.1, seed: values.Get("seed"), without: values.Get("without")}
	if want.source, err = ReadSource(r.Context(), a.Setups, env, values, "metric"); err != nil {
		return nil, "", err
	}
	if values.Has("share") {
		n, ok := query.ParseNumber(values.Get("share"))
		if !ok || n < 0 || n > 1 {
			return nil, "", fault.New(fault.Invalid, "share must be a number from 0 to 1")
		}
		want.share = n
	}
	if want.limit, err = rest.QueryInt(values, "limit", defaultDrawn, 1, maxDrawn); err != nil {
		return nil, "", err
	}
	for name, text := range map[string]string{"seed": want.seed, "without": want.without} {
		if len(text) > maxSeed+len("human:") {
			return nil, "", fault.New(fault.Invalid, "%s must be at most %d bytes long", name, maxSeed)
		}
	}
	var text json.RawMessage
	if values.Has("filters") {
		text = json.RawMessage(values.Get("filters"))
	}
	filters, err := spans.ParseFilters(text, values.Get("q"))
	if err != nil {
		return nil, "", err
	}
	from, to, err := rest.QueryPeriod(values).Within(0, math.MaxInt64)
	want.query = query.Query{
		Subject: query.Outputs, From: from, To: to, Filters: append(want.source.Filters(), filters...),
		Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: query.MaxLimit,
	}
	return want, values.Get("cursor"), err
}

// take draws from a page until there are as many spans as are wanted, and returns
// where to go on, nil where nothing is left.
func (a *LabelsAPI) take(ctx context.Context, env tenant.Environment, want *drawRequest, page *query.Page, shown *Draw) (*query.Position, error) {
	spans := together(page.Outputs)
	if page.Next != nil && len(spans) > 1 { // the rest of the last one may be on the next page
		spans = spans[:len(spans)-1]
	}
	var drawn []DrawnSpan
	var last *query.Output
	for _, one := range spans {
		if len(shown.Spans)+len(drawn) >= want.limit {
			break
		}
		last = &one[len(one)-1]
		x := slices.MaxFunc(one, func(x, y query.Output) int { return cmp.Compare(x.Time, y.Time) })
		passes, known := want.source.IsTrue(x.Output)
		if !known {
			passes, known = x.Output.Passes()
		}
		if !known {
			return nil, fault.New(fault.Invalid, "metric: %s does not say by itself what passes: tell with metric_min or metric_true", want.source.Metric())
		}
		p := 1.0
		if passes {
			shown.Looked.Passes++
			if p = want.share; place(want.seed, x.Span) >= p {
				continue
			}
		} else {
			shown.Looked.Failures++
		}
		drawn = append(drawn, DrawnSpan{
			TraceID: x.Span.TraceID.String(), SpanID: x.Span.SpanID.String(), Timestamp: x.Start / 1e6, SpanName: x.SpanName,
			Value: x.Output.Value, Passes: passes, Probability: p, Weight: 1 / p, key: x.Span, setup: x.SetupID,
		})
	}
	drawn, err := a.known(ctx, env, want, drawn)
	shown.Spans = append(shown.Spans, drawn...)
	if last == nil || page.Next == nil && last == &page.Outputs[len(page.Outputs)-1] {
		return nil, err
	}
	behind := want.query.Order.PositionOf(last)
	return &behind, err
}

// together returns outputs with those of one span in a list; they follow one
// another.
func together(outputs []query.Output) (spans [][]query.Output) {
	for begin, i := 0, 1; i <= len(outputs); i++ {
		if i == len(outputs) || outputs[i].Span != outputs[begin].Span {
			spans = append(spans, outputs[begin:i])
			begin = i
		}
	}
	return spans
}

// known leaves out spans that have a verdict that they must not have, and tells of
// the others how likely it was that they were judged.
func (a *LabelsAPI) known(ctx context.Context, env tenant.Environment, want *drawRequest, drawn []DrawnSpan) ([]DrawnSpan, error) {
	keys := make([]span.Key, len(drawn))
	for i := range drawn {
		keys[i] = drawn[i].key
	}
	made, err := store.EvaluationsAt(ctx, a.Records, env.ID, keys)
	if err != nil {
		return nil, err
	}
	var kept []DrawnSpan
	for i, d := range drawn {
		if has(made[i], want.without) {
			continue
		}
		for _, e := range made[i] {
			if e.SetupID == d.setup && e.Evaluator == want.source.Field.Name {
				d.Inclusion = e.Probability
			}
		}
		kept = append(kept, d)
	}
	return kept, nil
}

// has reports whether an evaluator is among evaluations.
func has(list []eval.Evaluation, evaluator string) bool {
	return evaluator != "" && slices.ContainsFunc(list, func(e eval.Evaluation) bool { return e.Evaluator == evaluator })
}

// place returns where a span lies from 0 to below 1, each place as likely.
func place(seed string, k span.Key) float64 {
	h := sha256.New()
	h.Write([]byte(seed))
	h.Write(k.TraceID[:])
	h.Write(k.SpanID[:])
	const digits = 53 // of a float64
	return float64(binary.BigEndian.Uint64(h.Sum(nil))>>(64-digits)) / (1 << digits)
}
