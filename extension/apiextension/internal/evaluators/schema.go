// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// EvaluatorSchema is all that a form for an evaluator is made of.
type EvaluatorSchema struct {
	Slug     string               `json:"slug" doc:"Names it in paths."`
	Version  string               `json:"version" doc:"The latest version."`
	Input    map[string]any       `json:"input" doc:"The JSON Schema of the input."`
	Config   map[string]any       `json:"config" doc:"The JSON Schema of the config, with defaults and bounds."`
	Output   map[string]any       `json:"output" doc:"The JSON Schema of the verdict."`
	Parts    map[string]span.Part `json:"span_parts" doc:"The parts of a span that fill inputs by default, by the names of inputs."`
	Good     map[string]any       `json:"good" doc:"The values by which outputs speak for what was judged, by the names of outputs; others speak neither for it nor against it." items:"schema:\"types=boolean,string\""`
	Backends []EvaluatorBackend   `json:"backends" doc:"What may judge, the best first: what config.backend may be besides auto, where there is that field." schema:"minItems=1"`
	Auto     eval.Backend         `json:"auto" doc:"What judges now if the choice is left to the evaluator; empty where nothing can." enum:",deterministic,embedded,judge,embedding,classifier"`
	Examples []EvaluatorExample   `json:"examples" doc:"Calls and what they came to."`
}

// EvaluatorBackend is one way to judge.
type EvaluatorBackend struct {
	Backend   eval.Backend `json:"backend" doc:"The backend." enum:"deterministic,embedded,judge,embedding,classifier"`
	Available bool         `json:"available" doc:"Whether it can judge now."`
	Needs     string       `json:"needs,omitempty" doc:"What is to be configured, where it cannot."`
}

// EvaluatorExample is an input with the output that it gives.
type EvaluatorExample struct {
	About  string          `json:"about" doc:"What the example shows; may be empty."`
	Input  json.RawMessage `json:"input" doc:"The input." schema:"types=object"`
	Config json.RawMessage `json:"config,omitempty" doc:"The config, where there is one." schema:"types=object"`
	Output json.RawMessage `json:"output" doc:"The verdict." schema:"types=object"`
	Judge  bool            `json:"judge" doc:"Whether a judge is asked, which may say something else."`
}

// schema answers what an evaluator takes and gives, and what can judge now.
func (a *API) schema(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return rest.Response{}, err
	}
	shown := EvaluatorSchema{
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
		can := EvaluatorBackend{Backend: b, Available: true}
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
func examplesOf(e *eval.Evaluator) []EvaluatorExample {
	shown := []EvaluatorExample{}
	for judge, list := range [...][]eval.Example{e.Examples, e.JudgeExamples} {
		for _, x := range list {
			if x.Want == "" {
				continue
			}
			shown = append(shown, EvaluatorExample{
				About: x.About, Input: json.RawMessage(x.Input), Config: json.RawMessage(x.Config), Output: json.RawMessage(x.Want), Judge: judge == 1,
			})
		}
	}
	return shown
}

// AmendSchema says that its schemas are those of objects.
func (EvaluatorSchema) AmendSchema(schema map[string]any) {
	properties := schema["properties"].(map[string]any)
	for _, name := range []string{"input", "config", "output"} {
		properties[name].(map[string]any)["required"] = []string{"type", "properties"}
	}
}
