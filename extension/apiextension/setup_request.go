// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// reservedNames cannot be an external_id: as the last part of a path they
// mean, or are made into, something else.
var reservedNames = [...]string{"bulk", "preview", ".", ".."}

// setupRequest is a wish as its user writes it. It names the setup by an
// external_id, or says which entity's spans it is about.
type setupRequest struct {
	setupNames
	Evaluators json.RawMessage `json:"evaluators"`
	Selector   json.RawMessage `json:"selector"`
	Settings   json.RawMessage `json:"evaluator_configs"`
	setupBounds
}

// setupNames say which setup it is.
type setupNames struct {
	ExternalID  *string `json:"external_id"`
	EntityType  *string `json:"entity_type"`
	EntityValue *string `json:"entity_value"`
}

// setup gives a complete wish, without the fields that the service decides.
func (q *setupRequest) setup(find findEvaluator) (s monitor.Setup, err error) {
	about, err := q.name(&s)
	if err != nil {
		return s, err
	}
	return s, q.wish(&s, about, find)
}

// wish sets everything but the names. about are rules that follow from those.
func (q *setupRequest) wish(s *monitor.Setup, about monitor.Selector, find findEvaluator) error {
	list, err := parseEvaluators(q.Evaluators, find)
	if err != nil {
		return err
	}
	settings, err := parseSettings(q.Settings)
	if err != nil {
		return err
	}
	if s.Evaluators, err = list.with(settings); err != nil {
		return err
	}
	selector, err := parseSelector(q.Selector)
	if err != nil {
		return err
	}
	s.Selector = slices.Concat(about, selector)
	if len(s.Selector) > monitor.MaxRules {
		return fault.New(fault.Invalid, "selector must have at most %d rules", monitor.MaxRules-len(about))
	}
	return q.bound(s)
}

// name sets the names of s and gives the rule that picks the entity's spans.
func (q *setupNames) name(s *monitor.Setup) (about monitor.Selector, err error) {
	if q.EntityType != nil || q.EntityValue != nil {
		if about, err = q.entity(s); err != nil {
			return nil, err
		}
	}
	if q.ExternalID != nil || s.EntityType == "" {
		if s.ExternalID, err = parseName("external_id", q.ExternalID); err != nil {
			return nil, err
		}
		if s.ExternalID != *q.ExternalID {
			return nil, fault.New(fault.Invalid, "external_id must not begin or end with a space")
		}
	}
	if slices.Contains(reservedNames[:], s.ExternalID) {
		return nil, fault.New(fault.Invalid, "external_id must not be the reserved word %q", s.ExternalID)
	}
	return about, nil
}

// entity sets the entity and the external_id that follows from it.
func (q *setupNames) entity(s *monitor.Setup) (rules monitor.Selector, err error) {
	if s.EntityType, err = parseName("entity_type", q.EntityType); err != nil {
		return nil, err
	}
	if s.EntityValue, err = parseName("entity_value", q.EntityValue); err != nil {
		return nil, err
	}
	value := s.EntityValue
	rule := monitor.Rule{Origin: monitor.SpanAttributes, Operator: query.OpEquals, Value: &value}
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

// keeps refuses an update that would make another setup of s.
func (q *setupNames) keeps(s *monitor.Setup) error {
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
