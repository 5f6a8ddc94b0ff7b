// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/operations"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// health answers whether the process lives and whether it can do its work.
type health struct {
	stores  store.Health
	backlog interface {
		Stats(ctx context.Context) (store.BacklogStats, error)
	}
	config *operations.MonitoringConfig
	now    func() time.Time
	within time.Duration // how long the backlog may take to answer
}

// answersWithin is how long a store may take to answer before the process counts as not
// ready: a caller that probes does not wait for long.
const answersWithin = 5 * time.Second

// What the status of the process may be.
const (
	healthOK          = "ok"
	healthDegraded    = "degraded"
	healthUnavailable = "unavailable"
)

// problemBacklog is the name of the problem of a backlog that does not move. It
// does not keep senders from sending.
const problemBacklog = "backlog"

// healthAnswer is the status of the process.
type healthAnswer struct {
	_ struct{} `schema:"open"`

	Status   string          `json:"status" doc:"degraded: spans are taken, and something else does not go on. unavailable: spans or setups cannot be stored." enum:"ok,degraded,unavailable"`
	Problems []store.Problem `json:"problems,omitempty" doc:"What is wrong; left out if nothing is."`
	Error    string          `json:"error,omitempty" doc:"The first problem, if the status is unavailable."`
}

// AmendSchema names the problems that a process may have.
func (healthAnswer) AmendSchema(schema map[string]any) {
	schema["properties"].(map[string]any)["problems"].(map[string]any)["items"] = map[string]any{
		"type": "object", "required": []string{"name", "message"},
		"properties": map[string]any{
			"name": map[string]any{"type": "string", "enum": []string{
				store.ProblemWrite, store.ProblemControl, store.ProblemDamage, store.ProblemStuck, store.ProblemModels, problemBacklog,
			}},
			"message": map[string]any{"type": "string"},
		},
	}
}

// The operations of the health of the process.
var (
	getHealth = rest.Operation[rest.None, healthAnswer]{
		Method: http.MethodGet, Path: "/health",
		Tag: "Service", ID: "get-health", Summary: "Ask whether the service can do its work",
		Doc:    "As /health/ready. " + aboutHealth,
		Answer: doesWork, Others: notReady(false), Refusals: []int{http.StatusInternalServerError},
	}
	headHealth = rest.Operation[rest.None, rest.None]{
		Method: http.MethodHead, Path: "/health",
		Tag: "Service", ID: "head-health", Summary: "Ask whether the service can do its work, without a body",
		Doc:    "As /health/ready.",
		Answer: doesWork, Others: notReady(true),
	}
	getHealthReady = rest.Operation[rest.None, healthAnswer]{
		Method: http.MethodGet, Path: "/health/ready",
		Tag: "Service", ID: "get-health-ready", Summary: "Ask whether the service can do its work",
		Doc:    aboutHealth,
		Answer: doesWork, Others: notReady(false), Refusals: []int{http.StatusInternalServerError},
	}
	getHealthLive = rest.Operation[rest.None, healthAnswer]{
		Method: http.MethodGet, Path: "/health/live",
		Tag: "Service", ID: "get-health-live", Summary: "Ask whether the process runs",
		Doc:    "It is restarted if this does not answer: nothing else is mended by that.",
		Answer: doesWork, Refusals: []int{http.StatusInternalServerError},
	}
)

const (
	doesWork    = "It does."
	aboutHealth = "Whether spans can be stored and the control store be read, as looked every two seconds; it needs no credential. A backlog that does not move is reported, and does not make the answer a failure."
)

// notReady is the answer of a process that cannot do its work.
func notReady(empty bool) map[int]rest.Other {
	return map[int]rest.Other{http.StatusServiceUnavailable: {
		Text: "Spans or setups cannot be stored at present.", Headers: map[string]string{"Retry-After": "RetryAfter"}, Empty: empty,
	}}
}

// live answers that the process runs. A restart of it mends nothing else.
func (h *health) live(*http.Request) (rest.Response, error) {
	return rest.OK(healthAnswer{Status: healthOK}), nil
}

// ready answers whether spans can be sent and setups made.
func (h *health) ready(r *http.Request) (rest.Response, error) {
	problems := h.stores.Problems()
	if slices.ContainsFunc(problems, store.Problem.Stops) {
		return unavailable(problems), nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.within)
	defer cancel()
	owed, err := h.backlog.Stats(ctx)
	switch {
	case err != nil && ctx.Err() != nil && r.Context().Err() == nil:
		return unavailable(append([]store.Problem{{
			Name: store.ProblemControl, Message: "cannot count pending evaluations: the store does not answer",
		}}, problems...)), nil
	case err != nil:
		return rest.Response{}, err
	}
	if oldest := owed.OldestOwed; oldest != 0 && h.now().Sub(time.Unix(0, oldest)) > h.config.ErrorAfter {
		problems = append(slices.Clone(problems), store.Problem{
			Name: problemBacklog, Message: "evaluations have been pending since " + rest.Time(time.Unix(0, oldest)),
		})
	}
	if len(problems) > 0 {
		return rest.OK(healthAnswer{Status: healthDegraded, Problems: problems}), nil
	}
	return rest.OK(healthAnswer{Status: healthOK}), nil
}

// unavailable is the answer of who cannot do his work.
func unavailable(problems []store.Problem) rest.Response {
	return rest.Response{
		Status: http.StatusServiceUnavailable,
		Header: http.Header{"Retry-After": {"2"}},
		Body:   healthAnswer{Status: healthUnavailable, Problems: problems, Error: problems[0].Message},
	}
}
