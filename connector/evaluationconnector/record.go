// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
)

// Attributes of the event besides those of its conventions.
const (
	attributeResponseID = "gen_ai.response.id"
	attributeError      = "error.message"
)

// What the conventions have no name for, and what tells a repeated record from
// another one: together with the trace and span id, setup, evaluator and name
// are the identity of a record.
const (
	attributeEvaluator = "touchstone.evaluation.evaluator"
	attributeSetup     = "touchstone.evaluation.setup.id"
	attributeBackend   = "touchstone.evaluation.backend"
	attributeVersion   = "touchstone.evaluation.version"
)

func (w *writer) write(s ptrace.Span, e *eval.Evaluation, r result) {
	a := w.record(s, e.Time)
	put(a, verdicts.EvaluationName, r.name)
	if r.hasValue {
		a.PutDouble(verdicts.EvaluationScore, r.value)
	}
	put(a, verdicts.EvaluationLabel, r.label)
	if w.recorder.cfg.IncludeExplanations { // a message may quote an input too
		put(a, verdicts.EvaluationExplanation, r.explanation)
		put(a, attributeError, r.message)
	}
	put(a, verdicts.EvaluationError, r.failure)
	put(a, verdicts.EvaluatorID, e.Evaluator)
	put(a, verdicts.EvaluatorVersion, e.Version)
	put(a, verdicts.EvaluatorType, kindOf(e.Backend))
	put(a, verdicts.EvaluatorModel, e.Model)
	put(a, attributeEvaluator, e.Evaluator)
	put(a, attributeSetup, e.SetupID)
	put(a, attributeBackend, string(e.Backend))
	put(a, attributeVersion, e.Version)
}

// record appends a record about a span, and returns its attributes, which tell
// the response that was judged.
func (w *writer) record(s ptrace.Span, at int64) pcommon.Map {
	record := w.place().AppendEmpty()
	record.SetEventName(verdicts.EvaluationEvent)
	record.SetTimestamp(pcommon.Timestamp(max(at, 0)))
	record.SetObservedTimestamp(w.observed)
	record.SetSeverityNumber(plog.SeverityNumberInfo)
	record.SetSeverityText("INFO")
	record.SetTraceID(s.TraceID())
	record.SetSpanID(s.SpanID())
	record.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(s.Flags()&1 == 1))
	a := record.Attributes()
	a.EnsureCapacity(14)
	if id, ok := s.Attributes().Get(attributeResponseID); ok && id.Type() == pcommon.ValueTypeStr {
		put(a, attributeResponseID, id.Str())
	}
	return a
}

// kindOf returns the type of evaluator that a backend is, in the words of the
// conventions.
func kindOf(b eval.Backend) string {
	switch b {
	case eval.Judge:
		return "llm_judge"
	case eval.Deterministic, eval.Embedded, eval.Embedding, eval.Classifier:
		return "deterministic"
	}
	return ""
}

// put leaves out what is empty. Protobuf takes no other text than UTF-8.
func put(a pcommon.Map, key, value string) {
	if value != "" {
		a.PutStr(key, strings.ToValidUTF8(value, "\uFFFD"))
	}
}
