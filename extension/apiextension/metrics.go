// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"crypto/sha256"
	"net/http"

	"github.com/touchstone-otel/touchstone/internal/store"
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
		list, err := a.control.ListEvaluators(r.Context(), env.ID)
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
	if q, err = a.points.resume(string(env.ID), q, cursor); err != nil {
		return answer{}, err
	}
	shown := newMetricsAnswer()
	if !q.never {
		page, err := a.spans.Points(r.Context(), env, q.PointQuery)
		if err != nil {
			return answer{}, err
		}
		shown.add(env, &page)
		if page.Next != nil {
			shown.Metrics.NextCursor = a.points.seal(string(env.ID), q, *page.Next)
		}
	}
	return answer{status: http.StatusOK, body: shown}, nil
}

// metricsQuery is a query for points. One that nothing can match never asks
// the store.
type metricsQuery struct {
	store.PointQuery
	never bool
	// asked identifies the query, whichever page of it.
	asked [sha256.Size]byte
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
