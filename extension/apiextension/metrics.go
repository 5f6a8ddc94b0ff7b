// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"math"
	"net/http"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// findMetrics answers one page of verdicts to a query in the body.
func (a *api) findMetrics(r *http.Request, env tenant.Environment) (answer, error) {
	var want metricsRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	return a.metrics(r, env, &want)
}

// getMetrics answers the same to a query in the URL.
func (a *api) getMetrics(r *http.Request, env tenant.Environment) (answer, error) {
	values, err := parameters(r)
	if err != nil {
		return answer{}, err
	}
	want, err := metricsOf(values)
	if err != nil {
		return answer{}, err
	}
	return a.metrics(r, env, want)
}

func (a *api) metrics(r *http.Request, env tenant.Environment, want *metricsRequest) (answer, error) {
	names := &metricNames{env: env, catalog: a.catalog, customs: func() ([]known, error) {
		list, err := a.evaluators().List(r.Context(), env.ID)
		customs := make([]known, len(list))
		for i := range list {
			customs[i] = a.knownCustom(list[i])
		}
		return customs, err
	}}
	q, cursor, err := want.query(names)
	if err != nil {
		return answer{}, err
	}
	resumed, err := a.resume(string(env.ID), q, cursor)
	if err != nil {
		return answer{}, err
	}
	page, err := a.spans.Search(r.Context(), env, resumed)
	if err != nil {
		return answer{}, err
	}
	shown := newMetricsAnswer()
	shown.add(env, &page)
	if page.Next != nil {
		shown.Metrics.NextCursor = a.cursors.Seal(string(env.ID), &q, *page.Next)
	}
	return answer{status: http.StatusOK, body: shown}, nil
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
func (a *api) highWaterMark(r *http.Request, env tenant.Environment) (answer, error) {
	p, err := a.spans.Progress(r.Context(), env)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: highWaterMarkAnswer{p.LatestEvaluation / 1e6}}, nil
}
