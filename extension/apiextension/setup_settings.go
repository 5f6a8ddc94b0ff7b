// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

const settingsField = "evaluator_configs"

// settings say how one evaluator of a setup is to run.
type settings struct {
	path string // where they were written
	// name is the slug or the id of the evaluator, namePath where it was written.
	name, namePath string

	config  json.RawMessage
	backend string
	rate    float64
	inputs  map[string]monitor.InputSource
}

// settingsRequest are settings as their user writes them.
type settingsRequest struct {
	Type       *string         `json:"evaluator_type"`
	Slug       *string         `json:"slug"`
	ID         *string         `json:"evaluator_id"`
	Config     json.RawMessage `json:"config"`
	Inputs     json.RawMessage `json:"input_mapping"`
	SampleRate json.RawMessage `json:"sample_rate"`
	Backend    *string         `json:"backend"`
}

// parseSettings takes a list of settings that name their evaluators, or an
// object of settings by slug or id. None are nil.
func parseSettings(raw json.RawMessage) ([]settings, error) {
	if absent(raw) {
		return nil, nil
	}
	all := []settings{}
	add := func(path, name string, item json.RawMessage) error {
		s, err := parseSetting(path, name, item)
		if err == nil {
			all = append(all, *s)
		}
		return err
	}
	if kindOf(raw) == '{' {
		var byName map[string]json.RawMessage
		if err := decodeObject(settingsField, raw, &byName); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			if err := add(join(settingsField, cut(name)), name, byName[name]); err != nil {
				return nil, err
			}
		}
		return all, tooMany(len(all))
	}
	list, err := items(settingsField, raw)
	if err == nil {
		err = tooMany(len(list))
	}
	if err != nil {
		return nil, err
	}
	for i, item := range list {
		if err := add(fmt.Sprintf("%s[%d]", settingsField, i), "", item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func tooMany(n int) error {
	if n > maxSetupEvaluators {
		return fault.New(fault.Invalid, "%s must have at most %d items", settingsField, maxSetupEvaluators)
	}
	return nil
}

// parseSetting takes one object. name is the evaluator's if the path names it,
// "" if the object has to.
func parseSetting(path, name string, item json.RawMessage) (*settings, error) {
	var q settingsRequest
	if err := decodeObject(path, item, &q); err != nil {
		return nil, err
	}
	s := &settings{path: path, name: name, namePath: path}
	if err := q.identify(s); err != nil {
		return nil, err
	}
	if q.Backend != nil {
		s.backend = *q.Backend
	}
	var err error
	if s.rate, err = parseRate(path+".sample_rate", q.SampleRate); err != nil {
		return nil, err
	}
	if s.config, err = parseConfig(path+".config", q.Config); err != nil {
		return nil, err
	}
	s.inputs, err = parseInputs(path+".input_mapping", q.Inputs)
	return s, err
}

// identify finds which evaluator it is about: an id says it more exactly than a
// slug, which another evaluator may have taken.
func (q *settingsRequest) identify(s *settings) error {
	if s.name != "" {
		return nil
	}
	for _, given := range [...]struct {
		field string
		name  *string
	}{{"evaluator_id", q.ID}, {"evaluator_type", q.Type}, {"slug", q.Slug}} {
		if given.name != nil && *given.name != "" {
			s.name, s.namePath = *given.name, s.path+"."+given.field
			return nil
		}
	}
	return fault.New(fault.Invalid, "%s.evaluator_type is required", s.path)
}

func (s *settings) empty() bool {
	return s.config == nil && s.backend == "" && s.rate == 0 && s.inputs == nil
}

// apply sets them on an evaluator of a setup.
func (s *settings) apply(w *monitor.SetupEvaluator, e *eval.Evaluator) error {
	w.Config, w.Backend, w.SampleRate, w.Inputs = s.config, s.backend, s.rate, s.inputs
	return w.Check(s.path, e)
}

func (s *settings) unnamed() error {
	return fault.New(fault.Invalid, "%s: %.100q is not an evaluator of the setup", s.namePath, s.name)
}

// parseRate takes a number above 0 and up to 1; 0 is none.
func parseRate(path string, raw json.RawMessage) (float64, error) {
	if absent(raw) {
		return 0, nil
	}
	rate, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || rate <= 0 || rate > 1 {
		return 0, fault.New(fault.Invalid, "%s must be a number above 0 and at most 1", path)
	}
	return rate, nil
}

// parseConfig takes an object and gives it without what only its author sees:
// white space, repeated members, what is no UTF-8.
func parseConfig(path string, raw json.RawMessage) (json.RawMessage, error) {
	if absent(raw) {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var members map[string]any
	if kindOf(raw) != '{' || d.Decode(&members) != nil {
		return nil, fault.New(fault.Invalid, "%s must be an object", path)
	}
	config, err := encode(members)
	if err != nil {
		return nil, err
	}
	return bytes.TrimSpace(config), nil
}

// parseInputs takes an object of sources by the names of inputs. A text is
// short for a field or part of the span.
func parseInputs(path string, raw json.RawMessage) (map[string]monitor.InputSource, error) {
	if absent(raw) {
		return nil, nil
	}
	var byName map[string]json.RawMessage
	if err := decodeObject(path, raw, &byName); err != nil {
		return nil, err
	}
	inputs := make(map[string]monitor.InputSource, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		path, item := join(path, cut(name)), byName[name]
		source := monitor.InputSource{Origin: monitor.Span}
		switch kindOf(item) {
		case '"':
			if json.Unmarshal(item, &source.Key) != nil {
				return nil, fault.New(fault.Invalid, "%s must be a string", path)
			}
		case '{':
			source.Origin = ""
			if err := decodeObject(path, item, &source); err != nil {
				return nil, err
			}
		default:
			return nil, fault.New(fault.Invalid, "%s must be an object with source and key, or a string", path)
		}
		inputs[name] = source
	}
	if len(inputs) == 0 {
		return nil, nil
	}
	return inputs, nil
}
