// SPDX-License-Identifier: Apache-2.0

package evaluators

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

// ExecutionRequest has the input and config of an evaluator in the form of executions.
type ExecutionRequest struct {
	Inputs  map[string]executionInput `json:"input_schema_mapping" doc:"The inputs by their names." schema:"required maxProperties=1000"`
	Config  json.RawMessage           `json:"evaluator_config" doc:"What an execution of the evaluator calls config." schema:"types=object,null"`
	Version string                    `json:"evaluator_version" doc:"The version to run; the latest if it is left out." schema:"nullable"`
}

// executionInput is the value of an input.
type executionInput struct {
	Source json.RawMessage `json:"source" doc:"The value." schema:"required types=string,number,boolean,array,object"`
}

// Execution says where the result will be. The URL is relative to /v2.
type Execution struct {
	ID        string `json:"execution_id" doc:"Identifies the execution."`
	StreamURL string `json:"stream_url" doc:"Where the result is, relative to /v2." pattern:"^/executions/[0-9a-f-]{36}/stream$"`
}

// Executed is the result of an execution.
type Executed struct {
	ID     string         `json:"execution_id" doc:"Identifies the execution."`
	Result executedResult `json:"result" doc:"The verdict."`
}

// executedResult is the verdict of an execution.
type executedResult struct {
	Evaluator eval.Result `json:"evaluator_result"`
}

// mappingField and configField are how an execution's user writes what the
// evaluator calls input and config.
const (
	mappingField = "input_schema_mapping"
	configField  = "evaluator_config"
)

// start begins an evaluation and does not wait for it.
func (a *ExecutionsAPI) start(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return rest.Response{}, err
	}
	var want ExecutionRequest
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
		return rest.Response{}, nameExecutionField(err)
	}
	with, record := a.paid(r.Context(), env, e)
	x, err := a.Jobs.start(r.Context(), env.ID, input, want.Config, func(ctx context.Context, input, config json.RawMessage) (eval.Result, error) {
		defer record()
		return with.FromJSON(tenant.WithEnvironment(ctx, env.ID), input, config)
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(Execution{ID: x.id, StreamURL: "/executions/" + x.id + "/stream"}), nil
}

// inVersion returns an evaluator in another version than the latest.
func (a *ExecutionsAPI) inVersion(ctx context.Context, env tenant.Environment, e *eval.Evaluator, version string) (*eval.Evaluator, error) {
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
func (a *ExecutionsAPI) stream(r *http.Request, env tenant.Environment) (rest.Response, error) {
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
		return rest.Response{}, nameExecutionField(x.err)
	}
	body := Executed{ID: x.id}
	body.Result.Evaluator = x.result
	return rest.Response{Status: http.StatusOK, Header: verdictHeader(x.result), Body: body}, nil
}

// input returns the input that the mapping spells out.
func (q *ExecutionRequest) input(e *eval.Evaluator) (json.RawMessage, error) {
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

// nameExecutionField lets a refusal of input or config name the field as the user of an
// execution wrote it.
func nameExecutionField(err error) error {
	return rest.Rename(err, map[string]string{"input": mappingField, "config": configField})
}
