// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxSetupEvaluators is how many evaluators one setup may have.
const maxSetupEvaluators = 100

// reservedNames cannot be an external_id: as the last part of a path they
// mean, or are made into, something else.
var reservedNames = [...]string{"bulk", ".", ".."}

// setupRequest is a wish as its user writes it. It names the setup by an
// external_id, or says which entity's spans it is about.
type setupRequest struct {
	ExternalID  *string         `json:"external_id"`
	EntityType  *string         `json:"entity_type"`
	EntityValue *string         `json:"entity_value"`
	Evaluators  json.RawMessage `json:"evaluators"`
	Selector    json.RawMessage `json:"selector"`
}

// setup gives a complete wish, without the fields that the service decides.
func (q *setupRequest) setup(catalog *eval.Catalog) (s monitor.Setup, err error) {
	var about monitor.Selector
	if q.EntityType != nil || q.EntityValue != nil {
		if about, err = q.entity(&s); err != nil {
			return s, err
		}
	}
	if q.ExternalID != nil || s.EntityType == "" {
		if s.ExternalID, err = parseName("external_id", q.ExternalID); err != nil {
			return s, err
		}
		if s.ExternalID != *q.ExternalID {
			return s, fault.New(fault.Invalid, "external_id must not begin or end with a space")
		}
	}
	if slices.Contains(reservedNames[:], s.ExternalID) {
		return s, fault.New(fault.Invalid, "external_id must not be the reserved word %q", s.ExternalID)
	}
	if s.Evaluators, err = parseEvaluators(q.Evaluators, catalog); err != nil {
		return s, err
	}
	selector, err := parseSelector(q.Selector)
	if err != nil {
		return s, err
	}
	s.Selector = slices.Concat(about, selector)
	if len(s.Selector) > monitor.MaxRules {
		return s, fault.New(fault.Invalid, "selector must have at most %d rules", monitor.MaxRules-len(about))
	}
	return s, nil
}

// entity sets the names of s and gives the rule that picks the entity's spans.
func (q *setupRequest) entity(s *monitor.Setup) (rules monitor.Selector, err error) {
	if s.EntityType, err = parseName("entity_type", q.EntityType); err != nil {
		return nil, err
	}
	if s.EntityValue, err = parseName("entity_value", q.EntityValue); err != nil {
		return nil, err
	}
	value := s.EntityValue
	rule := monitor.Rule{Origin: monitor.SpanAttributes, Operator: monitor.Equals, Value: &value}
	switch s.EntityType {
	case "workflow":
		rule.Key = "traceloop.workflow.name"
	case "agent":
		rule.Key = "gen_ai.agent.name"
	case "task", "tool":
		rule.Key = "traceloop.entity.name"
	default:
		return nil, fault.New(fault.Invalid, "entity_type must be one of workflow, agent, task, tool")
	}
	s.ExternalID = s.EntityType + ":" + s.EntityValue
	return monitor.Selector{rule}, nil
}

// change gives what the body of an update replaces.
func (q *setupRequest) change(catalog *eval.Catalog) (c setupChange, err error) {
	if !absent(q.Evaluators) {
		if c.evaluators, err = parseEvaluators(q.Evaluators, catalog); err != nil {
			return c, err
		}
	}
	if !absent(q.Selector) {
		selector, err := parseSelector(q.Selector)
		if err != nil {
			return c, err
		}
		c.selector = &selector
	}
	return c, nil
}

// keepsNames refuses an update that would make another setup of it.
func (q *setupRequest) keepsNames(s *monitor.Setup) error {
	for _, name := range [...]struct {
		field string
		given *string
		is    string
	}{
		{"external_id", q.ExternalID, s.ExternalID},
		{"entity_type", q.EntityType, s.EntityType},
		{"entity_value", q.EntityValue, s.EntityValue},
	} {
		if name.given != nil && *name.given != name.is {
			return fault.New(fault.Invalid, "%s cannot be changed", name.field)
		}
	}
	return nil
}

// parseEvaluators takes slugs, bare or as {"evaluator_type": slug}.
func parseEvaluators(raw json.RawMessage, catalog *eval.Catalog) ([]monitor.SetupEvaluator, error) {
	const field = "evaluators"
	if absent(raw) {
		return nil, fault.New(fault.Invalid, "%s is required", field)
	}
	list, err := items(field, raw)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, fault.New(fault.Invalid, "%s must contain at least one item", field)
	case len(list) > maxSetupEvaluators:
		return nil, fault.New(fault.Invalid, "%s must have at most %d items", field, maxSetupEvaluators)
	}
	evaluators := make([]monitor.SetupEvaluator, 0, len(list))
	for i, item := range list {
		path := fmt.Sprintf("%s[%d]", field, i)
		slug, path, err := parseSlug(path, item)
		if err != nil {
			return nil, err
		}
		if _, found := catalog.Get(slug); !found {
			return nil, &unknownEvaluator{path, slug}
		}
		same := func(e monitor.SetupEvaluator) bool { return e.Slug == slug }
		if earlier := slices.IndexFunc(evaluators, same); earlier >= 0 {
			return nil, fault.New(fault.Invalid, "%s is the same evaluator as %s[%d]", path, field, earlier)
		}
		evaluators = append(evaluators, monitor.SetupEvaluator{Slug: slug, Status: monitor.Pending})
	}
	return evaluators, nil
}

// parseSlug gives the slug of an item and the path at which it was found.
func parseSlug(path string, item json.RawMessage) (slug, at string, err error) {
	if kindOf(item) == '"' && json.Unmarshal(item, &slug) == nil {
		return slug, path, nil
	}
	var named struct {
		Type *string `json:"evaluator_type"`
		ID   *string `json:"evaluator_id"`
	}
	if kindOf(item) != '{' {
		return "", "", fault.New(fault.Invalid, "%s must be the slug of an evaluator", path)
	}
	if err := decodeObject(path, item, &named); err != nil {
		return "", "", err
	}
	switch {
	case named.Type != nil:
		return *named.Type, path + ".evaluator_type", nil
	case named.ID != nil:
		return *named.ID, path + ".evaluator_id", nil
	}
	return "", "", fault.New(fault.Invalid, "%s.evaluator_type is required", path)
}

// unknownEvaluator refuses an evaluator that is not in the catalog.
type unknownEvaluator struct{ path, name string }

func (e *unknownEvaluator) Error() string {
	return fmt.Sprintf("%s: unknown evaluator slug %.100q", e.path, e.name)
}

// Unwrap gives the refusal its kind.
func (e *unknownEvaluator) Unwrap() error { return fault.New(fault.Invalid, "%s", e.Error()) }

// whyUnknown tells of an evaluator that the environment has, but that spans
// cannot be judged with, that it is not unknown.
func (a *api) whyUnknown(ctx context.Context, env tenant.Environment, err error) error {
	var unknown *unknownEvaluator
	if !errors.As(err, &unknown) {
		return err
	}
	_, notFound := a.control.Evaluator(ctx, env.ID, unknown.name)
	switch {
	case fault.Is(notFound, fault.NotFound):
		return err
	case notFound != nil:
		return notFound
	}
	return fault.New(fault.Invalid, "%s: %.100q is a custom evaluator, and those do not run on spans", unknown.path, unknown.name)
}
