// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"math"
	"net/http"
	"strconv"
	"sync"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const path = "/v2/metrics"

// MetricsAPI serves the verdicts of an environment, one point for each output of each
// finished evaluation.
type MetricsAPI struct {
	Records    Records
	Evaluators *registry.Registry
	Cursors    *query.Cursors
}

// Routes returns what is served.
func (a *MetricsAPI) Routes() []rest.Route {
	return []rest.Route{
		FindMetrics.Serve(rest.InEnvironment(a.search)).Reading(),
		GetMetrics.Serve(rest.InEnvironment(a.search)).WithBody(http.MethodPost, bodyOf),
		GetMetricsHighWaterMark.Serve(rest.InEnvironment(a.highWaterMark)),
	}
}

// search answers one page of verdicts.
func (a *MetricsAPI) search(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want metricsRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	n := &names{env: env, evaluators: sync.OnceValues(func() ([]*eval.Evaluator, error) {
		custom, err := a.Evaluators.Custom(r.Context(), env.ID)
		return append(a.Evaluators.Prebuilt(), custom...), err
	})}
	q, cursor, err := want.query(n)
	if err != nil {
		return rest.Response{}, err
	}
	resumed, err := a.resume(string(env.ID), q, cursor)
	if err != nil {
		return rest.Response{}, err
	}
	page, err := a.Records.Search(r.Context(), env, resumed)
	if err != nil {
		return rest.Response{}, err
	}
	shown := newAnswer()
	shown.add(env, &page)
	if page.Next != nil {
		shown.Metrics.NextCursor = a.Cursors.Seal(string(env.ID), &q, *page.Next)
	}
	return rest.OK(shown), nil
}

// resume returns the query continued where the cursor says. "" and 0 are its
// beginning; another number is Unix milliseconds, from which a query by time
// goes on.
func (a *MetricsAPI) resume(environment string, q query.Query, cursor string) (query.Query, error) {
	if millis, err := strconv.ParseInt(cursor, 10, 64); err == nil && len(cursor) < 20 {
		return fromMillis(q, millis)
	}
	if cursor == "" {
		return q, nil
	}
	at, err := a.Cursors.Open(environment, &q, cursor)
	q.After = &at
	return q, err
}

func fromMillis(q query.Query, millis int64) (query.Query, error) {
	const largest = math.MaxInt64/1_000_000 - 1
	switch {
	case millis == 0:
	case q.Order.By != query.SortTimestamp || millis < 0 || millis > largest:
		return q, query.ErrCursor()
	case q.Order.Descending:
		q.To = min(q.To, millis*1_000_000+999_999)
	default:
		q.From = max(q.From, millis*1_000_000)
	}
	return q, nil
}

// HighWaterMark says up to when verdicts are complete.
type HighWaterMark struct {
	Mark int64 `json:"high_water_mark" schema:"minimum=0"`
}

// highWaterMark answers when the last evaluation ended, in Unix milliseconds; 0
// if none has.
func (a *MetricsAPI) highWaterMark(r *http.Request, env tenant.Environment) (rest.Response, error) {
	latest, err := store.LatestEvaluation(r.Context(), a.Records, env)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(HighWaterMark{latest / 1e6}), nil
}
