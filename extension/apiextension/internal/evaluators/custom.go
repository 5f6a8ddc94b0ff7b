// SPDX-License-Identifier: Apache-2.0

// Package evaluators serves the evaluators that an environment can use and those that its
// users define. It also runs them apart from monitors: at once, as guards, and as jobs that
// outlast the request.
package evaluators

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// typeJudge is the type of every custom evaluator.
const typeJudge = "LLM_AS_A_JUDGE"

// reservedSlug is the last part of a path that means something else.
const reservedSlug = "custom-evaluator"

// maxReplaceTries is how often an update starts again because an evaluator was
// changed meanwhile.
const maxReplaceTries = 10

// Customs is what custom evaluators ask of the control store, under the contract
// of its collection.
type Customs interface {
	Create(ctx context.Context, c eval.CustomEvaluator) error
	Get(ctx context.Context, env tenant.EnvironmentID, name string) (eval.CustomEvaluator, error)
	Replace(ctx context.Context, c eval.CustomEvaluator) (eval.CustomEvaluator, error)
	Delete(ctx context.Context, env tenant.EnvironmentID, name string) error
}

// API serves evaluators.
type API struct {
	Custom     Customs
	Evaluators *registry.Registry
	Now        func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		ListEvaluators.Serve(rest.InEnvironment(a.list)),
		CreateEvaluator.Serve(rest.InEnvironment(a.create)).Audited("evaluator.create"),
		CreateCustomEvaluator.Serve(rest.InEnvironment(a.create)).Audited("evaluator.create"),
		GetEvaluator.Serve(rest.InEnvironment(a.get)),
		GetEvaluatorSchema.Serve(rest.InEnvironment(a.schema)),
		UpdateEvaluator.Serve(rest.InEnvironment(a.update)).Audited("evaluator.update"),
		DeleteEvaluator.Serve(rest.InEnvironment(a.remove)).Audited("evaluator.delete"),
	}
}

// CustomEvaluator is a created custom evaluator.
type CustomEvaluator struct {
	ID        string `json:"evaluator_id" doc:"Identifies it." schema:"format=uuid"`
	Slug      string `json:"slug" doc:"Names it in paths."`
	Type      string `json:"type" doc:"What kind it is." enum:"LLM_AS_A_JUDGE"`
	VersionID string `json:"version_id" doc:"Identifies its first version." schema:"format=uuid"`
	Bindings  []any  `json:"bindings" doc:"Always empty." schema:"maxItems=0"`
}

// create makes an evaluator of the user's own.
func (a *API) create(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want CustomEvaluatorRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	c, err := want.Define(env.ID, a.Evaluators)
	if err != nil {
		return rest.Response{}, err
	}
	c.CreatedAt = rest.Moment(a.Now())
	c.UpdatedAt = c.CreatedAt
	if err := a.Custom.Create(r.Context(), c); err != nil {
		if fault.Is(err, fault.Conflict) {
			err = fault.Wrap(fault.Conflict, err, "slug %q is taken by another evaluator", c.Slug)
		}
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusOK, Made: []string{c.ID}, Body: CustomEvaluator{
		ID: c.ID, Slug: c.Slug, Type: typeJudge, VersionID: c.VersionID, Bindings: []any{},
	}}, nil
}

// Define returns the first version of the evaluator that an environment would
// get by this definition. It is not stored. What no evaluator can be made of is
// refused with a fault that begins with the name of the field. Whether a custom
// evaluator has the slug already is not looked at.
func (q *CustomEvaluatorRequest) Define(env tenant.EnvironmentID, known *registry.Registry) (eval.CustomEvaluator, error) {
	c := eval.CustomEvaluator{ID: uuid.NewString(), EnvironmentID: env, Version: 1, VersionID: uuid.NewString()}
	q.apply(&c)
	if q.Slug == nil {
		c.Slug = slugOf(c.Name)
	}
	if err := c.Check(); err != nil {
		return eval.CustomEvaluator{}, err
	}
	if err := checkFree(c.Slug, known); err != nil {
		return eval.CustomEvaluator{}, err
	}
	return c, nil
}

var betweenWords = regexp.MustCompile(`[^a-z0-9]+`)

// slugOf makes a slug of a name.
func slugOf(name string) string {
	const enough = 100
	slug := strings.Trim(betweenWords.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimRight(slug[:min(len(slug), enough)], "-")
}

// checkFree refuses slugs that mean something else already.
func checkFree(slug string, known *registry.Registry) error {
	if slug == reservedSlug {
		return fault.New(fault.Invalid, "slug must not be the reserved word %q", slug)
	}
	if known.IsPrebuilt(slug) {
		return fault.New(fault.Conflict, "slug %q is taken by a prebuilt evaluator", slug)
	}
	return nil
}

// CustomEvaluatorChanged says which version an update made.
type CustomEvaluatorChanged struct {
	Evaluator EvaluatorID        `json:"evaluator" doc:"What was changed."`
	Versions  []EvaluatorVersion `json:"versions" doc:"The version that the change made, none if it changed nothing."`
}

// EvaluatorID names an evaluator.
type EvaluatorID struct {
	ID string `json:"id" doc:"Identifies it; of prebuilt evaluators the slug."`
}

// EvaluatorVersion is a version that an update made.
type EvaluatorVersion struct {
	ID      string `json:"id" doc:"Identifies it; of prebuilt evaluators the slug."`
	Version string `json:"version" doc:"The latest version."`
}

// update makes a new version of an evaluator, with what the body has
// and the rest as it was. A body that changes nothing makes none.
func (a *API) update(r *http.Request, env tenant.Environment) (rest.Response, error) {
	name := rest.PathValue(r, "slug")
	if a.Evaluators.IsPrebuilt(name) {
		return rest.Response{}, fault.New(fault.Forbidden, "Not allowed to change a prebuilt evaluator")
	}
	var change CustomEvaluatorChange
	if err := rest.Decode(r, &change); err != nil {
		return rest.Response{}, err
	}
	want := change.request()
	for try := 1; ; try++ {
		was, err := a.Custom.Get(r.Context(), env.ID, name)
		if err != nil {
			return rest.Response{}, err
		}
		next := was
		if err := want.change(&next); err != nil {
			return rest.Response{}, nameUpdateField(err)
		}
		shown := CustomEvaluatorChanged{Versions: []EvaluatorVersion{}}
		shown.Evaluator.ID = was.ID
		if reflect.DeepEqual(was, next) {
			return rest.OK(shown), nil
		}
		stored, err := a.Custom.Replace(r.Context(), a.versionOf(next))
		if err == nil {
			shown.Versions = append(shown.Versions, EvaluatorVersion{stored.VersionID, stored.VersionName()})
			return rest.OK(shown), nil
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return rest.Response{}, err
		}
	}
}

// remove deletes an evaluator with all its versions. One that a setup has is refused:
// the setup would go on without it, and would not say so to anybody who reads its list.
// The store refuses it, also for a setup that takes the evaluator at this very moment.
func (a *API) remove(r *http.Request, env tenant.Environment) (rest.Response, error) {
	name := rest.PathValue(r, "slug")
	if a.Evaluators.IsPrebuilt(name) {
		return rest.Response{}, fault.New(fault.Forbidden, "Not allowed to delete a prebuilt evaluator")
	}
	c, err := a.Custom.Get(r.Context(), env.ID, name)
	if err != nil {
		return rest.Response{}, err
	}
	if err := a.Custom.Delete(r.Context(), env.ID, c.ID); err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusNoContent}, nil
}

// versionOf returns c as a version that is made now, and later than the one
// before whatever the clock says.
func (a *API) versionOf(c eval.CustomEvaluator) eval.CustomEvaluator {
	now := rest.Moment(a.Now())
	if !now.After(c.UpdatedAt) {
		now = c.UpdatedAt.Add(time.Millisecond)
	}
	c.VersionID, c.UpdatedAt = uuid.NewString(), now
	return c
}

// change sets of c what the request has; the slug stays.
func (q *CustomEvaluatorRequest) change(c *eval.CustomEvaluator) error {
	slug := c.Slug
	q.apply(c)
	if c.Slug != slug {
		return fault.New(fault.Invalid, "slug cannot be changed")
	}
	return c.Check()
}
