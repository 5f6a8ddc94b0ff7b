// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxReplaceTries is how often an update begins anew because a setup moved on
// meanwhile, which its status does by itself.
const maxReplaceTries = 10

func (a *api) createSetup(r *http.Request, env tenant.Environment) (answer, error) {
	var want setupRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	s, err := want.setup(a.catalog)
	if err != nil {
		return answer{}, a.whyUnknown(r.Context(), env, err)
	}
	s.ID = uuid.NewString()
	s.OrganizationID, s.ProjectID, s.EnvironmentID = env.OrganizationID, env.ProjectID, env.ID
	s.Status, s.Revision, s.Generation = monitor.Pending, 1, 1
	s.CreatedAt = a.moment()
	s.UpdatedAt = s.CreatedAt
	err = a.control.CreateSetup(r.Context(), s)
	if fault.Is(err, fault.Conflict) {
		return answer{}, fault.Wrap(fault.Conflict, err, "external_id is taken by another auto monitor setup")
	}
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: a.showSetup(s)}, nil
}

func (a *api) listSetups(r *http.Request, env tenant.Environment) (answer, error) {
	values, err := query(r)
	if err != nil {
		return answer{}, err
	}
	list, err := a.control.ListSetups(r.Context(), env.ID, store.SetupFilter{
		Status:     monitor.Status(values.Get("status")),
		ExternalID: values.Get("external_id"),
		EntityType: values.Get("entity_type"),
	})
	if err != nil {
		return answer{}, err
	}
	shown := make([]setupAnswer, len(list))
	for i, s := range list {
		shown[i] = a.showSetup(s)
	}
	return answer{status: http.StatusOK, body: shown}, nil
}

func (a *api) getSetup(r *http.Request, env tenant.Environment) (answer, error) {
	s, err := a.control.Setup(r.Context(), env.ID, pathValue(r, "name"))
	if err != nil {
		return answer{}, noSetup(err)
	}
	return answer{status: http.StatusOK, body: a.showSetup(s)}, nil
}

// updateSetup replaces what the body has and leaves the rest; either way the
// setup begins again.
func (a *api) updateSetup(r *http.Request, env tenant.Environment) (answer, error) {
	var want setupRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	change, err := want.change(a.catalog)
	if err != nil {
		return answer{}, a.whyUnknown(r.Context(), env, err)
	}
	for try := 1; ; try++ {
		s, err := a.control.Setup(r.Context(), env.ID, pathValue(r, "name"))
		if err != nil {
			return answer{}, noSetup(err)
		}
		if err := want.keepsNames(&s); err != nil {
			return answer{}, err
		}
		s = change.apply(s, a.moment())
		stored, err := a.control.ReplaceSetup(r.Context(), s)
		if err == nil {
			return answer{status: http.StatusOK, body: a.showSetup(stored)}, nil
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return answer{}, noSetup(err)
		}
	}
}

func (a *api) deleteSetup(r *http.Request, env tenant.Environment) (answer, error) {
	if err := a.control.DeleteSetup(r.Context(), env.ID, pathValue(r, "name")); err != nil {
		return answer{}, noSetup(err)
	}
	return answer{status: http.StatusNoContent}, nil
}

func noSetup(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Wrap(fault.NotFound, err, "auto monitor setup not found")
	}
	return err
}

// setupChange is what an update replaces: nil stays.
type setupChange struct {
	selector   *monitor.Selector
	evaluators []monitor.SetupEvaluator
}

// apply gives the setup as the user wishes it from now on.
func (c *setupChange) apply(s monitor.Setup, now time.Time) monitor.Setup {
	if c.selector != nil {
		s.Selector = *c.selector
	}
	slugs := s.Evaluators
	if c.evaluators != nil {
		slugs = c.evaluators
	}
	if c.selector != nil || c.evaluators != nil {
		s.Generation++
	}
	s.Evaluators = make([]monitor.SetupEvaluator, len(slugs))
	for i := range slugs {
		s.Evaluators[i] = monitor.SetupEvaluator{Slug: slugs[i].Slug, Status: monitor.Pending}
	}
	s.Status = monitor.Pending
	// Later than before, whatever the clock says.
	if !now.After(s.UpdatedAt) {
		now = s.UpdatedAt.Add(time.Millisecond)
	}
	s.UpdatedAt = now
	return s
}
