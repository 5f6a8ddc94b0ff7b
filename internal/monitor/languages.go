// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// OtherLanguages says what becomes of a text in a language that the evaluator
// does not know. The zero value is OthersJudge, but where the setup names a
// backend other than the judge it is OthersSkip: who wants no model asked is not
// asked to pay for one.
type OtherLanguages string

const (
	OthersJudge OtherLanguages = "judge" // a judge is asked if there is one, else the verdict is uncertain
	OthersSkip  OtherLanguages = "skip"  // the verdict is uncertain
	OthersUse   OtherLanguages = "use"   // it is judged as if the evaluator knew the language
)

// Validate refuses, with a fault of kind Invalid that names the field, what is
// none of them.
func (o OtherLanguages) Validate(field string) error {
	if o != "" && !slices.Contains([]OtherLanguages{OthersJudge, OthersSkip, OthersUse}, o) {
		return fault.New(fault.Invalid, "%s must be one of judge, skip, use", field)
	}
	return nil
}

// meet prepares a run whose evaluator is at hand for what that is uncertain of.
func (r *Binding) meet() {
	if r.Plan.Then != "" {
		r.meetByJudge()
		r.cascades = r.asked != nil
	}
	o := r.others
	if len(r.Evaluator.Languages) == 0 || r.Plan.Deferred {
		return
	}
	if o == "" && !r.Spec.leavesBackend() {
		o = OthersSkip
	}
	switch o {
	case OthersUse:
		r.Evaluator = r.Evaluator.InAnyLanguage()
	case OthersSkip:
		r.skips = true
	default:
		r.meetByJudge()
	}
}

func (r *Binding) meetByJudge() {
	if !slices.Contains(r.Evaluator.Backends(), eval.Judge) {
		return
	}
	judged := *r.Spec
	judged.Backend = string(eval.Judge)
	config, err := judged.configuration()
	if err != nil {
		return
	}
	if _, r.lacking = r.Evaluator.Plan(config); r.lacking != nil {
		return
	}
	if judge, err := r.Evaluator.Prepare(config); err == nil {
		r.asked = judge
	}
}

// AsksJudge reports whether a judge is asked about this result: that of a cascade is
// uncertain, or the text is in a language that the evaluator does not know. That takes long:
// no span is to wait for it.
func (r *Binding) AsksJudge(result *eval.Result) bool {
	if !result.Uncertain || r.asked == nil {
		return false
	}
	if result.Reason == eval.ReasonLanguage {
		return !r.skips
	}
	return r.cascades
}

// LacksJudge returns why no judge is asked about this result here although the setup
// wants one to be, nil where that is not so.
func (r *Binding) LacksJudge(result *eval.Result) error {
	if !result.Uncertain || result.Reason != eval.ReasonLanguage {
		return nil
	}
	return r.lacking
}

// AskJudge is JudgeInputs by a judge, whatever backend the setup names. AsksJudge
// must be true.
func (r *Binding) AskJudge(ctx context.Context, get func(f *eval.Field) (string, bool)) (eval.Result, error) {
	return r.asked.FromInputs(ctx, get)
}
