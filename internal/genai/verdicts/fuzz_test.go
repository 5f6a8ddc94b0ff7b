// SPDX-License-Identifier: Apache-2.0

package verdicts_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
)

// FuzzTold reads whatever OTLP says of spans as verdicts of others.
func FuzzTold(f *testing.F) {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID([16]byte{1})
	s.SetSpanID([8]byte{2})
	s.SetEndTimestamp(math.MaxUint64)
	require.NoError(f, s.Attributes().FromRaw(map[string]any{
		"annotations.0.annotation.name": "a\x00", "annotations.0.annotation.score": "1e309", "annotations.0.annotation.label": strings.Repeat("é", 40_000),
		"trace.evaluations.1.evaluation.name": "b", "trace.evaluations.1.evaluation.score": true, "session.annotations.2.annotation.name": "c",
		"session.annotations.2.annotation.explanation": []any{1, "x"}, "annotations.3.annotation.identifier": "x:trace",
	}))
	link := s.Links().AppendEmpty()
	link.SetTraceID([16]byte{3})
	event := s.Events().AppendEmpty()
	event.SetName(verdicts.EvaluationEvent)
	require.NoError(f, event.Attributes().FromRaw(map[string]any{
		verdicts.EvaluationName: "n", verdicts.EvaluationScore: " 0.5 ", verdicts.EvaluationLabel: "l", verdicts.EvaluationError: "timeout",
		verdicts.EvaluatorType: "HUMAN", verdicts.EvaluationTarget: "session", verdicts.EvaluatorVersion: "v", verdicts.EvaluationMetadata: "{}",
	}))
	traces, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(f, err)
	f.Add(traces, []byte(nil))

	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.SetEventName(verdicts.EvaluationEvent)
	record.SetTraceID([16]byte{1})
	record.SetSpanID([8]byte{2})
	event.Attributes().CopyTo(record.Attributes())
	event.Attributes().PutStr(verdicts.EvaluationError, "\x00")
	logs, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	require.NoError(f, err)
	f.Add([]byte(nil), logs)
	traces, err = (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(f, err)
	f.Add(traces, logs)

	f.Fuzz(func(t *testing.T, traces, logs []byte) {
		if td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(traces); err == nil {
			for _, rs := range td.ResourceSpans().All() {
				for _, scope := range rs.ScopeSpans().All() {
					for _, s := range scope.Spans().All() {
						requireTold(t, verdicts.OfSpan(s))
						requireTold(t, verdicts.OfLink(s))
					}
				}
			}
		}
		if ld, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(logs); err == nil {
			for _, rl := range ld.ResourceLogs().All() {
				for _, told := range verdicts.OfLogs(rl) {
					requireTold(t, told)
					if told.Response == "" && (told.TraceID == [16]byte{} || told.SpanID == [8]byte{}) {
						require.Empty(t, told.List)
						require.Positive(t, told.Refused)
					}
				}
			}
		}
	})
}

// FuzzFeedback tries one text as each part of a verdict, in each way of telling it.
func FuzzFeedback(f *testing.F) {
	for _, text := range []string{"correct", "", "\x00", " 1 ", "NaN", "0x1p-2", "1_000", "\xff", "trace", ":trace", "sdk:", strings.Repeat("a", 201), strings.Repeat("é", 101), strings.Repeat("é", 32_001)} {
		f.Add(text, "0.5", "0")
		f.Add("name", text, "99")
		f.Add("name", "label", text)
	}
	f.Fuzz(func(t *testing.T, text, value, index string) {
		s := ptrace.NewSpan()
		for _, object := range []string{"annotations." + index + ".annotation.", "trace.annotations." + index + ".annotation.", "evaluations." + index + ".evaluation."} {
			for field, v := range map[string]string{"name": text, "identifier": text, "score": value, "label": value, "explanation": value, "annotator_kind": value, "metadata": value} {
				s.Attributes().PutStr(object+field, v)
			}
		}
		for _, put := range []func(pcommon.Map){
			func(m pcommon.Map) { m.PutStr(verdicts.EvaluationScore, value) },
			func(m pcommon.Map) { m.PutStr(verdicts.EvaluationLabel, value) },
			func(m pcommon.Map) { m.PutStr(verdicts.EvaluationError, value) },
			func(m pcommon.Map) { m.PutEmptyBytes(verdicts.EvaluationExplanation).FromRaw([]byte(value)) },
		} {
			e := s.Events().AppendEmpty()
			e.SetName(verdicts.EvaluationEvent)
			e.Attributes().PutStr(verdicts.EvaluationName, text)
			e.Attributes().PutStr(verdicts.EvaluatorID, text)
			e.Attributes().PutStr(verdicts.EvaluationTarget, text)
			e.Attributes().PutStr(verdicts.EvaluatorModel, value)
			put(e.Attributes())
		}
		told := verdicts.OfSpan(s)
		requireTold(t, told)
		require.LessOrEqual(t, len(told.List)+told.Refused, 7)
		require.GreaterOrEqual(t, len(told.List)+told.Refused, 4)
	})
}

// requireTold expects what stores keep, and that each verdict says by itself whose and
// of what it is.
func requireTold(t *testing.T, told verdicts.Told) {
	t.Helper()
	require.LessOrEqual(t, len(told.List), opinion.Most)
	require.GreaterOrEqual(t, told.Refused, 0)
	for i := range told.List {
		e := &told.List[i]
		require.Equal(t, eval.FromSDK, e.Source)
		require.GreaterOrEqual(t, e.Time, int64(0))
		require.True(t, e.Status == eval.Done && len(e.Outputs) > 0 && e.Reason == "" || e.Status == eval.Failed && e.Reason != "", "%+v", e)
		for _, text := range []string{e.SetupID, e.Evaluator, e.Version, e.Model, e.Reason} {
			requireKept(t, text, opinion.MaxName+len("human::session"))
		}
		var names []string
		for _, o := range e.Outputs {
			require.True(t, opinion.IsOutput(o.Name), o.Name)
			names = append(names, o.Name)
			switch value := o.Value.(type) {
			case string:
				requireKept(t, value, opinion.MaxText)
			case float64:
				require.False(t, math.IsNaN(value) || math.IsInf(value, 0))
			default:
				require.Failf(t, "a value of another type", "%T", value)
			}
		}
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "each output once")
		of, is := opinion.Of(e)
		require.True(t, is, e.Evaluator)
		again, err := of.Evaluation()
		require.NoError(t, err)
		again.Truncated = e.Truncated // what was cut once is short enough
		require.Equal(t, *e, again)
	}
}

func requireKept(t *testing.T, text string, most int) {
	t.Helper()
	require.LessOrEqual(t, len(text), most)
	require.True(t, utf8.ValidString(text))
	require.NotContains(t, text, "\x00")
}
