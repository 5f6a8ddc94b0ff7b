// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// alphabet of random rules and spans, so small that rules are often equal and often
// hold.
var (
	randomKeys      = []string{"a", "b", "c", "evaluation.x.y", "evaluation.x.z"}
	randomTexts     = []string{"", "a", "b", "ab", "abc"}
	randomSources   = []Source{SpanAttributes, SpanAttributes, ResourceAttributes, ""}
	randomOperators = []query.Operator{
		query.OpEquals, query.OpEquals, query.OpNotEquals, query.OpContains, query.OpNotContains, query.OpStartsWith,
		query.OpIn, query.OpNotIn, query.OpExists, query.OpNotExists, query.OpGreaterThan, "", "unknown",
	}
)

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func randomRule(r *rand.Rand) Rule {
	x := Rule{Key: one(r, randomKeys), Source: one(r, randomSources), Operator: one(r, randomOperators)}
	if r.IntN(8) > 0 {
		value := one(r, randomTexts)
		x.Value = &value
	}
	for range r.IntN(4) {
		x.Values = append(x.Values, one(r, randomTexts))
	}
	if r.IntN(20) == 0 { // more than are looked up by the text
		for i := range maxIndexedValues {
			x.Values = append(x.Values, strconv.Itoa(i))
		}
	}
	return x
}

func randomMonitors(r *rand.Rand) *Monitors {
	setups := make([]Setup, r.IntN(150))
	for i := range setups {
		setups[i].ID = strconv.Itoa(i)
		for range r.IntN(4) {
			setups[i].Selector = append(setups[i].Selector, randomRule(r))
		}
		if i > 0 && r.IntN(4) == 0 {
			setups[i].Selector = setups[r.IntN(i)].Selector
		}
	}
	return CompileAll(setups, nil)
}

func randomAttributes(r *rand.Rand) map[string]string {
	all := map[string]string{}
	for _, key := range randomKeys {
		if r.IntN(2) == 0 {
			all[key] = one(r, randomTexts)
		}
	}
	return all
}

// judged matches a span as it is judged: what verdicts are read comes from the
// monitors before. It describes what differs from what the selectors say one by one.
func judged(r *rand.Rand, monitors *Monitors, x *Matching, a attributes) string {
	matches := x.Match(a)
	for _, m := range monitors.List {
		var match *Match
		if len(matches) > 0 && matches[0].Monitor == m {
			match, matches = &matches[0], matches[1:]
		}
		if m.Chained && match != nil {
			if r.IntN(3) == 0 {
				a.span["evaluation.x."+one(r, []string{"y", "z"})] = one(r, randomTexts)
				x.Judged()
			}
			if !x.MatchVerdicts(*match) {
				match = nil
			}
		}
		if want := m.Setup.Selector.Matches(a); want != (match != nil) {
			return fmt.Sprintf("setup %s, selector %+v, span %q, resource %q: want %v", m.Setup.ID, m.Setup.Selector, a.span, a.resource, want)
		}
	}
	if len(matches) > 0 {
		return "a monitor is out of order"
	}
	return ""
}

// What a decision finds is what the selectors say one by one.
func TestDecisionIsThatOfTheSelectors(t *testing.T) {
	t.Parallel()
	require.NoError(t, quick.Check(func(seed uint64) bool {
		r := rand.New(rand.NewPCG(seed, 0))
		monitors := randomMonitors(r)
		for range 3 {
			x := monitors.Matching()
			resource := randomAttributes(r)
			for range 5 {
				if complaint := judged(r, monitors, x, attributes{randomAttributes(r), resource}); complaint != "" {
					t.Log(complaint)
					return false
				}
			}
			x.Release()
		}
		return true
	}, &quick.Config{MaxCount: 1000}))
}

// countingAttributes counts how often each attribute is asked for.
type countingAttributes struct {
	attributes

	asked map[string]int
}

func (c countingAttributes) SpanAttribute(key string) (string, bool) {
	c.asked["span "+key]++
	return c.attributes.SpanAttribute(key)
}

func (c countingAttributes) ResourceAttribute(key string) (string, bool) {
	c.asked["resource "+key]++
	return c.attributes.ResourceAttribute(key)
}

func TestAttributesAreReadOnce(t *testing.T) {
	t.Parallel()
	setups := make([]Setup, 100)
	for i := range setups {
		setups[i].Selector = Selector{
			{Key: "service.name", Source: ResourceAttributes, Operator: query.OpContains, Value: text("shop")},
			{Key: "vendor", Source: SpanAttributes, Operator: query.OpNotEquals, Value: text(strconv.Itoa(i))},
			{Key: "user", Source: SpanAttributes, Operator: query.OpEquals, Value: text(strconv.Itoa(i % 10))},
		}
	}
	monitors := CompileAll(setups, nil)
	x := monitors.Matching()
	defer x.Release()
	a := countingAttributes{attributes{
		span: map[string]string{"vendor": "acme", "user": "3"}, resource: map[string]string{"service.name": "the shop"},
	}, map[string]int{}}
	require.Len(t, x.Match(a), 10)
	require.Len(t, x.Match(a), 10)
	require.Equal(t, map[string]int{"span vendor": 2, "span user": 2, "resource service.name": 1}, a.asked)
	a.span["user"] = "nobody"
	clear(a.asked)
	require.Empty(t, x.Match(a))
	require.Equal(t, map[string]int{"span user": 1}, a.asked, "no setup is left that asks for more")
}

// A decision outlives changes of setups that leave the selectors alone, and no
// others.
func TestDecisionIsTakenOverWithTheSelectors(t *testing.T) {
	t.Parallel()
	rule := func(value string) Selector {
		return Selector{{Key: "k", Source: SpanAttributes, Operator: query.OpEquals, Value: &value}}
	}
	monitors := func(before *Monitors, values ...string) *Monitors {
		var list []*Monitor
		for _, v := range values {
			list = append(list, Compile(&Setup{Selector: rule(v)}, nil))
		}
		return together(list, before)
	}
	first := monitors(nil, "a", "b")
	require.Same(t, first.decision, monitors(first, "a", "b").decision)
	for _, values := range [][]string{{"a", "c"}, {"a"}, {"b", "a"}, {"a", "b", "c"}} {
		next := monitors(first, values...)
		x := next.Matching()
		for i, v := range values {
			matches := x.Match(attributes{span: map[string]string{"k": v}})
			require.Len(t, matches, 1)
			require.Same(t, next.List[i], matches[0].Monitor)
		}
		x.Release()
	}
}
