// SPDX-License-Identifier: Apache-2.0

// Package verdicts reads the verdicts that spans and log records tell.
package verdicts

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// EvaluationEvent is the event that carries verdicts, a log record or an event
// of a span.
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md
const EvaluationEvent = "gen_ai.evaluation.result"

// Attributes of the event. Those of the evaluator but its model are proposed in
// https://github.com/open-telemetry/semantic-conventions-genai/pull/359; the last
// are fields of OpenInference that the event has no words for.
const (
	EvaluationName        = "gen_ai.evaluation.name"
	EvaluationScore       = "gen_ai.evaluation.score.value"
	EvaluationLabel       = "gen_ai.evaluation.score.label"
	EvaluationExplanation = "gen_ai.evaluation.explanation"
	EvaluationError       = "error.type"
	EvaluatorID           = "gen_ai.evaluation.evaluator.id"
	EvaluatorVersion      = "gen_ai.evaluation.evaluator.version"
	EvaluatorType         = "gen_ai.evaluation.evaluator.type"
	EvaluatorModel        = "gen_ai.evaluation.evaluator.model"
	EvaluationMetadata    = "annotation.metadata"
	EvaluationTarget      = "annotation.target" // trace or session; absent is the span
)

// ResponseID is the attribute by which a record that knows no span names what it judges:
// the response that a span has under the same name.
const ResponseID = "gen_ai.response.id"

// Told are the verdicts that a span or a log record carries, of one span.
type Told struct {
	// TraceID and SpanID are those of the span that was judged, or Response is the id
	// of its response.
	TraceID  span.TraceID
	SpanID   span.ID
	Response string
	List     []eval.Evaluation
	// Refused is how many could not be taken: without a name or a value, with one
	// that is too long or not finite, or beyond opinion.Most.
	Refused int
}

// add takes in one.
func (o *Told) add(x *opinion.Opinion) {
	made, err := x.Evaluation()
	if err != nil || len(o.List) >= opinion.Most {
		o.Refused++
		return
	}
	o.List = append(o.List, made)
}

// OfSpan returns what a span tells of itself: annotations of OpenInference,
// its evaluations where it does not link to what they are about, and events of the
// conventions.
// https://github.com/Arize-ai/openinference/blob/main/spec/annotations.md
func OfSpan(s ptrace.Span) (o Told) {
	o.TraceID, o.SpanID = span.TraceID(s.TraceID()), span.ID(s.SpanID())
	annotated := feedbackOf(s.Attributes(), func(family string) bool { return family == annotations || s.Links().Len() != 1 })
	for i := range annotated {
		annotated[i].Time = endOf(s)
		o.add(&annotated[i])
	}
	for _, e := range s.Events().All() {
		if e.Name() == EvaluationEvent {
			x := opinionOf(e.Attributes())
			x.Time = genai.ClampTime(uint64(e.Timestamp()))
			o.add(&x)
		}
	}
	return o
}

// OfLink returns what a span tells of the one span that it links to: the
// evaluations of an evaluator's span, as OpenInference has them.
func OfLink(s ptrace.Span) (o Told) {
	if s.Links().Len() != 1 {
		return o
	}
	link := s.Links().At(0)
	o.TraceID, o.SpanID = span.TraceID(link.TraceID()), span.ID(link.SpanID())
	found := feedbackOf(s.Attributes(), func(family string) bool { return family == evaluations })
	for i := range found {
		found[i].Time = endOf(s)
		o.add(&found[i])
	}
	return o
}

// OfLogs returns what log records tell, one entry for each span. Records that
// name neither a span nor a response are refused: it is unknown what they are about.
func OfLogs(logs plog.ResourceLogs) (list []Told) {
	type subject struct {
		trace    span.TraceID
		span     span.ID
		response string
	}
	at := map[subject]int{}
	for _, scope := range logs.ScopeLogs().All() {
		for _, record := range scope.LogRecords().All() {
			if genai.EventName(record) != EvaluationEvent {
				continue
			}
			of := subject{trace: span.TraceID(record.TraceID()), span: span.ID(record.SpanID())}
			if of.trace == (span.TraceID{}) || of.span == (span.ID{}) {
				of = subject{response: responseOf(record.Attributes())}
			}
			i, known := at[of]
			if !known {
				i = len(list)
				at[of] = i
				list = append(list, Told{TraceID: of.trace, SpanID: of.span, Response: of.response})
			}
			if of == (subject{}) {
				list[i].Refused++
				continue
			}
			x := opinionOf(record.Attributes())
			x.Time = genai.RecordTime(record)
			list[i].add(&x)
		}
	}
	return list
}

// responseOf returns the id of the response that a record names, "" for none.
func responseOf(attributes pcommon.Map) string {
	v, ok := attributes.Get(ResponseID)
	if !ok {
		return ""
	}
	return valuetext.NameOf(v)
}

func endOf(s ptrace.Span) int64 {
	return genai.ClampTime(uint64(max(s.StartTimestamp(), s.EndTimestamp())))
}

// opinionOf reads the attributes of an event.
func opinionOf(attributes pcommon.Map) opinion.Opinion {
	x := opinion.Opinion{Source: eval.FromSDK}
	var score, label, explanation, kind, metadata eval.Output
	for key, v := range attributes.All() {
		switch key {
		case EvaluationName:
			x.Name = valuetext.NameOf(v)
		case EvaluationScore:
			score = scoreOf(v)
		case EvaluationLabel:
			label.Value = valuetext.NameOf(v)
		case EvaluationExplanation:
			explanation.Value = valuetext.NameOf(v)
		case EvaluationError:
			x.Error = valuetext.NameOf(v)
		case EvaluatorID, "aws.bedrock_agentcore.evaluator.id", "annotation.identifier":
			x.By = valuetext.NameOf(v)
		case EvaluatorVersion:
			x.Version = valuetext.NameOf(v)
		case EvaluatorType, "annotation.annotator_kind":
			kind.Value = judgeKind(valuetext.NameOf(v))
		case EvaluatorModel:
			x.Model = valuetext.NameOf(v)
		case EvaluationMetadata:
			metadata.Value = valuetext.NameOf(v)
		case EvaluationTarget:
			x.Of = targetOf(valuetext.NameOf(v))
		}
	}
	x.Outputs = outputsOf(score, label, explanation, kind, metadata)
	return x
}

// outputsOf returns those values that are there, in the order of their names here.
func outputsOf(score, label, explanation, kind, metadata eval.Output) (list []eval.Output) {
	for _, o := range [...]eval.Output{
		{Name: opinion.Score, Value: score.Value},
		{Name: opinion.Label, Value: label.Value},
		{Name: opinion.Explanation, Value: explanation.Value},
		{Name: opinion.Kind, Value: kind.Value},
		{Name: opinion.Metadata, Value: metadata.Value},
	} {
		if o.Value != nil && o.Value != "" {
			list = append(list, o)
		}
	}
	return list
}

// scoreOf reads a score, which some send as text or as a boolean. One that is no
// number has the value NaN, which is refused.
func scoreOf(v pcommon.Value) eval.Output {
	switch v.Type() {
	case pcommon.ValueTypeDouble:
		return eval.Output{Value: v.Double()}
	case pcommon.ValueTypeInt:
		return eval.Output{Value: float64(v.Int())}
	case pcommon.ValueTypeBool:
		if v.Bool() {
			return eval.Output{Value: 1.0}
		}
		return eval.Output{Value: 0.0}
	case pcommon.ValueTypeEmpty:
		return eval.Output{}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(valuetext.NameOf(v)), 64)
	if err != nil {
		n = math.NaN()
	}
	return eval.Output{Value: n}
}

// judgeKind returns who judged in the words of the conventions, for those of
// OpenInference.
func judgeKind(text string) string {
	switch text {
	case "HUMAN":
		return "human"
	case "LLM":
		return "llm_judge"
	case "CODE":
		return "deterministic"
	}
	return text
}

func targetOf(text string) string {
	if text == "trace" || text == "session" {
		return text
	}
	return ""
}
