// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// change is what an update replaces: what is nil stays.
type change struct {
	names
	bounds
	selector   *monitor.Selector
	evaluators wanted
	settings   []settings
	find       FindEvaluator
	paused     rest.Optional[bool]
}

// change returns what the body of an update replaces. null leaves as it is, but
// for bounds, which it takes away.
func (q *SetupRequest) change(find FindEvaluator) (*change, error) {
	c := &change{names: q.names, bounds: q.bounds, settings: q.Settings.list, find: find, paused: q.Paused}
	if err := checkNamed(c.settings); err != nil {
		return nil, err
	}
	if q.Evaluators != nil {
		var err error
		if c.evaluators, err = findAll(q.Evaluators, find); err != nil {
			return nil, err
		}
	}
	if q.Selector.given || q.InitRules.given {
		selector, err := q.selector()
		if err != nil {
			return nil, err
		}
		c.selector = &selector
	}
	return c, nil
}

// apply returns the setup as the user wishes it from now on, which begins again.
func (c *change) apply(s monitor.Setup, now time.Time) (monitor.Setup, error) {
	if err := c.keeps(&s); err != nil {
		return s, err
	}
	if c.paused.Given {
		s = s.Pausing(now, c.paused.Value)
		if !c.replaces() && !c.given() {
			return s, nil
		}
	}
	if c.selector != nil {
		s.Selector = *c.selector
	}
	evaluators, err := c.judges(s.Evaluators)
	if err != nil {
		return s, err
	}
	was := s.OtherLanguages
	c.bound(&s)
	s.Evaluators = evaluators
	if err := checkOnVerdict(&s, c.find); err != nil {
		return s, err
	}
	return s.Changed(now, c.replaces() || s.OtherLanguages != was), nil
}

// replaces reports whether selector or evaluators are replaced.
func (c *change) replaces() bool {
	return c.selector != nil || c.evaluators != nil || c.settings != nil
}

// judges returns the evaluators as they are to be. Those that stay keep their
// settings unless the change has new ones.
func (c *change) judges(were []monitor.SetupEvaluator) ([]monitor.SetupEvaluator, error) {
	if c.settings != nil {
		list, err := c.listed(were)
		if err != nil {
			return nil, err
		}
		return list.with(c.settings)
	}
	next := slices.Clone(were)
	if c.evaluators != nil {
		var err error
		if next, err = c.evaluators.with(nil); err != nil {
			return nil, err
		}
	}
	for i := range next {
		e := &next[i]
		at := slices.IndexFunc(were, func(w monitor.SetupEvaluator) bool { return w.Slug == e.Slug && w.CustomID == e.CustomID })
		if at >= 0 && (c.evaluators == nil || c.evaluators[i].settings == nil) {
			e.Config, e.Backend, e.SampleRate, e.Inputs = were[at].Config, were[at].Backend, were[at].SampleRate, were[at].Inputs
		}
	}
	return next, nil
}

// listed are the evaluators that settings may be about.
func (c *change) listed(were []monitor.SetupEvaluator) (wanted, error) {
	if c.evaluators != nil {
		return c.evaluators, nil
	}
	list := make(wanted, len(were))
	for i := range were {
		name := were[i].Slug
		if were[i].CustomID != "" {
			name = were[i].CustomID
		}
		e, err := c.find(name)
		if fault.Is(err, fault.NotFound) {
			return nil, fault.New(fault.Invalid, "%s: the evaluator %.100q of the setup is gone: leave it out of evaluators", settingsField, name)
		}
		if err != nil {
			return nil, err
		}
		list[i].evaluator = e
	}
	return list, nil
}
