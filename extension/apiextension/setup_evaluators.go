// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxSetupEvaluators is how many evaluators one setup may have.
const maxSetupEvaluators = 100

const evaluatorsField = "evaluators"

// known is an evaluator that a setup may name.
type known struct {
	*eval.Evaluator
	customID string // "" for one of the catalog
}

// findEvaluator gives the evaluator of a slug or an id, and false if the
// environment knows none.
type findEvaluator func(name string) (known, bool, error)

// finder gives what finds the evaluators of an environment. Should a release
// bring a prebuilt evaluator with the slug of a custom one, the slug means the
// prebuilt one and the id still the custom one.
func (a *api) finder(ctx context.Context, env tenant.Environment) findEvaluator {
	return func(name string) (known, bool, error) {
		if e, found := a.catalog.Get(name); found {
			return known{Evaluator: e}, true, nil
		}
		c, err := a.evaluators().Get(ctx, env.ID, name)
		switch {
		case fault.Is(err, fault.NotFound):
			return known{}, false, nil
		case err != nil:
			return known{}, false, err
		}
		return a.knownCustom(c), true, nil
	}
}

func (a *api) knownCustom(c eval.Custom) known {
	return known{c.Evaluator(func() eval.JudgeModel { return model.JudgeOf(a.models, &c) }), c.ID}
}

// wanted are the evaluators that a request names, in its order.
type wanted []wantedEvaluator

type wantedEvaluator struct {
	known
	path     string
	settings *settings // that stand beside the name, nil for none
}

// parseEvaluators takes slugs, bare or as {"evaluator_type": slug}, and ids as
// {"evaluator_id": id}. An object may have the evaluator's settings too.
func parseEvaluators(raw json.RawMessage, find findEvaluator) (wanted, error) {
	if absent(raw) {
		return nil, fault.New(fault.Invalid, "%s is required", evaluatorsField)
	}
	list, err := items(evaluatorsField, raw)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, fault.New(fault.Invalid, "%s must contain at least one item", evaluatorsField)
	case len(list) > maxSetupEvaluators:
		return nil, fault.New(fault.Invalid, "%s must have at most %d items", evaluatorsField, maxSetupEvaluators)
	}
	all := make(wanted, len(list))
	for i, item := range list {
		if all[i], err = parseEvaluator(fmt.Sprintf("%s[%d]", evaluatorsField, i), item, find); err != nil {
			return nil, err
		}
		same := func(e wantedEvaluator) bool { return e.Slug == all[i].Slug }
		if earlier := slices.IndexFunc(all[:i], same); earlier >= 0 {
			return nil, fault.New(fault.Invalid, "%s is the same evaluator as %s[%d]", all[i].path, evaluatorsField, earlier)
		}
	}
	return all, nil
}

func parseEvaluator(path string, item json.RawMessage, find findEvaluator) (w wantedEvaluator, err error) {
	var name string
	switch kindOf(item) {
	case '"':
		w.path = path
		if json.Unmarshal(item, &name) != nil {
			return w, fault.New(fault.Invalid, "%s must be the slug of an evaluator", path)
		}
	case '{':
		if w.settings, err = parseSetting(path, "", item); err != nil {
			return w, err
		}
		name, w.path = w.settings.name, w.settings.namePath
		if w.settings.empty() {
			w.settings = nil
		}
	default:
		return w, fault.New(fault.Invalid, "%s must be the slug of an evaluator", path)
	}
	e, found, err := find(name)
	if err != nil {
		return w, err
	}
	if !found {
		return w, fault.New(fault.Invalid, "%s: unknown evaluator slug %.100q", w.path, name)
	}
	w.known = e
	return w, nil
}

// with gives the evaluators of a setup, each with its settings of either place.
func (w wanted) with(all []settings) ([]monitor.SetupEvaluator, error) {
	evaluators := make([]monitor.SetupEvaluator, len(w))
	for i := range w {
		evaluators[i] = monitor.SetupEvaluator{Slug: w[i].Slug, CustomID: w[i].customID, Status: monitor.Pending}
		if w[i].settings == nil {
			continue
		}
		if err := w[i].settings.apply(&evaluators[i], w[i].Evaluator); err != nil {
			return nil, err
		}
	}
	done := make([]*settings, len(w))
	for i := range all {
		s := &all[i]
		at := slices.IndexFunc(w, func(e wantedEvaluator) bool { return e.Slug == s.name || e.customID != "" && e.customID == s.name })
		switch {
		case at < 0:
			return nil, s.unnamed()
		case w[at].settings != nil:
			return nil, fault.New(fault.Invalid, "%s: the evaluator has settings in %s already", s.namePath, w[at].path)
		case done[at] != nil:
			return nil, fault.New(fault.Invalid, "%s is the same evaluator as %s", s.namePath, done[at].path)
		}
		done[at] = s
		if err := s.apply(&evaluators[at], w[at].Evaluator); err != nil {
			return nil, err
		}
	}
	return evaluators, nil
}
