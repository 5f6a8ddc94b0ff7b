// SPDX-License-Identifier: Apache-2.0

// Package opinion makes evaluations of what others say about spans: SDKs with
// their telemetry, and people.
package opinion

import (
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Opinion is a verdict that an SDK or a person gave on a span: an application with its
// SDK, another product, or a person.
type Opinion struct {
	// Source is FromSDK or FromHuman.
	Source eval.EvaluationSource
	// By tells several that give an opinion of one name apart: the identifier of an
	// evaluator, or the person. It may be "".
	By string
	// Of is what the opinion is about where that is not the span alone: trace or
	// session; "" is the span.
	Of string
	// Name is the criterion, as its judge calls it.
	Name string
	// Outputs are the values by their names, none of them twice.
	Outputs []eval.Output
	// Error is the type of the error where the judging ended in one, else "".
	Error string
	// Version is the evaluator's, and Model that of the judge; "" where unknown.
	Version, Model string
	// Time is when it was given, Unix nanoseconds.
	Time int64
}

// Names of outputs of opinions.
const (
	Score       = "score"       // a finite number
	Label       = "label"       // a category
	Explanation = "explanation" // for people to read
	Kind        = "kind"        // of the judge: human, llm_judge, deterministic, or what the sender says
	Metadata    = "metadata"    // what the sender adds, JSON
	Value       = "value"       // of a label of a person: a text, a number or a boolean
	Comment     = "comment"     // of a person
	Author      = "author"      // the person
)

// IsOutput reports whether opinions have outputs of this name.
func IsOutput(name string) bool {
	switch name {
	case Score, Label, Explanation, Kind, Metadata, Value, Comment, Author:
		return true
	}
	return false
}

// Bounds of an opinion.
const (
	MaxName = 200    // bytes of Name, of By and of the name of an output
	MaxText = 64_000 // bytes of a text among the values; more is cut
	Most    = 100    // on one span, in one request
)

// mark parts the source from the name in the evaluators of opinions. Slugs
// do not have it, so that no opinion can be taken for a verdict of ours.
const mark = ":"

// Source returns the source that an evaluator's name begins with, and the
// rest; found is false for evaluators of ours.
func Source(evaluator string) (source eval.EvaluationSource, name string, found bool) {
	before, after, _ := strings.Cut(evaluator, mark)
	switch source = eval.EvaluationSource(before); source {
	case eval.FromSDK, eval.FromHuman:
		return source, after, after != ""
	case eval.FromTouchstone, eval.FromSidecar:
	}
	return eval.FromTouchstone, evaluator, false
}

// Sources returns whose opinions have evaluators that are called by their source.
func Sources() []eval.EvaluationSource { return []eval.EvaluationSource{eval.FromSDK, eval.FromHuman} }

// Prefix returns what the names of evaluators of a source begin with; a name follows.
func Prefix(source eval.EvaluationSource) string { return evaluatorName(source, "") }

// evaluatorName returns what the evaluator of an opinion is called.
func evaluatorName(source eval.EvaluationSource, name string) string {
	return string(source) + mark + name
}

// Setup returns what stands in place of a setup in the opinions of an author,
// on spans.
func Setup(source eval.EvaluationSource, by string) string {
	return string(source) + mark + by
}

// Evaluation returns what is stored of an opinion: done, or failed if it has an
// Error. Its errors are faults of kind Invalid that name the field as clients
// write it.
func (o *Opinion) Evaluation() (eval.Evaluation, error) {
	name, by := tidy(o.Name), tidy(o.By)
	switch {
	case name == "":
		return eval.Evaluation{}, fault.New(fault.Invalid, "name is required")
	case len(name) > MaxName:
		return eval.Evaluation{}, fault.New(fault.Invalid, "name must be at most %d bytes long", MaxName)
	case len(by) > MaxName:
		return eval.Evaluation{}, fault.New(fault.Invalid, "author must be at most %d bytes long", MaxName)
	}
	e := eval.Evaluation{
		// No setup has such an id, for theirs are UUIDs.
		SetupID:   Setup(o.Source, by),
		Evaluator: evaluatorName(o.Source, name),
		Status:    eval.Done, Source: o.Source, Version: textcut.Bytes(tidy(o.Version), MaxName), Model: textcut.Bytes(tidy(o.Model), MaxName),
		Time: max(o.Time, 0),
	}
	if o.Of != "" {
		e.SetupID += mark + o.Of
	}
	if o.Error != "" {
		e.Status, e.Reason = eval.Failed, textcut.Bytes(tidy(o.Error), MaxName)
	}
	for _, output := range o.Outputs {
		output.Name = tidy(output.Name)
		if output.Name == "" || len(output.Name) > MaxName {
			return eval.Evaluation{}, fault.New(fault.Invalid, "a value must have a name of 1 to %d bytes", MaxName)
		}
		switch value := output.Value.(type) {
		case string:
			text := textcut.Bytes(tidy(value), MaxText)
			e.Truncated = e.Truncated || len(text) < len(value)
			output.Value = text
		case float64:
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return eval.Evaluation{}, fault.New(fault.Invalid, "%s must be a finite number", output.Name)
			}
		}
		e.Outputs = append(e.Outputs, output)
	}
	if len(e.Outputs) == 0 && e.Status == eval.Done {
		return eval.Evaluation{}, fault.New(fault.Invalid, "%s says nothing", name)
	}
	return e, nil
}

// Of returns the opinion that an evaluation was made of, and whether it is
// one.
func Of(e *eval.Evaluation) (o Opinion, found bool) {
	source, name, found := Source(e.Evaluator)
	if !found {
		return o, false
	}
	o = Opinion{Source: source, Name: name, Outputs: e.Outputs, Version: e.Version, Model: e.Model, Time: e.Time}
	o.By = strings.TrimPrefix(e.SetupID, Setup(source, ""))
	for _, of := range [...]string{"trace", "session"} {
		if by, cut := strings.CutSuffix(o.By, mark+of); cut {
			o.By, o.Of = by, of
			break
		}
	}
	if e.Status == eval.Failed {
		o.Error = e.Reason
	}
	return o, true
}

// tidy returns a text as stores keep it: valid UTF-8 without NUL.
func tidy(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
