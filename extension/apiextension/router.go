// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// router says what is served where, and to whom.
func (a *api) router() http.Handler {
	r := chi.NewRouter()
	r.NotFound(a.serve(notFound))
	r.MethodNotAllowed(a.methodNotAllowed)

	r.Get("/health", a.serve(health))
	r.Head("/health", a.serve(health))
	r.Get("/openapi.json", a.serve(a.openapi))

	r.Post("/v2/organizations", a.serve(a.operator(a.createOrganization)))

	r.Get("/v2/evaluators", a.serve(a.environment(a.listEvaluators)))
	r.Post("/v2/evaluators", a.serve(a.environment(a.createEvaluator)))
	r.Post("/v2/evaluators/custom-evaluator", a.serve(a.environment(a.createEvaluator)))
	r.Patch("/v2/evaluators/{slug}", a.serve(a.environment(a.updateEvaluator)))
	r.Get("/v2/evaluators/{slug}", a.serve(a.environment(a.getEvaluator)))
	r.Post("/v2/evaluators/{slug}/execute", a.serve(a.environment(a.execute)))
	r.Post("/v2/evaluators/{slug}/executions", a.serve(a.environment(a.startExecution)))
	r.Get("/v2/executions/{id}/stream", a.hold(a.environment(a.streamExecution)))
	r.Post("/v2/guardrails/{slug}/execute", a.serve(a.environment(a.guardrail)))

	r.Post("/v2/auto-monitor-setups", a.serve(a.environment(a.createSetup)))
	r.Get("/v2/auto-monitor-setups", a.serve(a.environment(a.listSetups)))
	r.Post("/v2/auto-monitor-setups/bulk", a.serve(a.environment(a.putSetups)))
	r.Post("/v2/auto-monitor-setups/preview", a.serve(a.environment(a.previewSetup)))
	r.Get("/v2/auto-monitor-setups/{name}", a.serve(a.environment(a.getSetup)))
	r.Put("/v2/auto-monitor-setups/{name}", a.serve(a.environment(a.updateSetup)))
	r.Delete("/v2/auto-monitor-setups/{name}", a.serve(a.environment(a.deleteSetup)))

	r.Get("/v2/auto-monitor-setups/{name}/status", a.serve(a.environment(a.setupStatus)))
	r.Post("/v2/auto-monitor-setups/{name}/backfill", a.serve(a.environment(a.createBackfill)))
	r.Get("/v2/auto-monitor-setups/{name}/backfill", a.serve(a.environment(a.listBackfills)))
	r.Get("/v2/auto-monitor-setups/{name}/backfill/{id}", a.serve(a.environment(a.getBackfill)))
	r.Delete("/v2/auto-monitor-setups/{name}/backfill/{id}", a.serve(a.environment(a.cancelBackfill)))

	r.Get("/v2/warehouse/spans", a.serve(a.environment(a.findSpans)))
	r.Get("/v2/warehouse/spans/{trace_id}/{span_id}/evaluations", a.serve(a.environment(a.spanEvaluations)))

	r.Get("/v2/metrics", a.serve(a.environment(a.getMetrics)))
	r.Post("/v2/metrics", a.serve(a.environment(a.findMetrics)))
	r.Get("/v2/metrics_hwm", a.serve(a.environment(a.highWaterMark)))
	r.Get("/v2/monitoring/status", a.serve(a.environment(a.monitoringStatus)))
	return r
}

// methodNotAllowed answers 405 with the methods that the path knows. The
// router comes here too for methods it never heard of, on any path.
func (a *api) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	routes := chi.RouteContext(r.Context()).Routes
	path := r.URL.EscapedPath()
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		a.serve(notFound)(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	a.serve(refuseMethod)(w, r)
}
