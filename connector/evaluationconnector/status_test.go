// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func only(t *testing.T, ld plog.Logs) plog.LogRecord {
	t.Helper()
	require.Equal(t, 1, ld.LogRecordCount())
	return ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

func TestOnlyFinishedEvaluationsAreTold(t *testing.T) {
	t.Parallel()
	require.Zero(t, records(t, defaults(), judged()).ResourceLogs().Len())
	require.Zero(t, records(t, defaults(), judged(
		eval.Evaluation{SetupID: "s", Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Due: 1},
		eval.Evaluation{SetupID: "s", Evaluator: "char-count", Status: eval.Skipped, Reason: eval.ReasonSampledOut},
		eval.Evaluation{SetupID: "s", Evaluator: "odd", Status: "odd"},
	)).ResourceLogs().Len())
}

// A deferred evaluation goes out when it is done: the span passes once more then,
// with marks on its resource that do not go out.
func TestDeferredIsToldWhenDone(t *testing.T) {
	t.Parallel()
	td := judged(done("s", "faithfulness", eval.Judge, output("is_faithful", true)))
	resource := td.ResourceSpans().At(0).Resource().Attributes()
	resource.PutBool(tenant.AttributeDeferred, true)
	resource.PutEmptyBytes(tenant.AttributeSetups).FromRaw([]byte("whatever"))
	ld := records(t, defaults(), td)
	require.Equal(t, map[string]any{"service.name": "shop"}, ld.ResourceLogs().At(0).Resource().Attributes().AsRaw())
	require.Equal(t, "faithfulness.is_faithful", only(t, ld).Attributes().AsRaw()[verdicts.EvaluationName])
}

// The labels of booleans say what the guards of the API say, by its README.
func TestLabelsAgreeWithGuards(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../extension/apiextension/README.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (true|false) \| (.+) \|$`).FindAllStringSubmatch(string(readme), -1)
	require.Len(t, rows, 2)
	told := map[string]bool{}
	for _, row := range rows {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			output := strings.Replace(name[1], "*", "json", 1)
			told[output] = true
			require.Equal(t, "pass", verdict(output, row[1] == "true"), output)
			require.Equal(t, "fail", verdict(output, row[1] != "true"), output)
		}
	}
	require.Equal(t, "true", verdict("mentions_moon", true))
	require.Equal(t, "false", verdict("mentions_moon", false))
	for _, e := range evaluators.Catalog().All() {
		for _, f := range e.Output {
			if f.Type == eval.Boolean && !strings.HasPrefix(f.Name, "is_valid_") {
				require.True(t, told[f.Name], "%s.%s", e.Slug, f.Name)
			}
		}
	}
}

// The definitions of custom evaluators come along with what is deferred, and
// tell which of their texts have few possible values.
func TestEnumsOfCustomEvaluatorsAreLabels(t *testing.T) {
	t.Parallel()
	td := judged(done("s", "support-check", eval.Judge,
		output("topic", "billing"), output("summary", "what the user wrote"), output("score", 0.5)))
	monitor.CarrySetups(td.ResourceSpans().At(0).Resource().Attributes(), nil, []eval.CustomEvaluator{{
		Slug: "support-check",
		Output: []eval.CustomField{
			{Name: "topic", Type: eval.CustomEnum, Values: []string{"billing", "other"}},
			{Name: "summary", Type: eval.CustomString},
			{Name: "score", Type: eval.CustomFloat},
		},
	}})
	list := records(t, defaults(), td).ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	require.Equal(t, 2, list.Len())
	require.Equal(t, "support-check.topic", list.At(0).Attributes().AsRaw()[verdicts.EvaluationName])
	require.Equal(t, "billing", list.At(0).Attributes().AsRaw()[verdicts.EvaluationLabel])
	require.Equal(t, "billing", list.At(1).Attributes().AsRaw()[verdicts.EvaluationLabel])
}

// Two monitor processors of one pipeline put the same evaluation on a span.
func TestEachEvaluationIsToldOnce(t *testing.T) {
	t.Parallel()
	first := done("s", "char-count", eval.Deterministic, output("char_count", int64(1)))
	again := done("s", "char-count", eval.Deterministic, output("char_count", int64(2)))
	other := done("another setup", "char-count", eval.Deterministic, output("char_count", int64(3)))
	td := judged(first)
	a := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
	monitor.Carry(a, []eval.Evaluation{again, other})
	list := records(t, defaults(), td).ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	require.Equal(t, 2, list.Len())
	require.InEpsilon(t, 2.0, list.At(0).Attributes().AsRaw()[verdicts.EvaluationScore], 1e-9)
	require.InEpsilon(t, 3.0, list.At(1).Attributes().AsRaw()[verdicts.EvaluationScore], 1e-9)
}

func TestClassesOfFailures(t *testing.T) {
	t.Parallel()
	for reason, class := range map[string]string{
		`the model "default" cannot be reached; try again later`: "model_error",
		"input.denominator_text must not be empty":               "invalid_input",
		"config.regex must not be empty":                         "invalid_config",
		"internal error":                                         "internal_error",
		"something else":                                         "_OTHER",
		"":                                                       "_OTHER",
	} {
		td := judged(eval.Evaluation{SetupID: "s", Evaluator: "e", Status: eval.Failed, Reason: reason})
		a := only(t, records(t, defaults(), td)).Attributes().AsRaw()
		require.Equal(t, class, a[verdicts.EvaluationError], reason)
		require.Equal(t, "e", a[verdicts.EvaluationName])
		require.NotContains(t, a, attributeError)
		require.NotContains(t, a, verdicts.EvaluationScore)
	}
}

// No shipped evaluator has a text output that is
// neither a label nor a reason, except the ones that are known to be prose.
func TestShippedTextOutputsAreLabelsOrReasons(t *testing.T) {
	t.Parallel()
	labels := map[string]bool{}
	for _, l := range defaults().Labels {
		labels[l] = true
	}
	prose := map[string]bool{"uncertainty-detector.answer": true}
	for _, e := range evaluators.Catalog().All() {
		for _, f := range e.Output {
			name := e.Slug + "." + f.Name
			if f.Type != eval.String || prose[name] {
				continue
			}
			require.NotEqual(t, labels[name], isReason(f.Name), name)
			delete(labels, name)
		}
	}
	require.Empty(t, labels, "labels of evaluators that do not ship")
}

// The sender of the spans gets an error when the records have nowhere to go.
func TestErrorsOfTheNextPass(t *testing.T) {
	t.Parallel()
	full := errors.New("queue is full")
	c := newRecorder(defaults(), "", consumertest.NewErr(full), clock)
	require.ErrorIs(t, c.ConsumeTraces(t.Context(), judged(done("s", "e", eval.Judge, output("pass", true)))), full)
	require.NoError(t, c.ConsumeTraces(t.Context(), judged()), "nothing to tell")
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	for _, started := range []bool{false, true} {
		c, err := f.CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(Type), f.CreateDefaultConfig(), consumertest.NewNop())
		require.NoError(t, err)
		require.Equal(t, consumer.Capabilities{}, c.Capabilities())
		if started {
			require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
			require.NoError(t, c.ConsumeTraces(context.Background(), ptrace.NewTraces()))
		}
		require.NoError(t, c.Shutdown(t.Context()))
		require.NoError(t, c.Shutdown(t.Context()))
	}
}
