// SPDX-License-Identifier: Apache-2.0

package verdicts_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func spanWith(t *testing.T, attributes map[string]any) ptrace.Span {
	t.Helper()
	s := ptrace.NewSpan()
	s.SetTraceID([16]byte{1})
	s.SetSpanID([8]byte{2})
	s.SetEndTimestamp(90)
	require.NoError(t, s.Attributes().FromRaw(attributes))
	return s
}

func out(pairs ...any) (list []eval.Output) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, eval.Output{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return list
}

func TestAnnotationsOfOpenInference(t *testing.T) {
	t.Parallel()
	s := spanWith(t, map[string]any{
		"annotations.0.annotation.name": "correct", "annotations.0.annotation.score": 1, "annotations.0.annotation.label": "yes",
		"annotations.0.annotation.explanation": "It says so.", "annotations.0.annotation.annotator_kind": "LLM",
		"annotations.0.annotation.identifier": "judge-v2", "annotations.0.annotation.metadata": `{"a":1}`,
		"annotations.10.annotation.name": "b", "annotations.10.annotation.score": "0.25", "annotations.10.annotation.annotator_kind": "HUMAN",
		"annotations.2.annotation.name": "correct", "annotations.2.annotation.label": "no", "annotations.2.annotation.annotator_kind": "other",
		"trace.annotations.0.annotation.name": "whole", "trace.annotations.0.annotation.score": 0.5,
		"session.evaluations.0.evaluation.name": "long", "session.evaluations.0.evaluation.label": "x", "session.evaluations.0.evaluation.annotator_kind": "CODE",
		"annotations.x.annotation.name": "no", "annotations.1.name": "no", "annotations.1.evaluation.name": "no", "annotations": "no", "evaluations.": "no",
		"annotations.-1.annotation.name": "no", "annotations.99999999999.annotation.name": "no",
		"annotations.4.annotation.name": "says nothing", "annotations.5.annotation.score": 1.0,
		"annotations.6.annotation.name": "n", "annotations.6.annotation.score": math.NaN(), "annotations.7.annotation.name": "n", "annotations.7.annotation.score": "high",
	})
	got := verdicts.OfSpan(s)
	require.Equal(t, 4, got.Refused)
	require.Equal(t, span.TraceID{1}, got.TraceID)
	require.Equal(t, []eval.Evaluation{
		{SetupID: "sdk:judge-v2", Evaluator: "sdk:correct", Outputs: out("score", 1.0, "label", "yes", "explanation", "It says so.", "kind", "llm_judge", "metadata", `{"a":1}`)},
		{SetupID: "sdk:", Evaluator: "sdk:correct", Outputs: out("label", "no", "kind", "other")},
		{SetupID: "sdk:", Evaluator: "sdk:b", Outputs: out("score", 0.25, "kind", "human")},
		{SetupID: "sdk::session", Evaluator: "sdk:long", Outputs: out("label", "x", "kind", "deterministic")},
		{SetupID: "sdk::trace", Evaluator: "sdk:whole", Outputs: out("score", 0.5)},
	}, bare(t, got.List, 90))
}

// bare returns opinions without what all of them have.
func bare(t *testing.T, list []eval.Evaluation, at int64) []eval.Evaluation {
	t.Helper()
	for i := range list {
		require.Equal(t, eval.FromSDK, list[i].Source)
		require.Equal(t, at, list[i].Time)
		if list[i].Status == eval.Done {
			list[i].Status = ""
		}
		list[i].Source, list[i].Time = "", 0
	}
	return list
}

func TestEvaluationsOfAnEvaluatorsSpan(t *testing.T) {
	t.Parallel()
	s := spanWith(t, map[string]any{
		"openinference.span.kind":       "EVALUATOR",
		"evaluations.0.evaluation.name": "hallucination", "evaluations.0.evaluation.score": 1,
		"annotations.0.annotation.name": "of the evaluator", "annotations.0.annotation.label": "slow",
	})
	require.Len(t, verdicts.OfSpan(s).List, 2, "it does not say of which span")
	require.Empty(t, verdicts.OfLink(s).List)
	link := s.Links().AppendEmpty()
	link.SetTraceID([16]byte{7})
	link.SetSpanID([8]byte{8})
	require.Equal(t, "sdk:of the evaluator", verdicts.OfSpan(s).List[0].Evaluator)
	require.Len(t, verdicts.OfSpan(s).List, 1)
	told := verdicts.OfLink(s)
	require.Equal(t, span.TraceID{7}, told.TraceID)
	require.Equal(t, span.ID{8}, told.SpanID)
	require.Equal(t, []eval.Evaluation{{SetupID: "sdk:", Evaluator: "sdk:hallucination", Outputs: out("score", 1.0)}}, bare(t, told.List, 90))
	s.Links().AppendEmpty()
	require.Len(t, verdicts.OfSpan(s).List, 2, "unknown which of them")
}

func TestEvaluationEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes map[string]any
		want       eval.Evaluation
	}{
		"all": {map[string]any{
			"gen_ai.evaluation.name": "Relevance", "gen_ai.evaluation.score.value": 4, "gen_ai.evaluation.score.label": "relevant", "gen_ai.evaluation.explanation": "why",
			"gen_ai.evaluation.evaluator.id": "e1", "gen_ai.evaluation.evaluator.version": "v2", "gen_ai.evaluation.evaluator.type": "llm_judge",
			"gen_ai.evaluation.evaluator.model": "gpt", "annotation.metadata": "{}", "annotation.target": "trace", "gen_ai.response.id": "r", "gen_ai.response.model": "judged",
		}, eval.Evaluation{
			SetupID: "sdk:e1:trace", Evaluator: "sdk:Relevance", Version: "v2", Model: "gpt",
			Outputs: out("score", 4.0, "label", "relevant", "explanation", "why", "kind", "llm_judge", "metadata", "{}"),
		}},
		"failed": {
			map[string]any{"gen_ai.evaluation.name": "X", "error.type": "ValueError", "gen_ai.evaluation.explanation": "boom"},
			eval.Evaluation{SetupID: "sdk:", Evaluator: "sdk:X", Status: eval.Failed, Reason: "ValueError", Outputs: out("explanation", "boom")},
		},
		"a boolean score": {
			map[string]any{"gen_ai.evaluation.name": "X", "gen_ai.evaluation.score.value": true},
			eval.Evaluation{SetupID: "sdk:", Evaluator: "sdk:X", Outputs: out("score", 1.0)},
		},
		"forged": {map[string]any{
			"gen_ai.evaluation.name": "tone-detection", "gen_ai.evaluation.score.label": "joy", "annotation.target": "elsewhere", "gen_ai.evaluation.evaluator.id": "touchstone:set_1",
			"touchstone.evaluation.setup.id": "set_1", "touchstone.evaluation.evaluator": "tone-detection", "source": "touchstone",
		}, eval.Evaluation{SetupID: "sdk:touchstone:set_1", Evaluator: "sdk:tone-detection", Outputs: out("label", "joy")}},
	} {
		s := spanWith(t, nil)
		e := s.Events().AppendEmpty()
		e.SetName("gen_ai.evaluation.result")
		e.SetTimestamp(50)
		require.NoError(t, e.Attributes().FromRaw(c.attributes))
		require.Equal(t, []eval.Evaluation{c.want}, bare(t, verdicts.OfSpan(s).List, 50), name)

		rl := plog.NewResourceLogs()
		record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		record.SetEventName("gen_ai.evaluation.result")
		record.SetTraceID([16]byte{1})
		record.SetSpanID([8]byte{2})
		record.SetTimestamp(50)
		e.Attributes().CopyTo(record.Attributes())
		told := verdicts.OfLogs(rl)
		require.Len(t, told, 1)
		require.Equal(t, []eval.Evaluation{c.want}, bare(t, told[0].List, 50), name)
		record.SetSpanID([8]byte{})
		record.Attributes().Remove("gen_ai.response.id")
		require.Equal(t, 1, verdicts.OfLogs(rl)[0].Refused, "of no span")
		require.Empty(t, verdicts.OfLogs(rl)[0].List)
		record.Attributes().PutStr("gen_ai.response.id", "resp_1")
		told = verdicts.OfLogs(rl)
		require.Len(t, told, 1)
		require.Equal(t, "resp_1", told[0].Response)
		require.Zero(t, told[0].TraceID)
		require.Equal(t, []eval.Evaluation{c.want}, bare(t, told[0].List, 50), name)
	}
}

func TestHowManyOpinionsASpanMayTell(t *testing.T) {
	t.Parallel()
	attributes := map[string]any{}
	s := spanWith(t, nil)
	for i := range 3 * opinion.Most {
		at := "annotations." + strconv.Itoa(i) + ".annotation."
		attributes[at+"name"], attributes[at+"score"] = "n"+strconv.Itoa(i), i
		e := s.Events().AppendEmpty()
		e.SetName("gen_ai.evaluation.result")
		require.NoError(t, e.Attributes().FromRaw(map[string]any{"gen_ai.evaluation.name": "n", "gen_ai.evaluation.score.value": i}))
	}
	require.NoError(t, s.Attributes().FromRaw(attributes))
	got := verdicts.OfSpan(s)
	require.Len(t, got.List, opinion.Most)
	require.Positive(t, got.Refused)
}

func BenchmarkSpanWithoutAny(b *testing.B) {
	s := ptrace.NewSpan()
	for _, key := range []string{
		"gen_ai.system", "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
		"gen_ai.input.messages", "gen_ai.output.messages", "server.address", "server.port", "session.id", "traceloop.workflow.name", "user.id", "error.type",
	} {
		s.Attributes().PutStr(key, "value")
	}
	b.ReportAllocs()
	for b.Loop() {
		verdicts.OfSpan(s)
	}
}
