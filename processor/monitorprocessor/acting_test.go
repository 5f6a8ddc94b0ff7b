// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const mail = "ada@example.org"

// acts stores a setup that asks for something on verdicts.
func acts(tb testing.TB, live *cache.Cache, externalID string, asked []monitor.OnVerdict, list []monitor.SetupEvaluator, rules ...monitor.Rule) monitor.Setup {
	tb.Helper()
	s := monitor.Setup{
		ID: uuid.NewString(), ExternalID: externalID, OrganizationID: "org-1", ProjectID: "project-1", EnvironmentID: env, Selector: rules,
		Evaluators: list, OnVerdict: asked, Status: monitor.Pending, Revision: 1, Generation: 1, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}
	for i := range s.Evaluators {
		s.Evaluators[i].Status = monitor.Pending
	}
	require.NoError(tb, monitor.CheckOnVerdict("on_verdict", &s, prebuilt))
	require.NoError(tb, store.Setups(live).Create(context.Background(), s))
	return s
}

func prebuilt(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	e, _ := evaluators.Catalog().Get(w.Slug)
	return e, nil
}

// only are one evaluator and what is asked for on its verdict.
func only(slug string, action monitor.VerdictAction, config string) ([]monitor.OnVerdict, []monitor.SetupEvaluator) {
	w := monitor.SetupEvaluator{Slug: slug}
	if config != "" {
		w.Config = json.RawMessage(config)
	}
	return []monitor.OnVerdict{{Evaluator: slug, Action: action}}, []monitor.SetupEvaluator{w}
}

// said are spans that answer what they are given.
func said(answers ...string) ptrace.Traces {
	td := stamped(len(answers))
	for i, answer := range answers {
		spanAt(td, i).Attributes().PutStr("gen_ai.completion.0.content", answer)
	}
	return td
}

func answerOf(s ptrace.Span) string {
	v, ok := s.Attributes().Get("gen_ai.completion.0.content")
	if !ok {
		return ""
	}
	return v.AsString()
}

func TestWhatIsFoundIsMasked(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	asked, list := only("pii-detector", monitor.ActMask, "")
	s := acts(t, live, "pii", asked, append(list, monitor.SetupEvaluator{Slug: "char-count"}))
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
	td := said("Write to "+mail+".", "Nothing here.")
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.owner", mail)
	first := spanAt(td, 0)
	first.SetName("mail to " + mail)
	first.Status().SetMessage("no such user: " + mail)
	first.TraceState().FromRaw("ot=th:8,x=" + mail)
	first.Attributes().PutStr("input.value", `{"to": "`+mail+`", "n": 1}`)
	first.Attributes().PutStr("key "+mail, "v")
	first.Attributes().PutEmptyBytes("raw").FromRaw([]byte(mail))
	first.Attributes().PutEmptyMap("nested").PutEmptySlice("list").AppendEmpty().SetStr(mail)
	first.Events().AppendEmpty().Attributes().PutStr("exception.message", mail)
	first.Links().AppendEmpty().Attributes().PutStr("why", mail)

	made := judged(t, p, td)
	sent, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	require.NotContains(t, string(sent), mail)
	require.Contains(t, string(sent), "ot=th:8,x=[masked:email_address]")
	require.Equal(t, "Write to [masked:email_address].", answerOf(first))
	require.Equal(t, "Nothing here.", answerOf(spanAt(td, 1)))
	input, _ := first.Attributes().Get("input.value")
	require.JSONEq(t, `{"to": "[masked:email_address]", "n": 1}`, input.Str())

	require.Len(t, made[0], 2)
	require.Equal(t, s.ID, made[0][0].SetupID)
	require.Equal(t, []eval.Output{{Name: "has_pii", Value: true}, {Name: "reason", Value: "Found EMAIL_ADDRESS."}}, made[0][0].Outputs)
	require.Equal(t, int64(len("Write to "+mail+".")), made[0][1].Outputs[0].Value, "verdicts are of what was said")
	require.Equal(t, false, made[1][0].Outputs[0].Value)
	require.Equal(t, int64(1), value(t, tel, "touchstone_on_verdict_records", "signal", "traces", "action", "replace", "reason", "verdict")-1, "the resource belongs to both")
	require.Positive(t, value(t, tel, "touchstone_on_verdict_texts", "effect", "masked"))
	require.Zero(t, value(t, tel, "touchstone_on_verdict_texts", "effect", "not_searched"))
}

// What stands around an address, as in links and between braces, stays.
func TestNoMoreIsMaskedThanIsFound(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	asked, list := only("pii-detector", monitor.ActMask, "")
	acts(t, live, "pii", asked, list)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	td := said("https://x.example/?mail=bob.kestrel%40example.org", "{user="+mail+"}")
	judged(t, p, td)
	require.Equal(t, "https://x.example/?mail=[masked:email_address]", answerOf(spanAt(td, 0)))
	require.Equal(t, "{user=[masked:email_address]}", answerOf(spanAt(td, 1)))
}

func TestSpansAndContentsAreDropped(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	asked, list := only("profanity-detector", monitor.ActDropContent, "")
	list[0].Backend = "embedded"
	acts(t, live, "content", asked, list)
	asked, list = only("regex-validator", monitor.ActDropSpan, `{"regex": "top secret", "should_match": false}`)
	acts(t, live, "span", asked, list)
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())

	td := said("Fine.", "You are a fucking idiot.", "Also fine.", "This is top secret.")
	_, err := p.processTraces(t.Context(), td)
	require.NoError(t, err)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	require.Equal(t, 3, spans.Len())
	require.Equal(t, []string{"Fine.", "", "Also fine."}, []string{answerOf(spans.At(0)), answerOf(spans.At(1)), answerOf(spans.At(2))})
	verdicts := monitor.Carried(spans.At(1).Attributes())
	require.Equal(t, "profanity-detector", verdicts[0].Evaluator)
	require.False(t, *verdicts[0].Good(), "the verdict stays")
	require.Equal(t, int64(1), value(t, tel, "touchstone_on_verdict_records", "signal", "traces", "action", "drop_content", "reason", "verdict"))
	require.Equal(t, int64(1), value(t, tel, "touchstone_on_verdict_records", "signal", "traces", "action", "drop_record", "reason", "verdict"))

	_, err = p.processTraces(t.Context(), said("top secret"))
	require.ErrorIs(t, err, processorhelper.ErrSkipProcessingData, "nothing is left to hand on")
}

func TestWhatCannotBeJudged(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		live := newLive(t)
		onFailure := monitor.OnFailure("")
		if keep {
			onFailure = monitor.FailKeep
		}
		asked, list := only("pii-detector", monitor.ActMask, "")
		asked[0].OnFailure = onFailure
		acts(t, live, "pii", asked, list)
		p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
		judged(t, p, said("Fine."))
		await(t, live, "pii", monitor.Completed) // with which the monitor is compiled again
		judged(t, p, said("Fine."))              // so that the names of attributes are known
		p.cfg.ActBudget = 1                      // no more than one text is searched
		td := said("Write to " + mail + " or " + strings.Repeat("x", 100))
		spanAt(td, 0).SetName("a name that is not known")
		judged(t, p, td)
		if want := "[masked:not_searched]"; keep {
			require.Contains(t, answerOf(spanAt(td, 0)), mail)
			require.Equal(t, int64(1), value(t, tel, "touchstone_on_verdict_records", "signal", "traces", "action", "keep", "reason", "failure"))
		} else {
			require.Equal(t, want, answerOf(spanAt(td, 0)))
			require.Equal(t, int64(1), value(t, tel, "touchstone_on_verdict_records", "signal", "traces", "action", "replace", "reason", "failure"))
		}
	}

	// A verdict that comes too late is none.
	live := newLive(t)
	asked, list := only("profanity-detector", monitor.ActDropSpan, "")
	list[0].Backend = "embedded"
	acts(t, live, "late", asked, list)
	cfg := defaults()
	cfg.Budget = 1
	p, tel := startProcessor(t, live, evaluators.Catalog(), cfg)
	td := said("Fine.", "Fine.")
	made := judged(t, p, td)
	require.Equal(t, eval.Deferred, made[1][0].Status)
	require.Equal(t, "Fine.", answerOf(spanAt(td, 0)))
	require.Empty(t, answerOf(spanAt(td, 1)))
	require.Equal(t, int64(1), value(t, tel, "touchstone_on_verdict_records", "signal", "traces", "action", "drop_content", "reason", "failure"))
}

// Equal values of an environment have equal hashes, wherever they are found.
func TestWhatIsFoundIsHashed(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	asked, list := only("pii-detector", monitor.ActHash, "")
	acts(t, live, "pii", asked, list)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	td := said(mail, "bob@example.org", "to "+mail)
	judged(t, p, td)
	require.Regexp(t, `^\[hashed:email_address:[a-p]{32}\]$`, answerOf(spanAt(td, 0)))
	require.NotEqual(t, answerOf(spanAt(td, 0)), answerOf(spanAt(td, 1)))
	require.Equal(t, "to "+answerOf(spanAt(td, 0)), answerOf(spanAt(td, 2)))
}

func TestLogRecordsAreMasked(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	region := "eu"
	asked, list := only("pii-detector", monitor.ActMask, "")
	acts(t, live, "pii", asked, list, exists("gen_ai.system"),
		monitor.Rule{Key: "region", Source: monitor.ResourceAttributes, Operator: query.OpEquals, Value: &region})
	asked, list = only("profanity-detector", monitor.ActDropSpan, "")
	list[0].Backend = "embedded"
	acts(t, live, "profanity", asked, list)
	p, tel := startLogs(t, live)

	ld := plog.NewLogs()
	for _, where := range []string{"eu", "us"} {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, string(env))
		rl.Resource().Attributes().PutStr("region", where)
		records := rl.ScopeLogs().AppendEmpty().LogRecords()
		for i, text := range []string{"Write to " + mail, "You are a fucking idiot.", "Fine."} {
			r := records.AppendEmpty()
			r.SetEventName("gen_ai.choice")
			r.SetTraceID([16]byte{1})
			r.SetSpanID([8]byte{byte(i + 1)})
			r.Body().SetEmptyMap().PutEmptyMap("message").PutStr("content", text)
		}
		plain := records.AppendEmpty()
		plain.Body().SetStr("no message: " + mail)
		plain.Attributes().PutStr("k", mail)
	}
	_, err := p.processLogs(t.Context(), ld)
	require.NoError(t, err)
	sent, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
	require.NoError(t, err)
	require.NotContains(t, string(sent), "idiot")
	var texts [2][]string
	for i, rl := range ld.ResourceLogs().All() {
		for _, r := range rl.ScopeLogs().At(0).LogRecords().All() {
			texts[i] = append(texts[i], r.Body().AsString())
		}
	}
	require.Equal(t, []string{
		`{"message":{"content":"Write to [masked:email_address]"}}`, `{"message":{"content":"Fine."}}`, "no message: [masked:email_address]",
	}, texts[0])
	require.Equal(t, "no message: "+mail, texts[1][2], "another region")
	require.Equal(t, int64(2), value(t, tel, "touchstone_on_verdict_records", "signal", "logs", "action", "drop_record", "reason", "verdict"))
	require.Equal(t, int64(2), value(t, tel, "touchstone_on_verdict_records", "signal", "logs", "action", "replace", "reason", "verdict"))
}

// A backfill judges what is stored, and what is stored stays.
func TestBackfillsChangeNothing(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	asked, list := only("pii-detector", monitor.ActDropSpan, "")
	s := acts(t, live, "pii", asked, list)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	td := said(mail)
	r := td.ResourceSpans().At(0).Resource().Attributes()
	r.PutBool(tenant.AttributeDeferred, true)
	r.PutBool(tenant.AttributeBackfill, true)
	monitor.CarrySetups(r, []monitor.Setup{s}, nil)
	require.False(t, *judged(t, p, td)[0][0].Good())
	require.Equal(t, mail, answerOf(spanAt(td, 0)))
}

// startLogs starts the processor for log records.
func startLogs(tb testing.TB, live *cache.Cache) (*monitorProcessor, *componenttest.Telemetry) {
	tb.Helper()
	tel := componenttest.NewTelemetry()
	tb.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	cfg := defaults()
	p, err := newProcessor(cfg, evaluators.Catalog(), tel.NewTelemetrySettings())
	require.NoError(tb, err)
	p.logs = true
	require.NoError(tb, p.start(context.Background(), host{map[component.ID]component.Component{cfg.Store: &storeProvider{live: live}}}))
	tb.Cleanup(func() { require.NoError(tb, p.shutdown(context.Background())) })
	require.Nil(tb, p.reconciler)
	return p, tel
}

// value returns the value of the series of a counter that has these labels.
func value(t *testing.T, tel *componenttest.Telemetry, name string, labels ...string) (total int64) {
	t.Helper()
	counted, err := tel.GetMetric(name)
	require.NoError(t, err)
	for _, point := range counted.Data.(metricdata.Sum[int64]).DataPoints {
		is := true
		for i := 0; i < len(labels); i += 2 {
			v, ok := point.Attributes.Value(attribute.Key(labels[i]))
			is = is && ok && v.AsString() == labels[i+1]
		}
		if is {
			total += point.Value
		}
	}
	return total
}
