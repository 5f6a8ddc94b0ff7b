// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type executionRequest struct {
	Inputs  json.RawMessage `json:"input_schema_mapping"`
	Config  json.RawMessage `json:"evaluator_config"`
	Version *string         `json:"evaluator_version"`
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

// startExecution begins an evaluation and does not wait for it.
func (a *api) startExecution(r *http.Request, env tenant.Environment) (answer, error) {
	evaluator, err := a.find(r.Context(), env, pathValue(r, "slug"))
	if err != nil {
		return answer{}, err
	}
	var want executionRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	if want.Version != nil && *want.Version != "" && *want.Version != evaluator.version {
		if evaluator, err = a.inVersion(r.Context(), env, evaluator, *want.Version); err != nil {
			return answer{}, err
		}
	}
	input, err := parseMapping(want.Inputs, evaluator.required)
	if err != nil {
		return answer{}, err
	}
	if err := evaluator.checkConfig(want.Config); err != nil {
		return answer{}, asMapped(err)
	}
	x, err := a.executions.start(r.Context(), env.ID, input, want.Config, evaluator.run)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: executionAnswer{ID: x.id, StreamURL: "/executions/" + x.id + "/stream"}}, nil
}

// streamExecution waits for an execution and answers its result: one object,
// since that is what clients read under this name.
func (a *api) streamExecution(r *http.Request, env tenant.Environment) (answer, error) {
	x, found := a.executions.find(env.ID, pathValue(r, "id"))
	if !found {
		return answer{}, fault.New(fault.NotFound, "execution not found")
	}
	select {
	case <-x.done:
	case <-r.Context().Done():
		return answer{}, fault.New(fault.Unavailable, "the execution has no result yet")
	}
	if x.err != nil {
		return answer{}, asMapped(x.err)
	}
	body := executedAnswer{ID: x.id}
	body.Result.Evaluator = x.result
	return answer{status: http.StatusOK, header: verdictHeader(x.result), body: body}, nil
}

// parseMapping gives the input that a mapping spells out.
func parseMapping(raw json.RawMessage, required []string) (json.RawMessage, error) {
	if absent(raw) {
		return nil, fault.New(fault.Invalid, "%s is required", mappingField)
	}
	var fields map[string]json.RawMessage
	if err := decodeObject(mappingField, raw, &fields); err != nil {
		return nil, err
	}
	input := make(map[string]json.RawMessage, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		path := join(mappingField, cut(name))
		var field struct {
			Source json.RawMessage `json:"source"`
		}
		if err := decodeObject(path, fields[name], &field); err != nil {
			return nil, err
		}
		if absent(field.Source) {
			return nil, fault.New(fault.Invalid, "%s.source is required", path)
		}
		input[name] = field.Source
	}
	for _, name := range required {
		given := func(other string) bool { return strings.EqualFold(name, other) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(input)), given) {
			return nil, fault.New(fault.Invalid, "%s.%s is required", mappingField, name)
		}
	}
	return json.Marshal(input)
}

// cut gives enough of a name to know it by.
func cut(name string) string {
	const enough = 100
	if len(name) > enough {
		name = name[:enough]
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// asMapped lets a refusal of input or config name the field as the user of an
// execution wrote it.
func asMapped(err error) error {
	return asWritten(err, map[string]string{"input": mappingField, "config": configField})
}

// asWritten lets a refusal name a field by the name that its user wrote.
func asWritten(err error, names map[string]string) error {
	var refused *fault.Error
	if !errors.As(err, &refused) {
		return err
	}
	end := strings.IndexAny(refused.Message, ". [:")
	if end < 0 {
		return err
	}
	if name, found := names[refused.Message[:end]]; found {
		return fault.Wrap(refused.Kind, refused.Cause, "%s", name+refused.Message[end:])
	}
	return err
}
