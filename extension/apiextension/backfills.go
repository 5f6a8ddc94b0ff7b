// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type backfillAnswer struct {
	ID           string                 `json:"id"`
	SetupID      string                 `json:"setup_id"`
	ExternalID   string                 `json:"external_id"`
	From         int64                  `json:"from_timestamp_sec"`
	To           int64                  `json:"to_timestamp_sec"`
	Status       monitor.BackfillStatus `json:"status"`
	Total        int64                  `json:"total"`
	Seen         int64                  `json:"seen"`
	Matched      int64                  `json:"matched"`
	ErrorMessage string                 `json:"error_message,omitempty"`
	CreatedAt    string                 `json:"created_at"`
	UpdatedAt    string                 `json:"updated_at"`
}

// showBackfill gives a backfill of the setup s as the API shows it. Both ends
// are shown as whole seconds within which the period lies.
func showBackfill(s *monitor.Setup, b *monitor.Backfill) backfillAnswer {
	return backfillAnswer{
		ID: b.ID, SetupID: s.ID, ExternalID: s.ExternalID,
		From: wholeSeconds(b.From), To: -wholeSeconds(-b.To),
		Status: b.Status, Total: b.Total, Seen: b.Seen, Matched: b.Matched, ErrorMessage: b.ErrorMessage,
		CreatedAt: isoTime(b.CreatedAt), UpdatedAt: isoTime(b.UpdatedAt),
	}
}

// createBackfill begins to judge stored spans of a period as the setup judges
// those that come.
func (a *api) createBackfill(r *http.Request, env tenant.Environment) (answer, error) {
	s, err := a.setups().Get(r.Context(), env.ID, pathValue(r, "name"))
	if err != nil {
		return answer{}, noSetup(err)
	}
	var want periodRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	from, to, err := want.period(a.now().UnixNano())
	if err != nil {
		return answer{}, err
	}
	now := a.moment()
	b := monitor.Backfill{
		ID: uuid.NewString(), EnvironmentID: env.ID, SetupID: s.ID, From: from, To: to,
		Status: monitor.BackfillPending, Revision: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := a.backfills().Create(r.Context(), b); err != nil {
		return answer{}, err
	}
	location := "/v2/auto-monitor-setups/" + s.ID + "/backfill/" + b.ID
	return answer{status: http.StatusAccepted, header: http.Header{"Location": {location}}, body: showBackfill(&s, &b)}, nil
}

func (a *api) listBackfills(r *http.Request, env tenant.Environment) (answer, error) {
	s, err := a.setups().Get(r.Context(), env.ID, pathValue(r, "name"))
	if err != nil {
		return answer{}, noSetup(err)
	}
	list, err := a.backfills().Filter(r.Context(), store.DocumentFilter{Environment: env.ID, Parent: s.ID})
	if err != nil {
		return answer{}, err
	}
	shown := make([]backfillAnswer, len(list))
	for i := range list {
		shown[i] = showBackfill(&s, &list[i])
	}
	return answer{status: http.StatusOK, body: shown}, nil
}

func (a *api) getBackfill(r *http.Request, env tenant.Environment) (answer, error) {
	s, b, err := a.findBackfill(r, env)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: showBackfill(&s, &b)}, nil
}

// cancelBackfill stops a backfill where it is: verdicts that are there stay.
func (a *api) cancelBackfill(r *http.Request, env tenant.Environment) (answer, error) {
	for try := 1; ; try++ {
		s, b, err := a.findBackfill(r, env)
		if err != nil {
			return answer{}, err
		}
		if b.Status.Over() {
			return answer{}, fault.New(fault.Conflict, "the backfill is over: it is %s", b.Status)
		}
		b.Status, b.UpdatedAt = monitor.BackfillCancelled, a.moment()
		stored, err := a.backfills().Replace(r.Context(), b)
		if err == nil {
			return answer{status: http.StatusOK, body: showBackfill(&s, &stored)}, nil
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return answer{}, err
		}
	}
}

func (a *api) findBackfill(r *http.Request, env tenant.Environment) (monitor.Setup, monitor.Backfill, error) {
	s, err := a.setups().Get(r.Context(), env.ID, pathValue(r, "name"))
	if err != nil {
		return s, monitor.Backfill{}, noSetup(err)
	}
	b, err := a.backfills().Get(r.Context(), env.ID, pathValue(r, "id"))
	if err == nil && b.SetupID != s.ID {
		err = store.BackfillKind.NotFound()
	}
	return s, b, err
}
