// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of an answer.
const (
	maxSetups = 200
	maxReason = 500 // characters
	// mostBefore is up to how many evaluations are counted that are to be made before one.
	mostBefore = 1000
)

// Usage is what is asked of the usage of environments, under the contract of
// usage.Meter. It is asked where the money of an environment is bounded.
type Usage interface {
	DollarsToday(ctx context.Context, env tenant.Environment) (float64, error)
}

// ExplainAPI serves why a span was judged or not: what each rule of every setup found, and
// what became of each evaluator.
type ExplainAPI struct {
	Records    Records
	Setups     Setups
	Usage      Usage
	Evaluators *registry.Registry
	Now        func() time.Time
}

// Routes returns what is served.
func (a *ExplainAPI) Routes() []rest.Route {
	return []rest.Route{ExplainSpan.Serve(rest.InEnvironment(a.explain))}
}

// Explanation says why a span was or was not evaluated.
type Explanation struct {
	TraceID    string              `json:"trace_id" doc:"The trace."`
	SpanID     string              `json:"span_id" doc:"The span."`
	Timestamp  int64               `json:"timestamp" doc:"The start of the span, Unix milliseconds."`
	SpanName   string              `json:"span_name" doc:"Its name."`
	OwnTraffic bool                `json:"own_traffic" doc:"Whether the span is of a judge's own call, which is never judged."`
	Sentence   string              `json:"sentence" doc:"How many setups match, in a sentence."`
	Content    genai.ContentSource `json:"content_source" doc:"The attributes or events that the content of the span was read from; empty for what it does not have."`
	Setups     []ExplainedSetup    `json:"setups" doc:"The setups, oldest first, and those that judged the span and are gone."`
	Truncated  bool                `json:"truncated" doc:"Whether there are more setups than the 200 shown."`
	Opinions   []ExplainedOpinion  `json:"opinions" doc:"What others said of the span, for which no setup asked; empty where one setup is asked for."`
}

// explain answers why a span was judged or not.
func (a *ExplainAPI) explain(r *http.Request, env tenant.Environment) (rest.Response, error) {
	key, err := rest.PathSpan(r)
	if err != nil {
		return rest.Response{}, err
	}
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	c, err := a.open(r.Context(), env, key)
	if err != nil {
		return rest.Response{}, err
	}
	only, named := values.Get("setup"), values.Has("setup")
	shown := &Explanation{
		TraceID: key.TraceID.String(), SpanID: key.SpanID.String(), Timestamp: c.stored.TimestampMillis(), SpanName: c.stored.Name,
		OwnTraffic: key.TraceID.IsSelf(), Content: genai.ContentSourceOf(c.stored, env.Mappings), Setups: []ExplainedSetup{},
	}
	for i := range c.setups {
		s := &c.setups[i]
		if named && s.ExternalID != only && s.ID != only {
			continue
		}
		if len(shown.Setups) == maxSetups {
			shown.Truncated = true
			break
		}
		one, err := c.setup(s)
		if err != nil {
			return rest.Response{}, err
		}
		shown.Setups = append(shown.Setups, one)
	}
	if named && len(shown.Setups) == 0 {
		return rest.Response{}, fault.New(fault.NotFound, "auto monitor setup not found")
	}
	shown.Opinions = []ExplainedOpinion{}
	if !named {
		shown.Opinions = c.opinions()
		shown.Setups = append(shown.Setups, c.deleted()...)
	}
	shown.Sentence = shown.summary(len(c.setups))
	return rest.OK(shown), nil
}

// open reads what an explanation of a span is made of, all at a time.
func (a *ExplainAPI) open(ctx context.Context, env tenant.Environment, key span.Key) (*explanation, error) {
	c := &explanation{api: a, ctx: ctx, env: env}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() error {
		found, err := a.Records.Get(ctx, env, []span.Key{key}, 0)
		if err != nil {
			return err
		}
		if c.stored = store.LastStarted(found); c.stored == nil {
			return fault.New(fault.NotFound, "span not found: it never came to this environment, or is past its retention")
		}
		c.view.ResetStored(c.stored, env.Mappings)
		return nil
	})
	reads.Go(func() error {
		made, err := a.Records.Evaluations(ctx, []store.Location{{Environment: env.ID, Span: key}}, a.Now().Add(-env.Retention).UnixNano(), store.Latest)
		if len(made) > 0 {
			c.records = made[len(made)-1].Evaluations // of several of the same ids the one that started last
		}
		return err
	})
	reads.Go(func() (err error) {
		c.setups, err = a.Setups.List(ctx, env.ID)
		return err
	})
	return c, reads.Wait()
}
