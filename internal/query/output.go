// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Output is one output of one evaluation that is done, with what is known of its
// span.
type Output struct {
	SetupID   string
	Evaluator string
	Output    eval.Output
	Backend   eval.Backend
	Source    eval.EvaluationSource
	// Version and Judge are those of what judged: of its prompts or of itself, and
	// of the model that was asked.
	Version, Judge string
	Time           int64 // when the evaluation ended, Unix nanoseconds

	Span span.Key
	// Start is the span's, Unix nanoseconds; texts are "" where absent.
	Start                                      int64
	SpanName, Service, Vendor, Model, Workflow string
	Entity                                     string
}

// SourceJudge is the source of metrics that a judge made.
const SourceJudge = "llm_as_a_judge"

// MetricSource returns what made a metric: sdk or human where it is not ours,
// SourceJudge, or the evaluator with underscores.
func (o *Output) MetricSource() string {
	if source, _, found := opinion.Source(o.Evaluator); found {
		return string(source)
	}
	if o.Backend == eval.Judge {
		return SourceJudge
	}
	return strings.ReplaceAll(o.Evaluator, "-", "_")
}

// matchOutput is Match of a field of the output itself.
func (f *Filter) matchOutput(o *Output) bool {
	present := func(text string) bool { return f.holdsIf(text, text != "") }
	switch f.Field.Name {
	case OutputEvaluator:
		return present(o.Evaluator)
	case OutputName:
		return present(o.Output.Name)
	case OutputSetup:
		return present(o.SetupID)
	case OutputBackend:
		return present(string(o.Backend))
	case OutputSource:
		return present(string(o.Source))
	}
	switch o.Output.Value.(type) {
	case string:
		return f.holdsIf(o.Output.Text(), f.Field.Name == OutputText)
	case bool:
		return f.holdsIf(o.Output.Text(), f.Field.Name == OutputBool)
	}
	if f.Field.Name == OutputNumber {
		return f.holdsNumber(o.Output.Text())
	}
	return f.Holds()
}

// PositionOf returns the place of an output in the order.
func (o Order) PositionOf(x *Output) Position {
	p := Position{
		Start: x.Start, TraceID: x.Span.TraceID, SpanID: x.Span.SpanID,
		Setup: x.SetupID, Evaluator: x.Evaluator, Output: x.Output.Name,
	}
	if o.By == SortNumber {
		p.Real = sortedNumber(x.Output.Value)
	}
	return p
}

// sortedNumber returns the number that SortNumber sorts by.
func sortedNumber(value any) float64 {
	switch v := value.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int64:
		return float64(v)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return math.Inf(-1)
}
