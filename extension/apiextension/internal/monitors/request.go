// SPDX-License-Identifier: Apache-2.0

package monitors

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

// SetupRequest is a setup as its user writes it. It names the setup by an
// external_id, or says which entity's spans it is about.
type SetupRequest struct {
	_ struct{} `anyOf:"external_id|entity_type,entity_value"`

	names
	Evaluators []evaluatorRequest `json:"evaluators" schema:"required minItems=1 maxItems=100" items:"must:\"the slug of an evaluator, or an object that names it\""` // nil where they are left out
	Selector   selectorRequest    `json:"selector" must:"an array of rules, or an object of attributes and the values that they must equal"`
	InitRules  selectorRequest    `json:"init_rules" doc:"The selector, as answers name it: taken where selector is left out." must:"an array of rules, or an object of attributes and the values that they must equal"`
	Settings   settingsRequest    `json:"evaluator_configs" must:"an array of settings, or an object of them by evaluator"`
	bounds
	Paused rest.Optional[bool] `json:"paused" doc:"Whether it matches no span that comes, until it is resumed. null: false." schema:"default=false"`
}

// names say which setup it is.
type names struct {
	ExternalID  *string `json:"external_id" doc:"Identifies the setup within its environment. May be left out when entity_type and entity_value are given: it is then <entity_type>:<entity_value>. bulk and preview are reserved." schema:"minLength=1 maxLength=255"`
	EntityType  *string `json:"entity_type" doc:"Together with entity_value: only the spans of this entity, besides what selector says." enum:"workflow,agent,task,tool"`
	EntityValue *string `json:"entity_value" doc:"The name of the entity." schema:"minLength=1 maxLength=255"`
}

// namesFields are the members of names.
var namesFields = []string{"external_id", "entity_type", "entity_value"}

// bounds say what a setup may take, when it counts as done, and, which is no
// bound but is given and taken away as they are, what becomes of texts in other
// languages and of spans by their verdicts. null is none; left out, a new setup has none and a changed one
// keeps what it has.
type bounds struct {
	MinSpans rest.Optional[rest.Int] `json:"min_spans" doc:"How many spans have to match before the status tells that the monitors are made. All of them are judged. null: 1." schema:"minimum=1 maximum=1000000"`
	MaxCost  rest.Optional[float64]  `json:"max_cost_per_day" doc:"What models may take for the setup in one day (UTC), in US dollars. Evaluations over it wait for the next day. null: no bound." schema:"exclusiveMinimum=0"`
	Deadline rest.Optional[rest.Int] `json:"deadline_sec" doc:"How many seconds after its span came a deferred evaluation may still be made, before it fails. null: as long as the span is kept." schema:"minimum=1 maximum=2592000"`

	OtherLanguages rest.Optional[monitor.OtherLanguages] `json:"other_languages" doc:"What becomes of texts in a language that an evaluator does not know: judge asks a judge if there is one and else skips the text, skip does not judge it, use judges it as if the evaluator knew the language. null: judge, but skip for an evaluator whose backend is set and is not judge or auto." enum:"judge,skip,use" must:"one of judge, skip, use"`
	OnVerdict      rest.Optional[[]monitor.OnVerdict]    `json:"on_verdict" doc:"What becomes of matched spans by the verdicts of evaluators, before they are stored or handed on; of log records with messages too. null: nothing." schema:"maxItems=100"`
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
func (q *SetupRequest) setup(find FindEvaluator) (s monitor.Setup, err error) {
	about, err := q.name(&s)
	if err != nil {
		return s, err
	}
	return s, q.fill(&s, about, find)
}

// Unnamed returns the setup, which may do without a name.
func (q *SetupRequest) Unnamed(find FindEvaluator) (s monitor.Setup, err error) {
	if q.ExternalID == nil && q.EntityType == nil && q.EntityValue == nil {
		return s, q.fill(&s, nil, find)
	}
	return q.setup(find)
}

// fill sets everything but the names. about are rules that follow from those.
func (q *SetupRequest) fill(s *monitor.Setup, about monitor.Selector, find FindEvaluator) error {
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
func (q *SetupRequest) selector() (monitor.Selector, error) {
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

// SetupChange is a setup with what of it is to be changed. What it names must be
// what the setup has.
type SetupChange struct{ SetupRequest }

// AmendSchema lets everything be left out.
func (SetupChange) AmendSchema(schema map[string]any) {
	delete(schema, "required")
	properties := schema["properties"].(map[string]any)
	for _, name := range namesFields {
		properties[name] = map[string]any{"type": "string", "description": "It cannot be changed."}
	}
	properties["evaluators"].(map[string]any)["type"] = []string{"array", "null"}
}

// BulkRequest are setups to create or update.
type BulkRequest struct {
	Setups []SetupRequest `json:"setups" doc:"The setups." schema:"required minItems=1 maxItems=100"`
}
