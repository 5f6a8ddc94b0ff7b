// SPDX-License-Identifier: Apache-2.0

// Package monitors serves auto monitor setups: making, changing and showing them, what became
// of their spans, backfills of old spans, previews, explanations, and bundles for sidecars.
package monitors

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxReplaceTries is how often an update begins again because a setup moved on
// meanwhile, which its status does by itself.
const maxReplaceTries = 10

// Setups is what setups ask of the control store, under the contract of its
// collection.
type Setups interface {
	Create(ctx context.Context, s monitor.Setup) error
	Get(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error)
	List(ctx context.Context, env tenant.EnvironmentID) ([]monitor.Setup, error)
	Replace(ctx context.Context, s monitor.Setup) (monitor.Setup, error)
	Delete(ctx context.Context, env tenant.EnvironmentID, name string) error
}

// Backfills is what backfills ask of the control store, under the contract of
// its collection.
type Backfills interface {
	Create(ctx context.Context, b monitor.Backfill) error
	Get(ctx context.Context, env tenant.EnvironmentID, id string) (monitor.Backfill, error)
	Filter(ctx context.Context, f store.DocumentFilter) ([]monitor.Backfill, error)
	Replace(ctx context.Context, b monitor.Backfill) (monitor.Backfill, error)
}

// Records is the part of store.Engine that is needed here.
type Records interface {
	store.Searcher
	store.SpanReader
	store.EvaluationReader
	store.Aggregator
}

// API serves setups.
type API struct {
	Setups Setups
	// Live returns the setups of an environment from memory.
	Live       func(tenant.EnvironmentID) []monitor.Setup
	Backfills  Backfills
	Records    Records
	Evaluators *registry.Registry
	// Usage says whether an environment may have more pending evaluations.
	Usage interface {
		MayOwe(ctx context.Context, env tenant.Environment) error
	}
	// Tell returns what a caller learns of an error.
	Tell func(r *http.Request, err error) (fault.Kind, string)
	// Timeout is how long a request may take.
	Timeout time.Duration
	Now     func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		CreateAutoMonitorSetup.Serve(rest.InEnvironment(a.create)).Audited("setup.create"),
		ListAutoMonitorSetups.Serve(rest.InEnvironment(a.list)),
		PutAutoMonitorSetups.Serve(rest.InEnvironment(a.putAll)).Audited("setup.put-many"),
		GetAutoMonitorSetup.Serve(rest.InEnvironment(a.get)),
		UpdateAutoMonitorSetup.Serve(rest.InEnvironment(a.update)).Audited("setup.update"),
		DeleteAutoMonitorSetup.Serve(rest.InEnvironment(a.remove)).Audited("setup.delete"),
		GetAutoMonitorSetupStatus.Serve(rest.InEnvironment(a.status)),
		GetAutoMonitorSetupFunnel.Serve(rest.InEnvironment(a.funnel)),
		CreateBackfill.Serve(rest.InEnvironment(a.createBackfill)).Audited("backfill.create"),
		ListBackfills.Serve(rest.InEnvironment(a.listBackfills)),
		GetBackfill.Serve(rest.InEnvironment(a.getBackfill)),
		CancelBackfill.Serve(rest.InEnvironment(a.cancelBackfill)).Audited("backfill.cancel"),
	}
}

func (a *API) create(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want SetupRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	s, err := want.setup(a.finder(r.Context(), env))
	if err != nil {
		return rest.Response{}, err
	}
	s = a.newSetup(s, env)
	if err := a.bounded(&s); err != nil {
		return rest.Response{}, err
	}
	err = a.Setups.Create(r.Context(), s)
	if fault.Is(err, fault.Conflict) {
		return rest.Response{}, fault.Wrap(fault.Conflict, err, "external_id is taken by another auto monitor setup")
	}
	if err != nil {
		return rest.Response{}, err
	}
	return a.answer(r, env, http.StatusCreated, s)
}

// bounded refuses a setup with which more evaluations of one span would be asked
// for than are made, unless there are fewer than before.
func (a *API) bounded(s *monitor.Setup) error {
	live := a.Live(s.EnvironmentID)
	n := monitor.Evaluations(live, s)
	if n <= monitor.MaxEvaluations || n <= monitor.Evaluations(live, nil) {
		return nil
	}
	return fault.New(fault.Invalid,
		"evaluators: with the other auto monitor setups there would be %d evaluations of one span, and at most %d are made", n, monitor.MaxEvaluations)
}

// finder returns what finds the evaluators of an environment.
func (a *API) finder(ctx context.Context, env tenant.Environment) FindEvaluator {
	return func(name string) (*eval.Evaluator, error) { return a.Evaluators.Find(ctx, env.ID, name) }
}

// newSetup returns a setup with the fields that the service decides.
func (a *API) newSetup(s monitor.Setup, env tenant.Environment) monitor.Setup {
	s.ID = uuid.NewString()
	s.OrganizationID, s.ProjectID, s.EnvironmentID = env.OrganizationID, env.ProjectID, env.ID
	s.Status, s.Revision, s.Generation = monitor.Pending, 1, 1
	s.CreatedAt = rest.Moment(a.Now())
	s.UpdatedAt = s.CreatedAt
	if s.Paused {
		s.PausedSince = s.CreatedAt
	}
	return s
}

func (a *API) answer(r *http.Request, env tenant.Environment, status int, s monitor.Setup) (rest.Response, error) {
	shown, err := a.show(r.Context(), env, []monitor.Setup{s})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: status, Header: http.Header{"Etag": {tagOf(&s)}}, Body: shown[0], Made: []string{s.ID}}, nil
}

func (a *API) list(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	list, err := a.Setups.List(r.Context(), env.ID)
	if err != nil {
		return rest.Response{}, err
	}
	is := func(parameter, value string) bool {
		return values.Get(parameter) == "" || values.Get(parameter) == value
	}
	list = slices.DeleteFunc(list, func(s monitor.Setup) bool {
		return !is("status", string(s.Status)) || !is("external_id", s.ExternalID) || !is("entity_type", s.EntityType)
	})
	shown, err := a.show(r.Context(), env, list)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown), nil
}

func (a *API) get(r *http.Request, env tenant.Environment) (rest.Response, error) {
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	return a.answer(r, env, http.StatusOK, s)
}

// find returns the setup that the path names.
func (a *API) find(r *http.Request, env tenant.Environment) (monitor.Setup, error) {
	s, err := a.Setups.Get(r.Context(), env.ID, rest.PathValue(r, "name"))
	return s, noSetup(err)
}

// update replaces what the body has and leaves the rest; either way the setup
// begins again, unless it is only paused or resumed.
func (a *API) update(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want SetupRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	change, err := want.change(a.finder(r.Context(), env))
	if err != nil {
		return rest.Response{}, err
	}
	for try := 1; ; try++ {
		s, err := a.find(r, env)
		if err != nil {
			return rest.Response{}, err
		}
		if !meant(r, &s) {
			return rest.Response{}, errChanged
		}
		if s, err = change.apply(s, rest.Moment(a.Now())); err != nil {
			return rest.Response{}, err
		}
		if err := a.bounded(&s); err != nil {
			return rest.Response{}, err
		}
		stored, err := a.Setups.Replace(r.Context(), s)
		if err == nil {
			return a.answer(r, env, http.StatusOK, stored)
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return rest.Response{}, noSetup(err)
		}
	}
}

func (a *API) remove(r *http.Request, env tenant.Environment) (rest.Response, error) {
	if err := a.Setups.Delete(r.Context(), env.ID, rest.PathValue(r, "name")); err != nil {
		return rest.Response{}, noSetup(err)
	}
	return rest.Response{Status: http.StatusNoContent}, nil
}

func noSetup(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Wrap(fault.NotFound, err, "auto monitor setup not found")
	}
	return err
}
