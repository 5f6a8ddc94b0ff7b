// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Bounds of what is shown.
const (
	maxValue  = 200 // characters of a value
	maxWanted = 20  // values of in and not_in
)

// RuleAnswer is what a rule wants.
type RuleAnswer struct {
	Key      string         `json:"key" doc:"The attribute."`
	Source   monitor.Source `json:"source" doc:"Where the attribute is looked up." enum:"span_attributes,resource_attributes"`
	Operator query.Operator `json:"operator" doc:"How the attribute is compared." enum:"equals,not_equals,contains,not_contains,exists,not_exists,in,not_in"`
	Wanted   []string       `json:"wanted" doc:"What the rule compares with: at most 20 values of at most 200 characters." schema:"maxItems=20"`
}

// FindingAnswer is what a rule found of a span.
type FindingAnswer struct {
	RuleAnswer
	Actual    string `json:"actual" doc:"What the span has, at most 200 characters; empty where it is not present."`
	Truncated bool   `json:"truncated" doc:"Whether actual is only the beginning."`
	Present   bool   `json:"present" doc:"Whether the span has the attribute."`
	Holds     bool   `json:"holds" doc:"Whether the rule holds."`
	Hint      string `json:"hint,omitempty" doc:"What to make of it, in a sentence."`

	Nearest *NearAnswer `json:"nearest,omitempty"`
}

// NearAnswer is what a span has that is nearest to what a rule wants.
type NearAnswer struct {
	Difference Difference     `json:"difference" doc:"What differs: only white space or capitals of the value; a number that is written otherwise; the same key in the other source; capitals or separators of the key; another convention's key for the same thing; a field of the span, which rules do not read; or the value is that of another attribute." enum:"value_space,value_case,value_number,other_source,key_spelling,alias,field,other_key"`
	Key        string         `json:"key" doc:"The attribute, or the field of the span."`
	Source     monitor.Source `json:"source" doc:"Where it is." enum:"span,span_attributes,resource_attributes"`
	Value      string         `json:"value" doc:"Its value, at most 200 characters."`
}

// ShowRule returns a rule as answers have it.
func ShowRule(r *monitor.Rule) RuleAnswer {
	shown := RuleAnswer{Key: cut(r.Key), Source: r.Source, Operator: r.Operator, Wanted: []string{}}
	if r.Value != nil {
		shown.Wanted = append(shown.Wanted, cut(*r.Value))
	}
	for _, v := range r.Values[:min(len(r.Values), maxWanted)] {
		shown.Wanted = append(shown.Wanted, cut(v))
	}
	return shown
}

// Look returns what each rule of a selector finds of a stored span, as view
// sees it, and whether all of them hold.
func Look(selector monitor.Selector, stored *span.Span, view *genai.View) (found []FindingAnswer, matches bool) {
	of := subject{stored, view}
	found, matches = make([]FindingAnswer, len(selector)), true
	for i, f := range selector.Explain(view) {
		found[i] = of.show(&selector[i], f)
		matches = matches && f.Holds
	}
	return found, matches
}

func (s subject) show(r *monitor.Rule, f monitor.Finding) FindingAnswer {
	shown := FindingAnswer{RuleAnswer: ShowRule(r), Present: f.Present, Holds: f.Holds}
	shown.Actual, shown.Truncated = textcut.Characters(f.Actual, maxValue)
	if f.Holds {
		if _, negated := r.Operator.Positive(); negated && !f.Present && r.Operator != query.OpNotExists {
			shown.Hint = "it holds because the span does not have the attribute; add a rule with exists if it must have it"
		}
		return shown
	}
	if near, ok := s.nearest(r); ok {
		shown.Nearest = &NearAnswer{near.Difference, cut(near.Key), near.Source, cut(near.Value)}
		shown.Hint = near.hint()
	}
	return shown
}

// Sentence says of a rule that does not hold what it wants and what the span has.
// Rules are counted from 1.
func (f *FindingAnswer) Sentence(number int) string {
	has := "the span does not have it"
	if f.Present {
		has = "the span has " + strconv.Quote(f.Actual)
		if f.Truncated {
			has += " and more"
		}
	}
	text := fmt.Sprintf("rule %d wants %s; %s", number, f.wants(), has)
	if f.Hint != "" {
		text += ": " + f.Hint
	}
	return text
}

// wants says what a rule is.
func (r *RuleAnswer) wants() string {
	where := "span attribute "
	if r.Source == monitor.ResourceAttributes {
		where = "resource attribute "
	}
	quoted := make([]string, len(r.Wanted))
	for i, w := range r.Wanted {
		quoted[i] = strconv.Quote(w)
	}
	text := where + r.Key + " " + string(r.Operator)
	if len(quoted) > 0 {
		text += " " + strings.Join(quoted, ", ")
	}
	return text
}

// hint says what to do about a rule that nearly holds.
func (n *Near) hint() string {
	has := fmt.Sprintf("%s = %s", cut(n.Key), strconv.Quote(cut(n.Value)))
	switch n.Difference {
	case ValueSpace:
		return "only white space differs, and rules compare text exactly"
	case ValueCase:
		return "only capitals differ, and rules compare text exactly"
	case ValueNumber:
		return fmt.Sprintf("rules compare text, not numbers: want %s", strconv.Quote(cut(n.Value)))
	case OtherSource:
		return fmt.Sprintf("it is in %s (%s): change the rule's source", n.Source, has)
	case KeySpelling:
		return fmt.Sprintf("the span spells the key otherwise: %s in %s", has, n.Source)
	case Alias:
		return fmt.Sprintf("the span has the same thing under another key: %s", has)
	case Field:
		return fmt.Sprintf("%s is a field of the span (%s), and rules read attributes only", cut(n.Key), strconv.Quote(cut(n.Value)))
	case OtherKey:
		return fmt.Sprintf("the span has this value under another key: %s in %s", has, n.Source)
	}
	return ""
}

// cut returns the beginning of a text.
func cut(text string) string {
	text, _ = textcut.Characters(text, maxValue)
	return text
}
