// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Basis is what the figures of a funnel rest on.
type Basis string

const (
	// Totals: the store counted all spans of the period.
	Totals Basis = "totals"
	// Looked: spans of the period were looked at one by one, the newest first.
	Looked Basis = "spans"
)

// maxCounted is how many rules the store is asked to count: each is a look at
// all spans of the period.
const maxCounted = 10

// Of spans by their arrival so many are read at once, as few may be wanted, and those
// that started so long before the period are left out.
const (
	arrivedAtOnce = 100
	startsBefore  = 24 * time.Hour
)

// RuleFunnel is how many spans of a period pass a selector's rules one after the
// other.
type RuleFunnel struct {
	Selector monitor.Selector
	From, To int64 // start of the spans in Unix nanoseconds, both inclusive
	// Arrived has Look take From for when spans came in, and look at those that came
	// last first.
	Arrived bool
	// MaxSpans is how many spans are looked at one by one, about, and Until is when
	// that ends and what was not counted stays so.
	MaxSpans int64
	Until    time.Time
	Now      func() time.Time

	Basis Basis
	Spans int64 // that the figures are about
	// Passed says for each rule how many spans pass it and those before it.
	Passed []int64
	// Truncated says that there are more spans in the period than Spans.
	Truncated bool

	losses []losses // by the rule that is the first not to hold
}

// losses are the spans that a rule is the first not to hold for.
type losses struct {
	looked int
	last   *FindingAnswer           // of the span that was looked at last
	near   map[NearAnswer]*occurred // by what is nearest, without its value
}

// occurred is how often something was nearest, and when first.
type occurred struct {
	times int
	first FindingAnswer
}

// maxLosses is of how many of them it is asked what would have held.
const maxLosses = 100

// Count fills in the figures, about all spans of the period if the store can
// count them.
func (f *RuleFunnel) Count(ctx context.Context, records store.Searcher, env tenant.Environment) error {
	f.reset()
	counted, err := f.count(ctx, records, env)
	if err != nil || counted {
		return err
	}
	return f.walk(ctx, records, env, nil)
}

// Look fills in the figures by looking at spans one by one.
func (f *RuleFunnel) Look(ctx context.Context, records store.Searcher, env tenant.Environment) error {
	f.reset()
	return f.walk(ctx, records, env, nil)
}

func (f *RuleFunnel) reset() {
	f.Passed, f.losses = make([]int64, len(f.Selector)), make([]losses, len(f.Selector))
}

// count has the store count, which it does of rules that it reads as selectors
// do. It reports false where there are others, or time is over.
func (f *RuleFunnel) count(ctx context.Context, records store.Searcher, env tenant.Environment) (bool, error) {
	filters := Filters(f.Selector)
	if len(filters) < len(f.Selector) || len(filters) > maxCounted {
		return false, nil
	}
	q := query.Query{From: f.From, To: f.To, Total: true, Order: query.Order{By: query.SortTimestamp}}
	for i := range len(filters) + 1 {
		q.Filters = filters[:i]
		if i > 0 && f.Now().After(f.Until) {
			return false, nil
		}
		if i > 1 && f.Passed[i-2] == 0 {
			continue // nothing is left that could pass
		}
		page, err := records.Search(ctx, env, q)
		if err != nil {
			return false, err
		}
		if i == 0 {
			f.Spans = page.Total
		} else {
			f.Passed[i-1] = page.Total
		}
	}
	f.Basis = Totals
	stop, found := f.Stop()
	if !found {
		return true, nil
	}
	// A few of the spans that come so far tell what would have held.
	few := RuleFunnel{Selector: f.Selector, From: f.From, To: f.To, MaxSpans: maxLosses, Until: f.Until, Now: f.Now}
	few.Passed, few.losses = make([]int64, len(f.Selector)), f.losses
	return true, few.walk(ctx, records, env, filters[:stop])
}

// walk looks at spans that pass the filters, with the rules themselves.
func (f *RuleFunnel) walk(ctx context.Context, records store.Searcher, env tenant.Environment, filters []query.Filter) error {
	f.Basis, f.Spans = Looked, 0
	clear(f.Passed)
	q := query.Query{
		From: f.From, To: f.To, Filters: filters, Limit: int(min(f.MaxSpans, query.MaxLimit)),
		Order: query.Order{By: query.SortTimestamp, Descending: true},
	}
	if f.Arrived {
		q.From, q.Order.By, q.Limit = f.From-int64(startsBefore), query.SortArrived, min(q.Limit, arrivedAtOnce)
	}
	var view genai.View
	for {
		page, err := records.Search(ctx, env, q)
		if err != nil {
			return err
		}
		for i := range page.Spans {
			if f.Arrived && page.Spans[i].Arrived < f.From {
				return nil
			}
			view.ResetStored(&page.Spans[i], env.Mappings)
			f.add(subject{&page.Spans[i], &view})
			f.Spans++
		}
		if page.Next == nil {
			return nil
		}
		if f.Spans >= f.MaxSpans || f.Now().After(f.Until) {
			f.Truncated = true
			return nil
		}
		q.After = page.Next
	}
}

// add takes in one span.
func (f *RuleFunnel) add(s subject) {
	for i := range f.Selector {
		found := f.Selector[i].Find(s.view)
		if found.Holds {
			f.Passed[i]++
			continue
		}
		lost := &f.losses[i]
		if lost.looked++; lost.looked > maxLosses {
			return
		}
		lost.note(s.show(&f.Selector[i], found))
		return
	}
}

// Stop returns the index of the first rule that no span passes of those that
// come to it; found is false where some span passes all, and where there are no
// spans.
func (f *RuleFunnel) Stop() (rule int, found bool) {
	before := f.Spans
	for i, n := range f.Passed {
		if n == 0 {
			return i, before > 0
		}
		before = n
	}
	return 0, false
}

// Lost returns what a rule found of a span that passes all rules before it: of
// one with what is nearest most often, if anything is. It is nil where no such
// span was looked at.
func (f *RuleFunnel) Lost(rule int) *FindingAnswer { return f.losses[rule].typical() }

func (l *losses) note(f FindingAnswer) {
	l.last = &f
	if f.Nearest == nil {
		return
	}
	near := *f.Nearest
	near.Value = ""
	if l.near == nil {
		l.near = map[NearAnswer]*occurred{}
	}
	if l.near[near] == nil {
		l.near[near] = &occurred{first: f}
	}
	l.near[near].times++
}

func (l *losses) typical() *FindingAnswer {
	var most *occurred
	for _, o := range l.near {
		// Of two that occur equally often the one counts that sorts first.
		if most == nil || o.times > most.times || o.times == most.times && o.first.Nearest.Key < most.first.Nearest.Key {
			most = o
		}
	}
	if most == nil {
		return l.last
	}
	return &most.first
}
