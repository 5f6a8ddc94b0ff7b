// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"fmt"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/mask"
)

// OnVerdict says what becomes of a matched span, before anybody keeps it or hands it on,
// when a verdict speaks against it.
type OnVerdict struct {
	_ struct{} `doc:"What becomes of a matched span, before it is stored or handed on, when the verdict of an evaluator speaks against it." schema:"additionalProperties=false"`

	Evaluator   string        `json:"evaluator" doc:"The slug of an evaluator of the setup that judges in place and every span: without sample_rate, and with a backend that asks no model where it could ask one." schema:"required minLength=1 maxLength=255"`
	Action      VerdictAction `json:"action" doc:"mask replaces what was found by its kind, hash by its kind and a keyed hash by which equal values of the environment are seen to be equal; both need an evaluator that tells where it found something: pii-detector, secrets-detector, or regex-validator with should_match false. They search every text of the span. drop_content takes messages, inputs and outputs off the span, drop_span takes the span away." schema:"required" enum:"mask,hash,drop_content,drop_span" must:"one of mask, hash, drop_content, drop_span"`
	OnFailure   OnFailure     `json:"on_failure,omitempty" doc:"What becomes of what could not be judged, be it that the evaluator failed or had no time: drop_content replaces a text that could not be searched, and drops the content of a span without its verdict; keep leaves it as it is." schema:"default=drop_content" enum:"drop_content,keep" must:"one of drop_content, keep"`
	OnUncertain OnUncertain   `json:"on_uncertain,omitempty" doc:"What becomes of a span of which the verdict is uncertain: keep leaves it as it is, drop_content takes messages, inputs and outputs off it." schema:"default=keep" enum:"keep,drop_content" must:"one of keep, drop_content"`
}

// VerdictAction is what becomes of a span.
type VerdictAction string

const (
	ActMask        VerdictAction = "mask"         // what was found is replaced by its kind
	ActHash        VerdictAction = "hash"         // it is replaced by its kind and a keyed hash
	ActDropContent VerdictAction = "drop_content" // messages, inputs and outputs go
	ActDropSpan    VerdictAction = "drop_span"    // the span goes
)

// OnFailure is what becomes of a span where there is no verdict, though there was something
// to judge. The zero value is FailDropContent.
type OnFailure string

const (
	FailDropContent OnFailure = "drop_content" // what could not be judged goes
	FailKeep        OnFailure = "keep"         // it stays as it is
)

// OnUncertain is what becomes of a span, or of a text, where the verdict is uncertain. The
// zero value is UncertainKeep.
type OnUncertain string

const (
	UncertainKeep        OnUncertain = "keep"         // it stays as it is
	UncertainDropContent OnUncertain = "drop_content" // the content goes
)

// Check refuses, with a fault of kind Invalid that names the field, what is none of them.
func (o OnUncertain) Check(field string) error {
	if o != "" && o != UncertainKeep && o != UncertainDropContent {
		return fault.New(fault.Invalid, "%s must be one of keep, drop_content", field)
	}
	return nil
}

// verdictActions and onFailures are what there is to choose from.
var (
	verdictActions = []VerdictAction{ActMask, ActHash, ActDropContent, ActDropSpan}
	onFailures     = []OnFailure{FailDropContent, FailKeep}
)

// replaces reports whether the action is on what was found alone.
func (a VerdictAction) replaces() bool { return a == ActMask || a == ActHash }

// CheckOnVerdict refuses, with a fault of kind Invalid, what cannot be done on the verdicts
// of a setup: by what does not judge in place, judges only some spans, or, where what was
// found is to be replaced, does not tell where it is. The message names the element below
// path. The evaluators are found by find.
func CheckOnVerdict(path string, s *Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) error {
	for i := range s.OnVerdict {
		o := &s.OnVerdict[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		w := s.evaluator(o.Evaluator)
		same := func(other OnVerdict) bool { return other.Evaluator == o.Evaluator }
		switch {
		case o.Evaluator == "":
			return fault.New(fault.Invalid, "%s.evaluator is required", at)
		case w == nil:
			return fault.New(fault.Invalid, "%s.evaluator: %.100q is not an evaluator of the setup", at, o.Evaluator)
		case slices.ContainsFunc(s.OnVerdict[:i], same):
			return fault.New(fault.Invalid, "%s.evaluator is named before", at)
		case !slices.Contains(verdictActions, o.Action):
			return fault.New(fault.Invalid, "%s.action must be one of mask, hash, drop_content, drop_span", at)
		case o.OnFailure != "" && !slices.Contains(onFailures, o.OnFailure):
			return fault.New(fault.Invalid, "%s.on_failure must be one of drop_content, keep", at)
		case o.OnUncertain.Check(at+".on_uncertain") != nil:
			return o.OnUncertain.Check(at + ".on_uncertain")
		case w.SampleRate != 0 && w.SampleRate != 1:
			return fault.New(fault.Invalid, "%s.evaluator: %s must judge every span: leave out its sample_rate", at, o.Evaluator)
		}
		e, err := find(w)
		if err != nil {
			return err
		}
		if err := o.check(at, w, e); err != nil {
			return err
		}
	}
	return nil
}

func (o *OnVerdict) check(at string, w *SetupEvaluator, e *eval.Evaluator) error {
	if models := e.Backends(); w.CustomID != "" || !slices.ContainsFunc(models, eval.Backend.InPlace) {
		return fault.New(fault.Invalid, "%s.evaluator: %s asks a model, and no span waits for one", at, o.Evaluator)
	} else if !eval.Backend(w.Backend).InPlace() && (!w.leavesBackend() || !models[0].InPlace()) {
		return fault.New(fault.Invalid, "%s.evaluator: %s may ask a model, and no span waits for one: set its backend to %s", at, o.Evaluator, e.Backend)
	}
	if !slices.ContainsFunc(e.Output, func(f eval.Field) bool { return f.Good() != nil }) {
		return fault.New(fault.Invalid, "%s.evaluator: the verdicts of %s speak neither for a text nor against it", at, o.Evaluator)
	}
	if !o.Action.replaces() {
		return nil
	}
	if !e.TellsPlaces() {
		return fault.New(fault.Invalid, "%s.action must be drop_content or drop_span: %s does not tell where in a text it found something", at, o.Evaluator)
	}
	if _, err := e.Finder(w.Config); err != nil {
		return fault.Wrap(fault.Invalid, err, "%s.action: %s: %s", at, o.Evaluator, fault.Message(err))
	}
	return nil
}

// evaluator returns an evaluator of the setup by its slug, nil if it has none.
func (s *Setup) evaluator(slug string) *SetupEvaluator {
	at := slices.IndexFunc(s.Evaluators, func(w SetupEvaluator) bool { return w.Slug == slug })
	if at < 0 {
		return nil
	}
	return &s.Evaluators[at]
}

// Hashes reports whether one of the setups asks for hashes.
func Hashes(setups []Setup) bool {
	for i := range setups {
		if slices.ContainsFunc(setups[i].OnVerdict, func(o OnVerdict) bool { return o.Action == ActHash }) {
			return true
		}
	}
	return false
}

// Act is an OnVerdict, compiled.
type Act struct {
	Evaluator string
	Action    VerdictAction
	Keep      bool // what could not be judged
	// DropUncertain says that the content goes where the verdict is uncertain.
	DropUncertain bool
	// Binding is that of the evaluator, nil if it is gone.
	Binding *Binding
	// Rule finds what speaks against a span in all of its texts; nil where the verdict is
	// all there is.
	Rule *mask.Rule
}

func newAct(o *OnVerdict, m *Monitor) *Act {
	a := &Act{Evaluator: o.Evaluator, Action: o.Action, Keep: o.OnFailure == FailKeep, DropUncertain: o.OnUncertain == UncertainDropContent, Binding: m.Binding(o.Evaluator)}
	if a.Binding == nil || a.Binding.Evaluator == nil || !a.Binding.Evaluator.TellsPlaces() {
		return a
	}
	find, err := a.Binding.Evaluator.Finder(a.Binding.Spec.Config)
	if err != nil { // its places are of texts that pass: the verdict counts
		return a
	}
	effect := mask.Mask
	if a.Action == ActHash {
		effect = mask.Hash
	}
	a.Rule = mask.NewRule(find, effect, a.Keep)
	return a
}

// MayMatchResource reports whether the rules hold that read the resource alone: spans of
// it may match.
func (m *Monitor) MayMatchResource(a Attributes) bool {
	for i := range m.Setup.Selector {
		r := &m.Setup.Selector[i]
		if r.Source == ResourceAttributes && !r.Find(a).Holds {
			return false
		}
	}
	return true
}
