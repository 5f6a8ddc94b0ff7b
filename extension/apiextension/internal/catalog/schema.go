// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// schemaAnswer is all that a form for an evaluator is made of.
type schemaAnswer struct {
	Slug    string `json:"slug"`
	Version string `json:"version"`
	// Input, Config and Output are JSON Schemas.
	Input  map[string]any `json:"input"`
	Config map[string]any `json:"config"`
	Output map[string]any `json:"output"`
	// Parts are the parts of spans that fill inputs by default, and Good the values
	// by which outputs speak for what was judged; by names of fields.
	Parts    map[string]span.Part `json:"span_parts"`
	Good     map[string]any       `json:"good"`
	Backends []backendAnswer      `json:"backends"`
	// Auto is what would judge if the choice is left to the evaluator; "" where
	// nothing can.
	Auto     eval.Backend    `json:"auto"`
	Examples []exampleAnswer `json:"examples"`
}

// backendAnswer is one way to judge.
type backendAnswer struct {
	Backend   eval.Backend `json:"backend"`
	Available bool         `json:"available"`
	Needs     string       `json:"needs,omitempty"` // what is to be configured
}

type exampleAnswer struct {
	About  string          `json:"about"`
	Input  json.RawMessage `json:"input"`
	Config json.RawMessage `json:"config,omitempty"`
	Output json.RawMessage `json:"output"`
	Judge  bool            `json:"judge"` // the output is a judge's, which may say something else
}

// schema answers what an evaluator takes and gives, and what can judge now.
func (a *API) schema(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return rest.Response{}, err
	}
	shown := schemaAnswer{
		Slug: e.Slug, Version: e.VersionName(), Input: e.InputSchema(), Config: e.ConfigSchema(), Output: e.OutputSchema(),
		Parts: map[string]span.Part{}, Good: map[string]any{}, Examples: examplesOf(e),
	}
	for i := range e.Input {
		if f := &e.Input[i]; f.Part != "" {
			shown.Parts[f.Name] = f.Part
		}
	}
	for i := range e.Output {
		if good := e.GoodOf(i); good != nil {
			shown.Good[e.Output[i].Name] = good
		}
	}
	for _, b := range e.Backends() {
		can := backendAnswer{Backend: b, Available: true}
		if err := e.Available(b); err != nil {
			can.Available, can.Needs = false, fault.Message(err)
		}
		shown.Backends = append(shown.Backends, can)
	}
	if plan, err := e.Auto(); err == nil {
		shown.Auto = plan.Backend
	}
	return rest.OK(shown), nil
}

// examplesOf returns the examples of an evaluator that have a verdict.
func examplesOf(e *eval.Evaluator) []exampleAnswer {
	shown := []exampleAnswer{}
	for judge, list := range [...][]eval.Example{e.Examples, e.JudgeExamples} {
		for _, x := range list {
			if x.Want == "" {
				continue
			}
			shown = append(shown, exampleAnswer{
				About: x.About, Input: json.RawMessage(x.Input), Config: json.RawMessage(x.Config), Output: json.RawMessage(x.Want), Judge: judge == 1,
			})
		}
	}
	return shown
}
