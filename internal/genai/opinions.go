// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// EvaluationEvent is the event by which verdicts are told, a log record or an event
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

// Opinions are verdicts that a span or a log record tells, of one span.
type Opinions struct {
	// TraceID and SpanID are those of the span that was judged.
	TraceID span.TraceID
	SpanID  span.ID
	List    []eval.Evaluation
	// Refused is how many could not be taken: without a name or a value, with one
	// that is too long or not finite, or beyond eval.MaxOpinions.
	Refused int
}

// add takes in one.
func (o *Opinions) add(x *eval.Opinion) {
	made, err := x.Evaluation()
	if err != nil || len(o.List) >= eval.MaxOpinions {
		o.Refused++
		return
	}
	o.List = append(o.List, made)
}

// OwnOpinions returns what a span tells of itself: annotations of OpenInference,
// its evaluations where it does not link to what they are about, and events of the
// conventions.
// https://github.com/Arize-ai/openinference/blob/main/spec/annotations.md
func OwnOpinions(s ptrace.Span) (o Opinions) {
	o.TraceID, o.SpanID = span.TraceID(s.TraceID()), span.ID(s.SpanID())
	annotated := feedbackOf(s.Attributes(), func(family string) bool { return family == annotations || s.Links().Len() != 1 })
	for i := range annotated {
		annotated[i].Time = endOf(s)
		o.add(&annotated[i])
	}
	for _, e := range s.Events().All() {
		if e.Name() == EvaluationEvent {
			x := opinionOf(e.Attributes())
			x.Time = clampTime(uint64(e.Timestamp()))
			o.add(&x)
		}
	}
	return o
}

// LinkedOpinions returns what a span tells of the one span that it links to: the
// evaluations of an evaluator's span, as OpenInference has them.
func LinkedOpinions(s ptrace.Span) (o Opinions) {
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

// LogOpinions returns what log records tell, one entry for each span. Records that
// name no span are refused: nobody knows what they are about.
func LogOpinions(logs plog.ResourceLogs) (list []Opinions) {
	at := map[spanKey]int{}
	for _, scope := range logs.ScopeLogs().All() {
		for _, record := range scope.LogRecords().All() {
			if eventName(record) != EvaluationEvent {
				continue
			}
			key := spanKey{trace: span.TraceID(record.TraceID()), span: span.ID(record.SpanID())}
			i, known := at[key]
			if !known {
				i = len(list)
				at[key] = i
				list = append(list, Opinions{TraceID: key.trace, SpanID: key.span})
			}
			if key.trace == (span.TraceID{}) || key.span == (span.ID{}) {
				list[i].Refused++
				continue
			}
			x := opinionOf(record.Attributes())
			x.Time = recordTime(record)
			list[i].add(&x)
		}
	}
	return list
}

func endOf(s ptrace.Span) int64 { return clampTime(uint64(max(s.StartTimestamp(), s.EndTimestamp()))) }

// opinionOf reads the attributes of an event.
func opinionOf(attributes pcommon.Map) eval.Opinion {
	x := eval.Opinion{Source: eval.FromSDK}
	var score, label, explanation, kind, metadata eval.Output
	for key, v := range attributes.All() {
		switch key {
		case EvaluationName:
			x.Name = cleanText(v)
		case EvaluationScore:
			score = scoreOf(v)
		case EvaluationLabel:
			label.Value = cleanText(v)
		case EvaluationExplanation:
			explanation.Value = cleanText(v)
		case EvaluationError:
			x.Error = cleanText(v)
		case EvaluatorID, "aws.bedrock_agentcore.evaluator.id", "annotation.identifier":
			x.By = cleanText(v)
		case EvaluatorVersion:
			x.Version = cleanText(v)
		case EvaluatorType, "annotation.annotator_kind":
			kind.Value = judgeKind(cleanText(v))
		case EvaluatorModel:
			x.Model = cleanText(v)
		case EvaluationMetadata:
			metadata.Value = cleanText(v)
		case EvaluationTarget:
			x.Of = targetOf(cleanText(v))
		}
	}
	x.Outputs = outputsOf(score, label, explanation, kind, metadata)
	return x
}

// outputsOf returns those values that are there, in the order of their names here.
func outputsOf(score, label, explanation, kind, metadata eval.Output) (list []eval.Output) {
	for _, o := range [...]eval.Output{
		{Name: eval.OpinionScore, Value: score.Value},
		{Name: eval.OpinionLabel, Value: label.Value},
		{Name: eval.OpinionExplanation, Value: explanation.Value},
		{Name: eval.OpinionKind, Value: kind.Value},
		{Name: eval.OpinionMetadata, Value: metadata.Value},
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
	n, err := strconv.ParseFloat(strings.TrimSpace(cleanText(v)), 64)
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
