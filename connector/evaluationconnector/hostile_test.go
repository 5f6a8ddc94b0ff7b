// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var whole = []eval.Evaluation{
	done("s1", "tone-detection", eval.Embedded, output("tone", "joy"), output("score", 0.9)),
	done("s1", "char-count", eval.Deterministic, output("char_count", int64(3)), output("reason", "x")),
	{SetupID: "s2", Evaluator: "e", Status: eval.Failed, Reason: "internal error"},
}

// carrier returns the bytes that carry evaluations.
func carrier(evaluations ...eval.Evaluation) []byte {
	v, _ := judged(evaluations...).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get(tenant.AttributeEvaluations)
	return v.Bytes().AsRaw()
}

// The results before the damage of a carrier go out.
func TestDamagedCarriers(t *testing.T) {
	t.Parallel()
	bytes := carrier(whole...)
	for cut := range len(bytes) {
		td := judged(whole...)
		v, _ := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get(tenant.AttributeEvaluations)
		v.Bytes().FromRaw(bytes[:cut])
		require.LessOrEqual(t, records(t, defaults(), td).LogRecordCount(), 3)
	}
	for _, put := range []func(pcommon.Value){
		func(v pcommon.Value) { v.SetStr("text") },
		func(v pcommon.Value) { v.SetInt(1) },
		func(v pcommon.Value) { v.SetEmptyMap().PutStr("a", "b") },
		func(v pcommon.Value) { v.SetEmptyBytes() },
	} {
		td := judged(whole...)
		v, _ := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get(tenant.AttributeEvaluations)
		put(v)
		require.Zero(t, records(t, defaults(), td).LogRecordCount())
	}
}

// What no evaluator gives, but bytes may say.
func TestOddOutputs(t *testing.T) {
	t.Parallel()
	told := defaults()
	told.IncludeExplanations = true
	for _, v := range []any{math.NaN(), math.Inf(1), math.Inf(-1), "", strings.Repeat("é", maxLabel+1), nil} {
		td := judged(done("s", "tone-detection", eval.Embedded, output("tone", v)))
		require.Equal(t, map[string]any{
			verdicts.EvaluationName: "tone-detection", attributeResponseID: "chatcmpl-1",
			attributeEvaluator: "tone-detection", attributeSetup: "s", attributeBackend: "embedded",
			verdicts.EvaluatorID: "tone-detection", verdicts.EvaluatorType: "deterministic",
		}, only(t, records(t, told, td)).Attributes().AsRaw(), v)
	}

	odd := "\xff\x00\"'%_\\" + string(rune(0x1F600))
	td := judged(
		done(odd, odd, eval.Backend(odd), output(odd, true), output("reason", odd)),
		eval.Evaluation{SetupID: odd, Evaluator: odd + "2", Status: eval.Failed, Reason: odd},
		done("s", "e", eval.Judge, output("n", int64(math.MaxInt64)), output("n", 1.5)), // one name twice
		done("s", "", eval.Judge, output("", true)))
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutInt("gen_ai.response.id", 7)
	ld := records(t, told, td)
	requireSendable(t, ld)
	require.Equal(t, 5, ld.LogRecordCount())
}

// requireSendable fails unless a receiver can read the records as they are.
func requireSendable(t *testing.T, ld plog.Logs) {
	t.Helper()
	b, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	require.NoError(t, err)
	read := plogotlp.NewExportRequest()
	require.NoError(t, read.UnmarshalProto(b))
	require.Equal(t, ld.LogRecordCount(), read.Logs().LogRecordCount())
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				require.Equal(t, verdicts.EvaluationEvent, r.EventName())
				for key, v := range r.Attributes().All() {
					require.True(t, utf8.ValidString(v.AsString()), key)
				}
			}
		}
	}
}

func FuzzCarrier(f *testing.F) {
	f.Add(carrier(whole...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		td := judged(whole...)
		v, _ := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get(tenant.AttributeEvaluations)
		v.Bytes().FromRaw(b)
		sink := new(consumertest.LogsSink)
		told := defaults()
		told.IncludeExplanations = true
		require.NoError(t, newRecorder(told, "", sink, clock).ConsumeTraces(t.Context(), td))
		for _, ld := range sink.AllLogs() {
			requireSendable(t, ld)
		}
	})
}
