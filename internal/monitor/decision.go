// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxIndexedValues is how many values a rule may have to be looked up by the text of
// its attribute; those of more are tested like any other rule.
const maxIndexedValues = 64

// decision is the selectors of an environment's monitors, compiled into one. Each
// attribute is read once a span, whichever rules ask for it, and equal rules
// are tested once. Of every monitor one rule is its gate, and the others are
// looked at only where that holds: of many monitors with different values of one
// attribute, the text of the attribute finds the few that may match. It is
// immutable.
type decision struct {
	attributes []attribute
	rules      []distinctRule
	always     []uint64 // set of the monitors without a gate
	byText     []textGates
	byTest     []testGate
	rest       [][]int // by monitor: its rules besides its gate
	onVerdicts [][]int // by monitor: its rules that read verdicts

	matchings sync.Pool // of *Matching that are not in use
}

// class says when what was found of an attribute must be found again.
type class int

const (
	ofResource class = iota // with another resource
	ofSpan                  // with another span
	ofVerdicts              // with another span or verdict
	classes
)

type attribute struct {
	key   string
	class class
}

// distinctRule is a rule of one or more selectors.
type distinctRule struct {
	Rule

	attribute int
	text      string // the value
	shared    int    // how many monitors have it
}

// textGates are the gates of monitors for which an attribute must have one of some
// texts.
type textGates struct {
	attribute int
	monitors  map[string][]int // by each of the texts
}

// testGate is a rule that is the gate of monitors.
type testGate struct {
	rule     int
	monitors []int
}

// readsVerdicts reports whether the rule reads what evaluators said of the span.
func (r *Rule) readsVerdicts() bool {
	return r.Source != ResourceAttributes && strings.HasPrefix(r.Key, tenant.EvaluationPrefix)
}

func (r *Rule) class() class {
	switch {
	case r.Source == ResourceAttributes:
		return ofResource
	case r.readsVerdicts():
		return ofVerdicts
	default:
		return ofSpan
	}
}

// isExact reports whether the rule holds for some texts alone, few enough to look
// the rule up by them.
func (r *Rule) isExact() bool {
	return r.Operator == query.OpEquals || r.Operator == query.OpIn && len(r.Values) <= maxIndexedValues
}

// texts returns those for which an exact rule holds.
func (r *distinctRule) texts() []string {
	if r.Operator == query.OpIn {
		return r.Values
	}
	return []string{r.text}
}

// ruleKey is equal for equal rules.
type ruleKey struct {
	attribute     int
	operator      query.Operator
	value, values string
}

// decisionBuilder numbers attributes and rules.
type decisionBuilder struct {
	made *decision

	attributeNumbers map[attribute]int
	ruleNumbers      map[ruleKey]int
	texts            map[int]int // places in byText by attribute
	tests            map[int]int // places in byTest by rule
}

func newDecision(monitors []*Monitor) *decision {
	b := &decisionBuilder{
		made: &decision{
			always: make([]uint64, (len(monitors)+63)/64),
			rest:   make([][]int, len(monitors)), onVerdicts: make([][]int, len(monitors)),
		},
		attributeNumbers: map[attribute]int{}, ruleNumbers: map[ruleKey]int{}, texts: map[int]int{}, tests: map[int]int{},
	}
	for i, m := range monitors {
		for j := range m.Setup.Selector {
			rule := b.rule(&m.Setup.Selector[j])
			of := &b.made.rest[i]
			if b.made.attributes[b.made.rules[rule].attribute].class == ofVerdicts {
				of = &b.made.onVerdicts[i]
			}
			if !slices.Contains(*of, rule) {
				*of = append(*of, rule)
				b.made.rules[rule].shared++
			}
		}
	}
	for i := range monitors {
		b.gate(i)
	}
	return b.made
}

// rule returns the number of a rule.
func (b *decisionBuilder) rule(r *Rule) int {
	a := attribute{r.Key, r.class()}
	if _, known := b.attributeNumbers[a]; !known {
		b.attributeNumbers[a] = len(b.made.attributes)
		b.made.attributes = append(b.made.attributes, a)
	}
	d := distinctRule{Rule: *r, attribute: b.attributeNumbers[a], text: r.value()}
	key := ruleKey{attribute: d.attribute, operator: r.Operator, value: d.text}
	if len(r.Values) > 0 {
		var all []byte
		for _, v := range r.Values {
			all = append(strconv.AppendInt(all, int64(len(v)), 10), ':')
			all = append(all, v...)
		}
		key.values = string(all)
	}
	number, known := b.ruleNumbers[key]
	if !known {
		number = len(b.made.rules)
		b.ruleNumbers[key] = number
		b.made.rules = append(b.made.rules, d)
	}
	return number
}

// isBetterGate reports whether r finds the monitors that may match at a lower price
// than other does: of exact rules the one that fewer monitors share, since it
// costs no test; else the one that more share, since it is tested for all of them
// at once.
func isBetterGate(r, other *distinctRule) bool {
	switch exact := r.isExact(); {
	case exact != other.isExact():
		return exact
	case exact:
		return r.shared < other.shared
	default:
		return r.shared > other.shared
	}
}

// gate chooses the gate of a monitor among its rules in rest.
func (b *decisionBuilder) gate(monitor int) {
	rest := b.made.rest[monitor]
	if len(rest) == 0 {
		b.made.always[monitor/64] |= 1 << (monitor % 64)
		return
	}
	best := 0
	for i, rule := range rest {
		if isBetterGate(&b.made.rules[rule], &b.made.rules[rest[best]]) {
			best = i
		}
	}
	rule := rest[best]
	b.made.rest[monitor] = slices.Delete(rest, best, best+1)
	if r := &b.made.rules[rule]; r.isExact() {
		b.gateByText(r, monitor)
	} else {
		b.gateByTest(rule, monitor)
	}
}

func (b *decisionBuilder) gateByText(r *distinctRule, monitor int) {
	at, known := b.texts[r.attribute]
	if !known {
		at = len(b.made.byText)
		b.texts[r.attribute] = at
		b.made.byText = append(b.made.byText, textGates{r.attribute, map[string][]int{}})
	}
	of := b.made.byText[at].monitors
	for _, text := range r.texts() {
		if list := of[text]; len(list) == 0 || list[len(list)-1] != monitor { // a text may be there twice
			of[text] = append(list, monitor)
		}
	}
}

func (b *decisionBuilder) gateByTest(rule, monitor int) {
	at, known := b.tests[rule]
	if !known {
		at = len(b.made.byTest)
		b.tests[rule] = at
		b.made.byTest = append(b.made.byTest, testGate{rule: rule})
	}
	b.made.byTest[at].monitors = append(b.made.byTest[at].monitors, monitor)
}
