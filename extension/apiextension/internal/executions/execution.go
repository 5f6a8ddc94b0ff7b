// SPDX-License-Identifier: Apache-2.0

package executions

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type executionRequest struct {
	Inputs map[string]struct {
		Source json.RawMessage `json:"source"`
	} `json:"input_schema_mapping"`
	Config  json.RawMessage `json:"evaluator_config"`
	Version string          `json:"evaluator_version"`
}

// executionAnswer says where the result will be. The URL is relative to /v2.
type executionAnswer struct {
	ID        string `json:"execution_id"`
	StreamURL string `json:"stream_url"`
}

// executedAnswer is the result of an execution.
type executedAnswer struct {
	ID     string `json:"execution_id"`
	Result struct {
		Evaluator eval.Result `json:"evaluator_result"`
	} `json:"result"`
}

// mappingField and configField are how an execution's user writes what the
// evaluator calls input and config.
const (
	mappingField = "input_schema_mapping"
	configField  = "evaluator_config"
)

// start begins an evaluation and does not wait for it.
func (a *API) start(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return rest.Response{}, err
	}
	var want executionRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	if want.Version != "" && want.Version != e.VersionName() {
		if e, err = a.inVersion(r.Context(), env, e, want.Version); err != nil {
			return rest.Response{}, err
		}
	}
	input, err := want.input(e)
	if err != nil {
		return rest.Response{}, err
	}
	if err := e.CheckConfig(want.Config); err != nil {
		return rest.Response{}, renameField(err)
	}
	with, record := a.paid(r.Context(), env, e)
	x, err := a.Jobs.start(r.Context(), env.ID, input, want.Config, func(ctx context.Context, input, config json.RawMessage) (eval.Result, error) {
		defer record()
		return with.FromJSON(tenant.WithEnvironment(ctx, env.ID), input, config)
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(executionAnswer{ID: x.id, StreamURL: "/executions/" + x.id + "/stream"}), nil
}

// inVersion returns an evaluator in another version than the latest.
func (a *API) inVersion(ctx context.Context, env tenant.Environment, e *eval.Evaluator, version string) (*eval.Evaluator, error) {
	unknown := fault.New(fault.Invalid, "evaluator_version: unknown version %.100q", version)
	if e.Custom == nil {
		return nil, unknown
	}
	older, err := a.Evaluators.Version(ctx, env.ID, e.Slug, strings.TrimPrefix(version, "v"))
	if fault.Is(err, fault.NotFound) {
		return nil, unknown
	}
	return older, err
}

// stream waits for an execution and answers its result: one object,
// since that is what clients read under this name.
func (a *API) stream(r *http.Request, env tenant.Environment) (rest.Response, error) {
	x, found := a.Jobs.find(env.ID, rest.PathValue(r, "id"))
	if !found {
		return rest.Response{}, fault.New(fault.NotFound, "execution not found")
	}
	select {
	case <-x.done:
	case <-r.Context().Done():
		return rest.Response{}, fault.New(fault.Unavailable, "the execution has no result yet")
	}
	if x.err != nil {
		return rest.Response{}, renameField(x.err)
	}
	body := executedAnswer{ID: x.id}
	body.Result.Evaluator = x.result
	return rest.Response{Status: http.StatusOK, Header: verdictHeader(x.result), Body: body}, nil
}

// input returns the input that the mapping spells out.
func (q *executionRequest) input(e *eval.Evaluator) (json.RawMessage, error) {
	input := make(map[string]json.RawMessage, len(q.Inputs))
	for name, field := range q.Inputs {
		input[name] = field.Source
	}
	for _, name := range required(e) {
		given := func(other string) bool { return strings.EqualFold(name, other) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(input)), given) {
			return nil, fault.New(fault.Invalid, "%s.%s is required", mappingField, name)
		}
	}
	return json.Marshal(input)
}

// renameField lets a refusal of input or config name the field as the user of an
// execution wrote it.
func renameField(err error) error {
	return rest.Rename(err, map[string]string{"input": mappingField, "config": configField})
}
