// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// atOnce is how many aggregations run in a process at once: each reads much, and
	// ingest must not feel them.
	atOnce = 2

	maxSteps = 400
	// maxGroups is how many groups are looked at to find the largest.
	maxGroups  = 10_000
	defaultTop = 10
	// maxSeries is how many steps all groups have together at most.
	maxSeries = 50 * maxSteps
)

// AggregatesAPI serves figures of spans, of verdicts and of evaluations, in groups and in
// steps of time.
type AggregatesAPI struct {
	Records    store.Aggregator
	Evaluators *registry.Registry
	Now        func() time.Time

	under chan struct{}
}

// Routes returns what is served.
func (a *AggregatesAPI) Routes() []rest.Route {
	a.under = make(chan struct{}, atOnce)
	return []rest.Route{
		AggregateSpans.Serve(rest.InEnvironment(serve(a, a.ofSpans))).Reading(),
		AggregateMetrics.Serve(rest.InEnvironment(serve(a, a.ofMetrics))).Reading(),
		AggregateEvaluations.Serve(rest.InEnvironment(serve(a, a.ofEvaluations))).Reading(),
	}
}

// serve returns what answers requests that plan turns into questions to the store.
func serve[R any](a *AggregatesAPI, plan func(context.Context, tenant.Environment, *R) (*question, error)) func(*http.Request, tenant.Environment) (rest.Response, error) {
	return func(r *http.Request, env tenant.Environment) (rest.Response, error) {
		var want R
		if err := rest.Decode(r, &want); err != nil {
			return rest.Response{}, err
		}
		q, err := plan(r.Context(), env, &want)
		if err != nil {
			return rest.Response{}, err
		}
		shown, err := a.answer(r.Context(), env, q)
		if err != nil && errors.Is(r.Context().Err(), context.DeadlineExceeded) {
			err = fault.Wrap(fault.Unavailable, err, "the figures took too long: ask for a shorter period, fewer measures or fewer groups")
		}
		return rest.OK(shown), err
	}
}

// answer asks the store when it is its turn.
func (a *AggregatesAPI) answer(ctx context.Context, env tenant.Environment, q *question) (*Aggregation, error) {
	select {
	case a.under <- struct{}{}:
		defer func() { <-a.under }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return q.answer(ctx, a.Records, env)
}
