// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
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
	s, err := want.setup(a.finder(r.Context(), env))
	if err != nil {
		return answer{}, err
	}
	s = a.newSetup(s, env)
	err = a.setups().Create(r.Context(), s)
	if fault.Is(err, fault.Conflict) {
		return answer{}, fault.Wrap(fault.Conflict, err, "external_id is taken by another auto monitor setup")
	}
	if err != nil {
		return answer{}, err
	}
	return a.answerSetup(r, env, http.StatusCreated, s)
}

// newSetup gives a wish the fields that the service decides.
func (a *api) newSetup(s monitor.Setup, env tenant.Environment) monitor.Setup {
	s.ID = uuid.NewString()
	s.OrganizationID, s.ProjectID, s.EnvironmentID = env.OrganizationID, env.ProjectID, env.ID
	s.Status, s.Revision, s.Generation = monitor.Pending, 1, 1
	s.CreatedAt = a.moment()
	s.UpdatedAt = s.CreatedAt
	return s
}

func (a *api) answerSetup(r *http.Request, env tenant.Environment, status int, s monitor.Setup) (answer, error) {
	shown, err := a.showSetups(r.Context(), env, []monitor.Setup{s})
	if err != nil {
		return answer{}, err
	}
	return answer{status: status, body: shown[0]}, nil
}

func (a *api) listSetups(r *http.Request, env tenant.Environment) (answer, error) {
	values, err := parameters(r)
	if err != nil {
		return answer{}, err
	}
	list, err := a.setups().List(r.Context(), env.ID)
	if err != nil {
		return answer{}, err
	}
	is := func(parameter, value string) bool {
		return values.Get(parameter) == "" || values.Get(parameter) == value
	}
	list = slices.DeleteFunc(list, func(s monitor.Setup) bool {
		return !is("status", string(s.Status)) || !is("external_id", s.ExternalID) || !is("entity_type", s.EntityType)
	})
	shown, err := a.showSetups(r.Context(), env, list)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: shown}, nil
}

func (a *api) getSetup(r *http.Request, env tenant.Environment) (answer, error) {
	s, err := a.setups().Get(r.Context(), env.ID, pathValue(r, "name"))
	if err != nil {
		return answer{}, noSetup(err)
	}
	return a.answerSetup(r, env, http.StatusOK, s)
}

// updateSetup replaces what the body has and leaves the rest; either way the
// setup begins again.
func (a *api) updateSetup(r *http.Request, env tenant.Environment) (answer, error) {
	var want setupRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	change, err := want.change(a.finder(r.Context(), env))
	if err != nil {
		return answer{}, err
	}
	for try := 1; ; try++ {
		s, err := a.setups().Get(r.Context(), env.ID, pathValue(r, "name"))
		if err != nil {
			return answer{}, noSetup(err)
		}
		if s, err = change.apply(s, a.moment()); err != nil {
			return answer{}, err
		}
		stored, err := a.setups().Replace(r.Context(), s)
		if err == nil {
			return a.answerSetup(r, env, http.StatusOK, stored)
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return answer{}, noSetup(err)
		}
	}
}

func (a *api) deleteSetup(r *http.Request, env tenant.Environment) (answer, error) {
	if err := a.setups().Delete(r.Context(), env.ID, pathValue(r, "name")); err != nil {
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
