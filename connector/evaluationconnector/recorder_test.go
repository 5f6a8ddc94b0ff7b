// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/leaktest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { leaktest.Verify(m) }

func clock() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func defaults() *Config { return createDefaultConfig().(*Config) }

// judged is a stamped batch of one span that carries evaluations.
func judged(evaluations ...eval.Evaluation) ptrace.Traces {
	td := ptrace.NewTraces()
	add(td, 1, evaluations...)
	return td
}

func add(td ptrace.Traces, id byte, evaluations ...eval.Evaluation) ptrace.ResourceSpans {
	rs := td.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl("https://opentelemetry.io/schemas/1.37.0")
	rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, "env-1")
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("the application's")
	s := ss.Spans().AppendEmpty()
	s.SetName("chat")
	s.SetTraceID([16]byte{id, 1})
	s.SetSpanID([8]byte{id, 2})
	s.SetFlags(0x101)
	s.Attributes().PutStr("gen_ai.prompt.0.content", "a secret of the user")
	s.Attributes().PutStr("gen_ai.response.id", "chatcmpl-1")
	monitor.Carry(s.Attributes(), evaluations)
	return rs
}

func done(setup, evaluator string, backend eval.Backend, outputs ...eval.Output) eval.Evaluation {
	return eval.Evaluation{
		SetupID: setup, Evaluator: evaluator, Status: eval.Done, Backend: backend, Outputs: outputs,
		Time: clock().Add(-time.Minute).UnixNano(), Duration: 1000,
	}
}

func output(name string, value any) eval.Output { return eval.Output{Name: name, Value: value} }

// records sends a batch through a connector and gives what comes out.
func records(t *testing.T, cfg *Config, td ptrace.Traces) plog.Logs {
	t.Helper()
	sink := new(consumertest.LogsSink)
	c := newRecorder(cfg, "1.2.3", sink, clock)
	m := ptrace.ProtoMarshaler{}
	before, err := m.MarshalTraces(td)
	require.NoError(t, err)
	require.NoError(t, c.ConsumeTraces(t.Context(), td))
	after, err := m.MarshalTraces(td)
	require.NoError(t, err)
	require.Equal(t, before, after, "spans pass as they are")
	if len(sink.AllLogs()) == 0 {
		return plog.NewLogs()
	}
	require.Len(t, sink.AllLogs(), 1)
	return sink.AllLogs()[0]
}

func TestGolden(t *testing.T) {
	t.Parallel()
	tone := done("s1", "tone-detection", eval.Embedded, output("tone", "joy"), output("score", 0.93))
	flow := done("s1", "agent-flow-quality", eval.Judge,
		output("reason", "the user said: a secret"), output("score", 0.5), output("success", false))
	flow.Version = "2"
	tool := done("s1", "agent-tool-selection-quality", eval.Judge,
		output("tool_selection", "correct"), output("tool_selection_reason", "why the tool"),
		output("correct_args", true), output("correct_args_reason", "why the arguments"))
	efficiency := done("s1", "agent-efficiency", eval.Judge,
		output("step_efficiency_score", 0.75), output("step_efficiency_reason", "why the steps"),
		output("task_completion_score", 1.0), output("task_completion_reason", "why the task"))
	counted := done("s2", "char-count", eval.Deterministic, output("char_count", int64(17)))
	pii := done("s2", "pii-detector", eval.Deterministic, output("has_pii", true), output("reason", "EMAIL_ADDRESS"))
	doubt := done("s2", "uncertainty-detector", eval.Judge, output("answer", "the user's secret"), output("uncertainty", 0.1))
	words := done("s2", "essay", eval.Judge, output("summary", "the user's secret"), output("reason", "all text"))
	failed := eval.Evaluation{
		SetupID: "s2", Evaluator: "json-validator", Status: eval.Failed, Time: clock().UnixNano(),
		Reason: "config.schema_string quotes a secret",
	}
	all := []eval.Evaluation{tone, flow, tool, efficiency, counted, pii, doubt, words, failed}
	told := defaults()
	told.IncludeExplanations = true
	told.EnvironmentAttribute = "deployment.environment.id"
	custom := defaults()
	custom.Labels = []string{"mood.mood"}

	for name, c := range map[string]struct {
		cfg *Config
		td  func() ptrace.Traces
	}{
		"outputs":      {defaults(), func() ptrace.Traces { return judged(all...) }},
		"explanations": {told, func() ptrace.Traces { return judged(all...) }},
		"labels": {custom, func() ptrace.Traces {
			return judged(
				done("s1", "mood", eval.Judge, output("mood", "calm"), output("weather", "rain"), output("score", int64(3))),
				done("s2", "tone-detection", eval.Embedded, output("tone", "joy"), output("score", 0.93)))
		}},
		"resources": {told, func() ptrace.Traces {
			td := judged(counted)
			add(td, 2)
			rs := add(td, 3, counted)
			rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, "env-2")
			rs.Resource().Attributes().PutStr("deployment.environment.id", "what a client says")
			return td
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := records(t, c.cfg, c.td())
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				require.NoError(t, golden.WriteLogsToFile(file, got))
			}
			want, err := golden.ReadLogs(file)
			require.NoError(t, err)
			m := plog.JSONMarshaler{}
			wanted, err := m.MarshalLogs(want)
			require.NoError(t, err)
			made, err := m.MarshalLogs(got)
			require.NoError(t, err)
			require.JSONEq(t, string(wanted), string(made))
			if !c.cfg.IncludeExplanations {
				require.NotContains(t, string(made), "secret")
			}
			require.NotContains(t, string(made), tenant.AttributeEnvironmentID)
		})
	}
}
