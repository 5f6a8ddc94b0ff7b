// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding/json"
	"slices"
)

// Plan says how a verdict would come about.
type Plan struct {
	// Backend is what would judge.
	Backend Backend
	// Deferred says that a model is asked, which may take seconds: no span is
	// to wait for it. Otherwise the verdict is computed in place.
	Deferred bool
	// Then is what is asked about what Backend is uncertain of, "" for nothing.
	Then Backend
}

// AsksModel reports whether a model may be asked, at first or then.
func (p Plan) AsksModel() bool { return p.Deferred || p.Then != "" }

// Plan returns how the evaluator would judge with this configuration and the
// models it has. A fault of kind NotConfigured says that it cannot judge with
// them, and what is to be configured; one of kind Invalid or TooLarge that the
// configuration is refused.
func (e *Evaluator) Plan(config json.RawMessage) (Plan, error) {
	return e.typed.plan(e.usable(), config)
}

// Available returns a fault of kind NotConfigured if one of Backends lacks the model
// that it needs, which says what is to be configured.
func (e *Evaluator) Available(b Backend) error {
	_, err := e.typed.chosen(e.usable(), string(b))
	return err
}

// Auto returns how the evaluator would judge if the choice of the backend is left to
// it. The error is as that of Available.
func (e *Evaluator) Auto() (Plan, error) { return e.typed.chosen(e.usable(), auto) }

// With returns the same evaluator with models to use, as Catalog.With does.
func (e *Evaluator) With(models Models) *Evaluator {
	with := *e
	with.models = func(string) Models { return models }
	return &with
}

// usable returns the models that the evaluator may use now.
func (e *Evaluator) usable() Models {
	if e.models == nil {
		return Models{}
	}
	return e.models(e.Slug)
}

// allExamples returns the examples that run anywhere and those that a judge answers.
func (e *Evaluator) allExamples() []Example { return slices.Concat(e.Examples, e.JudgeExamples) }
