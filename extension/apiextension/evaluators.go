// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type executeRequest struct {
	Input  json.RawMessage `json:"input"`
	Config json.RawMessage `json:"config"`
}

// judgement is a verdict and the evaluator that came to it.
type judgement struct {
	slug   string
	result eval.Result
}

// execute runs one evaluator and says what computed the verdict.
func (a *api) execute(r *http.Request, env tenant.Environment) (answer, error) {
	asWritten := func(_ *evaluator, input json.RawMessage) json.RawMessage { return input }
	judged, err := a.judge(r, env, asWritten)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, header: verdictHeader(judged.result), body: judged.result}, nil
}

// judge runs the evaluator that the path names on the body, with the input that
// meant makes of the one that was written.
func (a *api) judge(
	r *http.Request, env tenant.Environment, meant func(e *evaluator, input json.RawMessage) json.RawMessage,
) (judgement, error) {
	evaluator, err := a.find(r.Context(), env, pathValue(r, "slug"))
	if err != nil {
		return judgement{}, err
	}
	var want executeRequest
	if err := decode(r, &want); err != nil {
		return judgement{}, err
	}
	result, err := evaluator.run(r.Context(), meant(evaluator, want.Input), want.Config)
	return judgement{evaluator.slug, result}, err
}

// verdictHeader says what computed a verdict and, where that depends on the
// language, which it took the text for.
func verdictHeader(r eval.Result) http.Header {
	h := http.Header{"X-Evaluator-Backend": {string(r.Backend)}}
	if r.Language != "" {
		h.Set("X-Evaluator-Language", r.Language)
	}
	return h
}

// evaluator is one that can be called, whoever defined it.
type evaluator struct {
	slug     string
	version  string
	custom   bool
	required []string // inputs
	run      func(ctx context.Context, input, config json.RawMessage) (eval.Result, error)
	// checkConfig refuses what run would refuse whatever the input is.
	checkConfig func(config json.RawMessage) error
}

// find gives the evaluator that the environment knows under this slug or id.
// Should a release bring a prebuilt evaluator with the slug of a custom one,
// the slug means the prebuilt one and the id still the custom one.
func (a *api) find(ctx context.Context, env tenant.Environment, name string) (*evaluator, error) {
	if e, found := a.catalog.Get(name); found {
		return prebuilt(e), nil
	}
	c, err := a.evaluators().Get(ctx, env.ID, name)
	if err != nil {
		return nil, err
	}
	return a.custom(c), nil
}

// inVersion gives an evaluator in another version than the latest.
func (a *api) inVersion(ctx context.Context, env tenant.Environment, e *evaluator, version string) (*evaluator, error) {
	unknown := fault.New(fault.Invalid, "evaluator_version: unknown version %.100q", version)
	if !e.custom {
		return nil, unknown
	}
	c, err := a.evaluators().Revision(ctx, env.ID, e.slug, strings.TrimPrefix(version, "v"))
	if fault.Is(err, fault.NotFound) {
		return nil, unknown
	}
	if err != nil {
		return nil, err
	}
	return a.custom(c), nil
}

func prebuilt(e *eval.Evaluator) *evaluator {
	return callable(e, prebuiltVersion)
}

func (a *api) custom(c eval.Custom) *evaluator {
	found := callable(a.knownCustom(c).Evaluator, versionName(c))
	found.custom = true
	return found
}

func callable(e *eval.Evaluator, version string) *evaluator {
	found := &evaluator{slug: e.Slug, version: version, checkConfig: e.CheckConfig}
	for _, f := range e.Input {
		if f.Required {
			found.required = append(found.required, f.Name)
		}
	}
	found.run = e.FromJSON
	return found
}
