// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Opinion is a verdict that somebody else gave on a span: an application with its
// SDK, another product, or a person.
type Opinion struct {
	// Source is FromSDK or FromHuman.
	Source EvaluationSource
	// By tells several that give an opinion of one name apart: the identifier of an
	// evaluator, or the person. It may be "".
	By string
	// Of is what the opinion is about where that is not the span alone: trace or
	// session; "" is the span.
	Of string
	// Name is the criterion, as whoever judged calls it.
	Name string
	// Outputs are the values by their names, none of them twice.
	Outputs []Output
	// Error is the type of the error where the judging ended in one, else "".
	Error string
	// Version is the evaluator's, and Model that of the judge; "" where not told.
	Version, Model string
	// Time is when it was given, Unix nanoseconds.
	Time int64
}

// Names of outputs of opinions.
const (
	OpinionScore       = "score"       // a finite number
	OpinionLabel       = "label"       // a category
	OpinionExplanation = "explanation" // for people to read
	OpinionKind        = "kind"        // of whoever judged: human, llm_judge, deterministic, or what the sender says
	OpinionMetadata    = "metadata"    // what the sender adds, JSON
	OpinionValue       = "value"       // of a label of a person: a text, a number or a boolean
	OpinionComment     = "comment"     // of a person
	OpinionAuthor      = "author"      // the person
)

// IsOpinionOutput reports whether opinions have outputs of this name.
func IsOpinionOutput(name string) bool {
	switch name {
	case OpinionScore, OpinionLabel, OpinionExplanation, OpinionKind, OpinionMetadata, OpinionValue, OpinionComment, OpinionAuthor:
		return true
	}
	return false
}

// Bounds of an opinion.
const (
	MaxOpinionName = 200    // bytes of Name, of By and of the name of an output
	MaxOpinionText = 64_000 // bytes of a text among the values; more is cut
	MaxOpinions    = 100    // on one span, in one request
)

// opinionMark parts the source from the name in the evaluators of opinions. Slugs
// do not have it, so that no opinion can be taken for a verdict of ours.
const opinionMark = ":"

// OpinionSource returns the source that an evaluator's name begins with, and the
// rest; found is false for evaluators of ours.
func OpinionSource(evaluator string) (source EvaluationSource, name string, found bool) {
	before, after, _ := strings.Cut(evaluator, opinionMark)
	switch source = EvaluationSource(before); source {
	case FromSDK, FromHuman:
		return source, after, after != ""
	case FromTouchstone:
	}
	return FromTouchstone, evaluator, false
}

// OpinionEvaluator returns what the evaluator of an opinion is called.
func OpinionEvaluator(source EvaluationSource, name string) string {
	return string(source) + opinionMark + name
}

// OpinionSetup returns what stands in place of a setup in the opinions of somebody,
// on spans.
func OpinionSetup(source EvaluationSource, by string) string {
	return string(source) + opinionMark + by
}

// Evaluation returns what is stored of an opinion: done, or failed if it has an
// Error. Its errors are faults of kind Invalid that name the field as clients
// write it.
func (o *Opinion) Evaluation() (Evaluation, error) {
	name, by := tidy(o.Name), tidy(o.By)
	switch {
	case name == "":
		return Evaluation{}, fault.New(fault.Invalid, "name is required")
	case len(name) > MaxOpinionName:
		return Evaluation{}, fault.New(fault.Invalid, "name must be at most %d bytes long", MaxOpinionName)
	case len(by) > MaxOpinionName:
		return Evaluation{}, fault.New(fault.Invalid, "author must be at most %d bytes long", MaxOpinionName)
	}
	e := Evaluation{
		// No setup has such an id, for theirs are UUIDs.
		SetupID:   OpinionSetup(o.Source, by),
		Evaluator: OpinionEvaluator(o.Source, name),
		Status:    Done, Source: o.Source, Version: cutBytes(tidy(o.Version), MaxOpinionName), Model: cutBytes(tidy(o.Model), MaxOpinionName),
		Time: max(o.Time, 0),
	}
	if o.Of != "" {
		e.SetupID += opinionMark + o.Of
	}
	if o.Error != "" {
		e.Status, e.Reason = Failed, cutBytes(tidy(o.Error), MaxOpinionName)
	}
	for _, output := range o.Outputs {
		output.Name = tidy(output.Name)
		if output.Name == "" || len(output.Name) > MaxOpinionName {
			return Evaluation{}, fault.New(fault.Invalid, "a value must have a name of 1 to %d bytes", MaxOpinionName)
		}
		switch value := output.Value.(type) {
		case string:
			text := cutBytes(tidy(value), MaxOpinionText)
			e.Truncated = e.Truncated || len(text) < len(value)
			output.Value = text
		case float64:
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return Evaluation{}, fault.New(fault.Invalid, "%s must be a finite number", output.Name)
			}
		}
		e.Outputs = append(e.Outputs, output)
	}
	if len(e.Outputs) == 0 && e.Status == Done {
		return Evaluation{}, fault.New(fault.Invalid, "%s says nothing", name)
	}
	return e, nil
}

// Opinion returns the opinion that an evaluation was made of, and whether it is
// one.
func (e *Evaluation) Opinion() (o Opinion, found bool) {
	source, name, found := OpinionSource(e.Evaluator)
	if !found {
		return o, false
	}
	o = Opinion{Source: source, Name: name, Outputs: e.Outputs, Version: e.Version, Model: e.Model, Time: e.Time}
	o.By = strings.TrimPrefix(e.SetupID, OpinionSetup(source, ""))
	for _, of := range [...]string{"trace", "session"} {
		if by, cut := strings.CutSuffix(o.By, opinionMark+of); cut {
			o.By, o.Of = by, of
			break
		}
	}
	if e.Status == Failed {
		o.Error = e.Reason
	}
	return o, true
}

// Says reports whether another evaluation of the same evaluator says the same.
func (e *Evaluation) Says(other *Evaluation) bool {
	if e.Status != other.Status || e.Reason != other.Reason || e.Version != other.Version || e.Model != other.Model || len(e.Outputs) != len(other.Outputs) {
		return false
	}
	for i := range e.Outputs {
		if e.Outputs[i] != other.Outputs[i] {
			return false
		}
	}
	return true
}

// tidy returns a text as stores keep it: valid UTF-8 without NUL.
func tidy(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// cutBytes returns the first bytes of a text, most at most, less a broken last rune.
func cutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > max(most-utf8.UTFMax, 0) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
