// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitoring"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// health answers whether the process lives and whether it can do its work.
type health struct {
	stores  store.Health
	backlog interface {
		Stats(ctx context.Context) (store.BacklogStats, error)
	}
	config *monitoring.Config
	now    func() time.Time
	within time.Duration // how long the backlog may take to answer
}

// answersWithin is how long a store may take to answer before the process counts as not
// ready: whoever probes does not wait for long.
const answersWithin = 5 * time.Second

// What the status of the process may be.
const (
	healthOK          = "ok"
	healthDegraded    = "degraded"
	healthUnavailable = "unavailable"
)

// problemBacklog is the name of the problem of a backlog that does not move. It
// keeps nobody from sending.
const problemBacklog = "backlog"

type healthAnswer struct {
	Status   string          `json:"status"`
	Problems []store.Problem `json:"problems,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// live answers that the process runs. Starting it anew mends nothing else.
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
			Name: store.ProblemControl, Message: "it cannot be told in time what is owed: the store does not answer",
		}}, problems...)), nil
	case err != nil:
		return rest.Response{}, err
	}
	if oldest := owed.OldestOwed; oldest != 0 && h.now().Sub(time.Unix(0, oldest)) > h.config.ErrorAfter {
		problems = append(slices.Clone(problems), store.Problem{
			Name: problemBacklog, Message: "evaluations are owed since " + rest.Time(time.Unix(0, oldest)),
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
