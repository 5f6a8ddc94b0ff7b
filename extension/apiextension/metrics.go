// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"math"
	"net/http"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// findMetrics answers one page of verdicts to a query in the body.
func (a *api) findMetrics(r *http.Request, env tenant.Environment) (rest.Answer, error) {
	var want metricsRequest
	if err := decode(r, &want); err != nil {
		return rest.Answer{}, err
	}
	return a.metrics(r, env, &want)
}

// getMetrics answers the same to a query in the URL.
func (a *api) getMetrics(r *http.Request, env tenant.Environment) (rest.Answer, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Answer{}, err
	}
	want, err := metricsOf(values)
	if err != nil {
		return rest.Answer{}, err
	}
	return a.metrics(r, env, want)
}

func (a *api) metrics(r *http.Request, env tenant.Environment, want *metricsRequest) (rest.Answer, error) {
	names := &metricNames{env: env, catalog: a.catalog, customs: func() ([]*eval.Evaluator, error) {
		return a.evaluators.Custom(r.Context(), env.ID)
	}}
	q, cursor, err := want.query(names)
	if err != nil {
		return rest.Answer{}, err
	}
	resumed, err := a.resume(string(env.ID), q, cursor)
	if err != nil {
		return rest.Answer{}, err
	}
	page, err := a.spans.Search(r.Context(), env, resumed)
	if err != nil {
		return rest.Answer{}, err
	}
	shown := newMetricsAnswer()
	shown.add(env, &page)
	if page.Next != nil {
		shown.Metrics.NextCursor = a.cursors.Seal(string(env.ID), &q, *page.Next)
	}
	return rest.OK(shown), nil
}

// resume returns the query continued where the cursor says. "" and 0 are its
// beginning; another number is Unix milliseconds, from which a query by time
// goes on.
func (a *api) resume(environment string, q query.Query, cursor string) (query.Query, error) {
	if millis, err := strconv.ParseInt(cursor, 10, 64); err == nil && len(cursor) < 20 {
		return fromMillis(q, millis)
	}
	if cursor == "" {
		return q, nil
	}
	at, err := a.cursors.Open(environment, &q, cursor)
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

type highWaterMarkAnswer struct {
	Mark int64 `json:"high_water_mark"`
}

// highWaterMark answers when the last evaluation ended, in Unix milliseconds; 0
// if none has.
func (a *api) highWaterMark(r *http.Request, env tenant.Environment) (rest.Answer, error) {
	p, err := a.spans.Progress(r.Context(), env)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(highWaterMarkAnswer{p.LatestEvaluation / 1e6}), nil
}
