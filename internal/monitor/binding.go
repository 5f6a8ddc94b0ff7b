// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"context"
	"errors"
	"unique"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// SpanSource is one span that inputs are taken from.
type SpanSource interface {
	eval.Source
	Attributes
}

// ErrLoading is the Err of a Binding whose evaluator is still loading what it
// needs: what it should judge now is to be judged in a moment.
var ErrLoading = errors.New("the evaluator is loading what it needs")

// Binding is one evaluator of a monitor with its configuration and inputs. It is immutable and
// safe for concurrent use.
type Binding struct {
	Spec *SetupEvaluator
	// Evaluator is nil where it is unknown and where it is not at hand: custom
	// evaluators come along with what is deferred.
	Evaluator *eval.Evaluator
	Plan      eval.Plan
	// Err says why it cannot judge here: a fault, of kind NotConfigured
	// when something could be configured, or ErrLoading.
	Err error

	judge   *eval.Prepared      // with the Spec's configuration and backend; nil without an Evaluator
	sources map[string]*mapping // of the mapped inputs; nil without any
	asked   *eval.Prepared      // the judge that is asked about what is uncertain; nil where none is
	// cascades says that it is asked about everything uncertain, and skips that it is not
	// asked about other languages.
	cascades, skips bool
	lacking         error // why there is none, though one is to be asked
	others          OtherLanguages
	kind            Kind
}

// Input is one input of an evaluator as a span has it.
type Input struct {
	Name, Text      string
	Found, Required bool
}

func newBinding(w *SetupEvaluator, others OtherLanguages, find func(w *SetupEvaluator) (*eval.Evaluator, error)) *Binding {
	r := &Binding{Spec: w, others: others, kind: kindOf(w, others)}
	r.Evaluator, r.Err = find(w)
	if r.Err != nil {
		return r
	}
	config, err := w.configuration()
	if err != nil {
		r.Err = err
		return r
	}
	if r.sources, r.Err = compileSources("input_mapping", w.Inputs); r.Err != nil {
		return r
	}
	if r.Evaluator == nil { // who has it will look closer
		r.Plan = eval.Plan{Backend: eval.Judge, Deferred: true}
		return r
	}
	if lacking := r.Evaluator.Unmapped(r.isMapped); lacking != nil {
		r.Err = fault.New(fault.Invalid, "%s needs the input %s, which spans do not have by themselves: map it", w.Slug, lacking.Name)
		return r
	}
	if r.Plan, r.Err = r.Evaluator.Plan(config); r.Err != nil {
		return r
	}
	r.meet()
	r.judge, r.Err = r.Evaluator.Prepare(config)
	return r
}

func (r *Binding) isMapped(input string) bool { return r.sources[input] != nil }

// Judge judges a span with the Spec's configuration and inputs, as
// eval.Prepared.FromInputs does. Err must be nil and Evaluator must not.
func (r *Binding) Judge(ctx context.Context, s SpanSource) (eval.Result, error) {
	return r.JudgeInputs(ctx, func(f *eval.Field) (string, bool) { return r.Input(s, f) })
}

// JudgeInputs is Judge with inputs that were taken before, by Input.
func (r *Binding) JudgeInputs(ctx context.Context, get func(f *eval.Field) (string, bool)) (eval.Result, error) {
	return r.judge.FromInputs(ctx, get)
}

// Input takes one input of the evaluator from a span.
func (r *Binding) Input(s SpanSource, f *eval.Field) (text string, ok bool) {
	if m := r.sources[f.Name]; m != nil {
		return m.take(s)
	}
	if f.Part == "" {
		return "", false
	}
	return s.Part(f.Part)
}

// Where returns where a span has an input: as it is mapped, else as the evaluator
// says; the zero value where neither does.
func (r *Binding) Where(f *eval.Field) InputSource {
	if m := r.sources[f.Name]; m != nil {
		return m.source
	}
	if f.Part == "" {
		return InputSource{}
	}
	return InputSource{Source: Span, Key: string(f.Part)}
}

// Lacks says at what the taking of an input ended, LackNothing if the span has it.
func (r *Binding) Lacks(s SpanSource, f *eval.Field) Lack {
	if m := r.sources[f.Name]; m != nil {
		_, lack := m.taken(s)
		return lack
	}
	if _, ok := r.Input(s, f); ok {
		return LackNothing
	}
	return LackSource
}

// Part returns the part of spans that an input is taken from, "" where it is an
// attribute, a field or nothing.
func (r *Binding) Part(f *eval.Field) span.Part {
	if m := r.sources[f.Name]; m != nil {
		return m.part()
	}
	return f.Part
}

// Wanter says of parts of a span whether they are rather found in the rest of its
// trace, as genai.View does.
type Wanter interface {
	Wants(name span.Part) bool
}

// Wants reports whether an input is rather found in the rest of the span's
// trace, as v says of its part.
func (r *Binding) Wants(v Wanter) bool {
	if r.Evaluator == nil {
		return false
	}
	for i := range r.Evaluator.Input {
		if part := r.Part(&r.Evaluator.Input[i]); part != "" && v.Wants(part) {
			return true
		}
	}
	return false
}

// Inputs returns all inputs as the span has them.
func (r *Binding) Inputs(s SpanSource) []Input {
	if r.Evaluator == nil {
		return nil
	}
	list := make([]Input, len(r.Evaluator.Input))
	for i := range r.Evaluator.Input {
		f := &r.Evaluator.Input[i]
		text, ok := r.Input(s, f)
		list[i] = Input{Name: f.Name, Text: text, Found: ok, Required: f.Required}
	}
	return list
}

// Kind is equal for bindings that come to the same verdict on the same span, when the
// same process found their evaluators. The zero value is of none.
type Kind struct{ handle unique.Handle[string] }

func kindOf(w *SetupEvaluator, others OtherLanguages) Kind {
	return Kind{unique.Make(string(others) + w.key())}
}

// Kind returns the kind of r.
func (r *Binding) Kind() Kind { return r.kind }

// Same reports whether two bindings are of one kind.
func (r *Binding) Same(other *Binding) bool { return r.kind == other.kind }
