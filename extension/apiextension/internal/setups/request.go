// SPDX-License-Identifier: Apache-2.0

package setups

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// reservedNames cannot be an external_id: as the last part of a path they
// mean, or are made into, something else.
var reservedNames = [...]string{"bulk", "preview", ".", ".."}

// Request is a setup as its user writes it. It names the setup by an
// external_id, or says which entity's spans it is about.
type Request struct {
	names
	Evaluators []evaluatorRequest `json:"evaluators"` // nil where they are left out
	Selector   selectorRequest    `json:"selector"`
	InitRules  selectorRequest    `json:"init_rules"` // the selector, as answers name it
	Settings   settingsRequest    `json:"evaluator_configs"`
	bounds
	// Paused is kept by an update that leaves it out; null is false.
	Paused rest.Optional[bool] `json:"paused"`
}

// names say which setup it is.
type names struct {
	ExternalID  *string `json:"external_id"`
	EntityType  *string `json:"entity_type"`
	EntityValue *string `json:"entity_value"`
}

// namesFields are the members of names.
var namesFields = []string{"external_id", "entity_type", "entity_value"}

// bounds say what a setup may take, when it counts as done, and, which is no
// bound but is given and taken away as they are, what becomes of texts in other
// languages and of spans by their verdicts. null is none; left out, a new setup has none and a changed one
// keeps what it has.
type bounds struct {
	MinSpans rest.Optional[rest.Int] `json:"min_spans"`
	MaxCost  rest.Optional[float64]  `json:"max_cost_per_day"`
	Deadline rest.Optional[rest.Int] `json:"deadline_sec"`

	OtherLanguages rest.Optional[monitor.OtherLanguages] `json:"other_languages"`
	OnVerdict      rest.Optional[[]monitor.OnVerdict]    `json:"on_verdict"`
}

// given reports whether any of them is there.
func (q *bounds) given() bool {
	return q.MinSpans.Given || q.MaxCost.Given || q.Deadline.Given || q.OtherLanguages.Given || q.OnVerdict.Given
}

func (q *bounds) bound(s *monitor.Setup) {
	if q.MinSpans.Given {
		s.MinSpans = int64(q.MinSpans.Value)
	}
	if q.MaxCost.Given {
		s.MaxCostPerDay = q.MaxCost.Value
	}
	if q.Deadline.Given {
		s.Deadline = time.Duration(q.Deadline.Value) * time.Second
	}
	if q.OtherLanguages.Given {
		s.OtherLanguages = q.OtherLanguages.Value
	}
	if q.OnVerdict.Given {
		s.OnVerdict = q.OnVerdict.Value
	}
}

// setup returns a complete setup, without the fields that the service decides.
func (q *Request) setup(find FindEvaluator) (s monitor.Setup, err error) {
	about, err := q.name(&s)
	if err != nil {
		return s, err
	}
	return s, q.fill(&s, about, find)
}

// Unnamed returns the setup, which may do without a name.
func (q *Request) Unnamed(find FindEvaluator) (s monitor.Setup, err error) {
	if q.ExternalID == nil && q.EntityType == nil && q.EntityValue == nil {
		return s, q.fill(&s, nil, find)
	}
	return q.setup(find)
}

// fill sets everything but the names. about are rules that follow from those.
func (q *Request) fill(s *monitor.Setup, about monitor.Selector, find FindEvaluator) error {
	list, err := findAll(q.Evaluators, find)
	if err != nil {
		return err
	}
	if s.Evaluators, err = list.with(q.Settings.list); err != nil {
		return err
	}
	selector, err := q.selector()
	if err != nil {
		return err
	}
	s.Selector = slices.Concat(about, without(selector, about))
	if len(s.Selector) > monitor.MaxRules {
		return fault.New(fault.Invalid, "selector must have at most %d rules", monitor.MaxRules-len(about))
	}
	q.bound(s)
	s.Paused = q.Paused.Value
	return checkOnVerdict(s, find)
}

// selector returns the rules of selector or, where that is not given, of init_rules: who
// sends back what was answered does not make a setup of it that is about every span. nil
// where neither is given.
func (q *Request) selector() (monitor.Selector, error) {
	if !q.Selector.given && q.InitRules.given {
		return q.InitRules.selector("init_rules")
	}
	return q.Selector.selector("selector")
}

// without returns rules without those of about, which an answer has among them.
func without(rules, about monitor.Selector) monitor.Selector {
	return slices.DeleteFunc(rules, func(r monitor.Rule) bool {
		return slices.ContainsFunc(about, func(a monitor.Rule) bool { return a.Equals(&r) })
	})
}

// checkOnVerdict refuses what cannot be done on the verdicts of a setup, now that its
// evaluators are known.
func checkOnVerdict(s *monitor.Setup, find FindEvaluator) error {
	return monitor.CheckOnVerdict("on_verdict", s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return find(cmp.Or(w.CustomID, w.Slug))
	})
}

// name sets the names of s and returns the rule that picks the entity's spans.
func (q *names) name(s *monitor.Setup) (about monitor.Selector, err error) {
	if q.EntityType != nil || q.EntityValue != nil {
		if about, err = q.entity(s); err != nil {
			return nil, err
		}
	}
	if q.ExternalID != nil || s.EntityType == "" {
		if s.ExternalID, err = readable("external_id", q.ExternalID); err != nil {
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

// readable takes a required name that a person can read.
func readable(field string, given *string) (string, error) {
	if given == nil || strings.TrimSpace(*given) == "" {
		return "", fault.New(fault.Invalid, "%s is required", field)
	}
	name := strings.TrimSpace(*given)
	if strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.New(fault.Invalid, "%s must not have control characters", field)
	}
	return name, nil
}

// entityKeys are the attributes that name the entities of each type.
var entityKeys = map[string]string{
	"workflow": "traceloop.workflow.name",
	"agent":    "gen_ai.agent.name",
	"task":     "traceloop.entity.name",
	"tool":     "traceloop.entity.name",
}

// entity sets the entity and the external_id that follows from it.
func (q *names) entity(s *monitor.Setup) (rules monitor.Selector, err error) {
	if s.EntityType, err = readable("entity_type", q.EntityType); err != nil {
		return nil, err
	}
	if s.EntityValue, err = readable("entity_value", q.EntityValue); err != nil {
		return nil, err
	}
	value := s.EntityValue
	s.ExternalID = s.EntityType + ":" + s.EntityValue
	return monitor.Selector{{Key: entityKeys[s.EntityType], Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &value}}, nil
}

// keeps refuses an update that would make another setup of s.
func (q *names) keeps(s *monitor.Setup) error {
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
