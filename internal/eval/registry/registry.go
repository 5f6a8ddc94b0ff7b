// SPDX-License-Identifier: Apache-2.0

// Package registry finds evaluators by their names: prebuilt ones, and custom ones
// of an environment.
package registry

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CustomEvaluators looks up the custom evaluators of environments. What is not
// there is refused with a fault of kind NotFound.
type CustomEvaluators interface {
	// Get returns the latest version of the evaluator with this slug or id.
	Get(ctx context.Context, env tenant.EnvironmentID, name string) (eval.CustomEvaluator, error)
	// Revision returns the version with this number or id.
	Revision(ctx context.Context, env tenant.EnvironmentID, name, version string) (eval.CustomEvaluator, error)
	// List returns the latest versions of all that the environment has.
	List(ctx context.Context, env tenant.EnvironmentID) ([]eval.CustomEvaluator, error)
}

// Registry finds evaluators, prebuilt ones in a catalog and custom ones where
// they are kept, and returns both in the same form. It is safe for concurrent
// use.
type Registry struct {
	catalog *eval.Catalog
	defined CustomEvaluators
	judge   func(*eval.CustomEvaluator) eval.JudgeModel
}

// New makes a registry. judge returns the model that a custom evaluator
// asks, nil where none is configured; it is called for each verdict and plan. A
// nil judge is one that never has a model.
func New(catalog *eval.Catalog, custom CustomEvaluators, judge func(*eval.CustomEvaluator) eval.JudgeModel) *Registry {
	if judge == nil {
		judge = func(*eval.CustomEvaluator) eval.JudgeModel { return nil }
	}
	return &Registry{catalog, custom, judge}
}

// Find returns the evaluator that the environment knows under this slug or id.
// Should a release bring a prebuilt evaluator with the slug of a custom one,
// the slug means the prebuilt one and the id still the custom one.
func (r *Registry) Find(ctx context.Context, env tenant.EnvironmentID, name string) (*eval.Evaluator, error) {
	if e, found := r.catalog.Get(name); found {
		return e, nil
	}
	return r.custom(ctx, env, name)
}

// Bound returns the evaluator that something stored names: the custom one of
// this id or, where the id is "", the prebuilt one of the slug. A prebuilt one
// that a release dropped is refused with a fault of kind Invalid.
func (r *Registry) Bound(ctx context.Context, env tenant.EnvironmentID, slug, customID string) (*eval.Evaluator, error) {
	if customID != "" {
		return r.custom(ctx, env, customID)
	}
	e, found := r.catalog.Get(slug)
	if !found {
		return nil, fault.New(fault.Invalid, "evaluator %s is not known to this version", slug)
	}
	return e, nil
}

// Version returns one version of a custom evaluator.
func (r *Registry) Version(ctx context.Context, env tenant.EnvironmentID, name, version string) (*eval.Evaluator, error) {
	c, err := r.defined.Revision(ctx, env, name, version)
	if err != nil {
		return nil, err
	}
	return r.Bind(c), nil
}

// Prebuilt returns the evaluators of the catalog, sorted by slug. The slice is
// the caller's.
func (r *Registry) Prebuilt() []*eval.Evaluator { return r.catalog.All() }

// IsPrebuilt reports whether the catalog has an evaluator of this slug.
func (r *Registry) IsPrebuilt(slug string) bool {
	_, found := r.catalog.Get(slug)
	return found
}

// Custom returns the evaluators that the users of an environment defined.
func (r *Registry) Custom(ctx context.Context, env tenant.EnvironmentID) ([]*eval.Evaluator, error) {
	list, err := r.defined.List(ctx, env)
	if err != nil {
		return nil, err
	}
	all := make([]*eval.Evaluator, len(list))
	for i := range list {
		all[i] = r.Bind(list[i])
	}
	return all, nil
}

// Among returns a registry that knows these custom evaluators and no others.
func (r *Registry) Among(custom []eval.CustomEvaluator) *Registry {
	return &Registry{r.catalog, customList(custom), r.judge}
}

// Snapshot returns a registry of the custom evaluators that the environment has
// now, which asks the store once for all of them.
func (r *Registry) Snapshot(ctx context.Context, env tenant.EnvironmentID) (*Registry, error) {
	list, err := r.defined.List(ctx, env)
	if err != nil {
		return nil, err
	}
	return r.Among(list), nil
}

func (r *Registry) custom(ctx context.Context, env tenant.EnvironmentID, name string) (*eval.Evaluator, error) {
	c, err := r.defined.Get(ctx, env, name)
	if err != nil {
		return nil, err
	}
	return r.Bind(c), nil
}

// Bind returns a custom evaluator, whether or not it is kept anywhere, in the form
// of all others.
func (r *Registry) Bind(c eval.CustomEvaluator) *eval.Evaluator {
	return c.Evaluator(func() eval.JudgeModel { return r.judge(&c) })
}

// customList is custom evaluators in memory, of whatever environment.
type customList []eval.CustomEvaluator

var errNoCustom = fault.New(fault.NotFound, "evaluator not found")

func (l customList) Get(_ context.Context, _ tenant.EnvironmentID, name string) (eval.CustomEvaluator, error) {
	return l.first(func(c eval.CustomEvaluator) bool { return c.ID == name || c.Slug == name })
}

func (l customList) Revision(_ context.Context, _ tenant.EnvironmentID, name, version string) (eval.CustomEvaluator, error) {
	return l.first(func(c eval.CustomEvaluator) bool { return (c.ID == name || c.Slug == name) && c.VersionID == version })
}

func (l customList) List(context.Context, tenant.EnvironmentID) ([]eval.CustomEvaluator, error) {
	return l, nil
}

func (l customList) first(is func(eval.CustomEvaluator) bool) (eval.CustomEvaluator, error) {
	at := slices.IndexFunc(l, is)
	if at < 0 {
		return eval.CustomEvaluator{}, errNoCustom
	}
	return l[at], nil
}
