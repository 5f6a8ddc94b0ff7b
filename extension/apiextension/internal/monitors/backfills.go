// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Backfill is a backfill of a setup, and how far it is.
type Backfill struct {
	ID           string                 `json:"id" doc:"Assigned by the service."`
	SetupID      string                 `json:"setup_id" doc:"The setup."`
	ExternalID   string                 `json:"external_id" doc:"Its name."`
	From         int64                  `json:"from_timestamp_sec" doc:"The beginning of the period."`
	To           int64                  `json:"to_timestamp_sec" doc:"Its end."`
	Status       monitor.BackfillStatus `json:"status" doc:"How far it got." enum:"pending,running,completed,cancelled,failed"`
	Total        int64                  `json:"total" doc:"How many spans there are to look at, once it runs."`
	Seen         int64                  `json:"seen" doc:"How many were looked at."`
	Matched      int64                  `json:"matched" doc:"How many of them matched."`
	ErrorMessage string                 `json:"error_message,omitempty" doc:"Why it cannot go on."`
	CreatedAt    string                 `json:"created_at" doc:"When it was created." schema:"format=date-time"`
	UpdatedAt    string                 `json:"updated_at" doc:"When it last changed." schema:"format=date-time"`
}

// showBackfill returns a backfill of the setup s as the API shows it. Both ends
// are shown as whole seconds within which the period lies.
func showBackfill(s *monitor.Setup, b *monitor.Backfill) Backfill {
	return Backfill{
		ID: b.ID, SetupID: s.ID, ExternalID: s.ExternalID,
		From: rest.WholeSeconds(b.From), To: -rest.WholeSeconds(-b.To),
		Status: b.Status, Total: b.Total, Seen: b.Seen, Matched: b.Matched, ErrorMessage: b.ErrorMessage,
		CreatedAt: rest.Time(b.CreatedAt), UpdatedAt: rest.Time(b.UpdatedAt),
	}
}

// createBackfill begins to judge stored spans of a period as the setup judges
// those that come.
func (a *API) createBackfill(r *http.Request, env tenant.Environment) (rest.Response, error) {
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	var want rest.Period
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	if err := a.Usage.MayOwe(r.Context(), env); err != nil {
		return rest.Response{}, err
	}
	from, to, err := want.Bounds(a.Now().UnixNano())
	if err != nil {
		return rest.Response{}, err
	}
	now := rest.Moment(a.Now())
	b := monitor.Backfill{
		ID: uuid.NewString(), EnvironmentID: env.ID, SetupID: s.ID, From: from, To: to,
		Decided: a.decided(r.Context(), &s), Status: monitor.BackfillPending, Revision: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := a.Backfills.Create(r.Context(), b); err != nil {
		return rest.Response{}, err
	}
	location := "/v2/auto-monitor-setups/" + s.ID + "/backfill/" + b.ID
	return rest.Response{Status: http.StatusAccepted, Header: http.Header{"Location": {location}}, Body: showBackfill(&s, &b), Made: []string{b.ID}}, nil
}

// decided returns what is to judge for a setup with the models that there are here: the
// process that carries a backfill out may have others.
func (a *API) decided(ctx context.Context, s *monitor.Setup) map[string]eval.Backend {
	return monitor.Compile(s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return a.Evaluators.Bound(ctx, s.EnvironmentID, w.Slug, w.CustomID)
	}).Decided()
}

func (a *API) listBackfills(r *http.Request, env tenant.Environment) (rest.Response, error) {
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	list, err := a.Backfills.Filter(r.Context(), store.DocumentFilter{Environment: env.ID, Parent: s.ID})
	if err != nil {
		return rest.Response{}, err
	}
	shown := make([]Backfill, len(list))
	for i := range list {
		shown[i] = showBackfill(&s, &list[i])
	}
	return rest.OK(shown), nil
}

func (a *API) getBackfill(r *http.Request, env tenant.Environment) (rest.Response, error) {
	s, b, err := a.findBackfill(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(showBackfill(&s, &b)), nil
}

// cancelBackfill stops a backfill where it is: verdicts that are there stay.
func (a *API) cancelBackfill(r *http.Request, env tenant.Environment) (rest.Response, error) {
	for try := 1; ; try++ {
		s, b, err := a.findBackfill(r, env)
		if err != nil {
			return rest.Response{}, err
		}
		if b.Status.Over() {
			return rest.Response{}, fault.New(fault.Conflict, "the backfill is over: it is %s", b.Status)
		}
		b.Status, b.UpdatedAt = monitor.BackfillCancelled, rest.Moment(a.Now())
		stored, err := a.Backfills.Replace(r.Context(), b)
		if err == nil {
			return rest.OK(showBackfill(&s, &stored)), nil
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return rest.Response{}, err
		}
	}
}

func (a *API) findBackfill(r *http.Request, env tenant.Environment) (monitor.Setup, monitor.Backfill, error) {
	s, err := a.find(r, env)
	if err != nil {
		return s, monitor.Backfill{}, err
	}
	b, err := a.Backfills.Get(r.Context(), env.ID, rest.PathValue(r, "id"))
	if err == nil && b.SetupID != s.ID {
		err = store.BackfillKind.NotFound()
	}
	return s, b, err
}
