// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// The event and its attributes, as the conventions for generative AI name them.
const (
	eventName            = "gen_ai.evaluation.result"
	attributeName        = "gen_ai.evaluation.name"
	attributeValue       = "gen_ai.evaluation.score.value"
	attributeLabel       = "gen_ai.evaluation.score.label"
	attributeExplanation = "gen_ai.evaluation.explanation"
	attributeResponseID  = "gen_ai.response.id"
	attributeErrorType   = "error.type"
	attributeError       = "error.message"
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
	record := w.place().AppendEmpty()
	record.SetEventName(eventName)
	record.SetTimestamp(pcommon.Timestamp(max(e.Time, 0)))
	record.SetObservedTimestamp(w.observed)
	record.SetSeverityNumber(plog.SeverityNumberInfo)
	record.SetSeverityText("INFO")
	record.SetTraceID(s.TraceID())
	record.SetSpanID(s.SpanID())
	record.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(s.Flags()&1 == 1))

	a := record.Attributes()
	a.EnsureCapacity(10)
	put(a, attributeName, r.name)
	if r.hasValue {
		a.PutDouble(attributeValue, r.value)
	}
	put(a, attributeLabel, r.label)
	if w.cfg.IncludeExplanations { // a message may quote an input too
		put(a, attributeExplanation, r.explanation)
		put(a, attributeError, r.message)
	}
	if id, ok := s.Attributes().Get(attributeResponseID); ok && id.Type() == pcommon.ValueTypeStr {
		put(a, attributeResponseID, id.Str())
	}
	put(a, attributeErrorType, r.failure)
	put(a, attributeEvaluator, e.Evaluator)
	put(a, attributeSetup, e.SetupID)
	put(a, attributeBackend, string(e.Backend))
	put(a, attributeVersion, e.Version)
}

// put leaves out what is empty. Protobuf takes no other text than UTF-8.
func put(a pcommon.Map, key, value string) {
	if value != "" {
		a.PutStr(key, strings.ToValidUTF8(value, "\uFFFD"))
	}
}
