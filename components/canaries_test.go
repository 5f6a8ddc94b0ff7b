// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
)

// canary is what every planted canary has and nothing else.
var canary = regexp.MustCompile(`kestrel\d{6}`)

// planter plants canaries into texts: what pii-detector, secrets-detector and a regular
// expression find, in turn.
type planter struct{ planted int }

func (p *planter) next() string {
	p.planted++
	switch p.planted % 3 {
	case 0:
		return fmt.Sprintf("kestrel%06d@example.org", p.planted)
	case 1:
		return fmt.Sprintf("gsk_kestrel%06dZk39vTq8LmX2wRb7NcY5dHs1JfGp4AeUo6iK", p.planted)
	}
	return fmt.Sprintf("REF-kestrel%06d", p.planted)
}

// text plants a canary in a text, or one in every string of JSON, also of JSON in strings.
func (p *planter) text(text string) string {
	if trimmed := strings.TrimSpace(text); trimmed != "" && strings.IndexByte(`{["`, trimmed[0]) >= 0 {
		var v any
		if d := json.NewDecoder(strings.NewReader(text)); json.Valid([]byte(text)) {
			d.UseNumber()
			if d.Decode(&v) == nil {
				made, err := json.Marshal(p.json(v))
				if err == nil {
					return string(made)
				}
			}
		}
	}
	return text + " " + p.next()
}

// keeps are members of JSON that identify messages: with another text there they are none.
var keeps = map[string]bool{"role": true, "type": true, "finish_reason": true, "finishReason": true, "kind": true}

func (p *planter) json(v any) any {
	switch v := v.(type) {
	case string:
		return p.text(v)
	case []any:
		for i := range v {
			v[i] = p.json(v[i])
		}
	case map[string]any:
		for name, member := range v {
			if !keeps[name] {
				v[name] = p.json(member)
			}
		}
		v["to "+p.next()] = true
	}
	return v
}

// told are the last words of the names of attributes that carry the content of spans.
var told = regexp.MustCompile(`(^|[._])(role|type|kind|name|model|system|provider|finish_reasons?|finishReason|operationId|provider_name)$`)

func (p *planter) attributes(m pcommon.Map) {
	for key, v := range m.All() {
		if !told.MatchString(key) {
			p.value(v)
		}
	}
	m.PutStr("application."+p.next(), p.next())
	nested := m.PutEmptyMap("application.nested")
	nested.PutStr("text", p.next())
	nested.PutEmptySlice("list").AppendEmpty().SetStr(p.next())
	m.PutEmptyBytes("application.bytes").FromRaw([]byte(p.next()))
}

func (p *planter) value(v pcommon.Value) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		v.SetStr(p.text(v.Str()))
	case pcommon.ValueTypeSlice:
		for _, element := range v.Slice().All() {
			p.value(element)
		}
	case pcommon.ValueTypeMap:
		for key, member := range v.Map().All() {
			if !keeps[key] {
				p.value(member)
			}
		}
	}
}

func (p *planter) scope(s pcommon.InstrumentationScope) {
	s.SetName(p.text(s.Name()))
	s.SetVersion(p.text(s.Version()))
	p.attributes(s.Attributes())
}

// traces plants canaries in every text of spans, which get other trace ids for another round.
func (p *planter) traces(td ptrace.Traces, round byte) {
	for _, rs := range td.ResourceSpans().All() {
		p.attributes(rs.Resource().Attributes())
		rs.SetSchemaUrl(p.text(rs.SchemaUrl()))
		for _, ss := range rs.ScopeSpans().All() {
			p.scope(ss.Scope())
			for _, s := range ss.Spans().All() {
				s.SetTraceID(otherTrace(s.TraceID(), round))
				s.SetName(p.text(s.Name()))
				s.Status().SetMessage(p.text(s.Status().Message()))
				s.TraceState().FromRaw("ot=th:0,x=" + p.next())
				p.attributes(s.Attributes())
				opinion := s.Events().AppendEmpty()
				opinion.SetName("gen_ai.evaluation.result")
				opinion.Attributes().PutStr("gen_ai.evaluation.name", "theirs "+p.next())
				opinion.Attributes().PutStr("gen_ai.evaluation.explanation", p.next())
				opinion.Attributes().PutDouble("gen_ai.evaluation.score.value", 1)
				for _, e := range s.Events().All() {
					if e.Name() != "gen_ai.evaluation.result" {
						p.attributes(e.Attributes())
					}
				}
				l := s.Links().AppendEmpty()
				l.SetTraceID([16]byte{1})
				l.TraceState().FromRaw("x=" + p.next())
				p.attributes(l.Attributes())
			}
		}
	}
}

func (p *planter) logs(ld plog.Logs, round byte) {
	for _, rl := range ld.ResourceLogs().All() {
		p.attributes(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			p.scope(sl.Scope())
			for _, r := range sl.LogRecords().All() {
				r.SetTraceID(otherTrace(r.TraceID(), round))
				r.SetSeverityText(p.text(r.SeverityText()))
				p.value(r.Body())
				p.attributes(r.Attributes())
			}
		}
	}
}

func otherTrace(id pcommon.TraceID, round byte) pcommon.TraceID {
	id[0] ^= round
	return id
}

// flock are the recordings of all SDKs with canaries, as requests of protobuf.
type flock struct {
	planter

	requests []request
}

type request struct {
	path string
	body []byte
}

// newFlock plants at least so many canaries.
func newFlock(t *testing.T, least int) *flock {
	t.Helper()
	f := &flock{}
	families := map[string]bool{}
	for round := byte(1); f.planted < least; round++ {
		for _, r := range genaitest.Recordings(t) {
			fresh, err := r.At(time.Now())
			require.NoError(t, err)
			family, _, _ := strings.Cut(r.File, "-")
			families[family] = true
			q := request{path: "/v1/" + string(r.Signal)}
			if r.Signal == genaitest.Traces {
				td, err := fresh.Traces()
				require.NoError(t, err)
				f.traces(td, round)
				q.body, err = (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
				require.NoError(t, err)
			} else {
				ld, err := fresh.Logs()
				require.NoError(t, err)
				f.logs(ld, round)
				q.body, err = (&plog.ProtoMarshaler{}).MarshalLogs(ld)
				require.NoError(t, err)
			}
			f.requests = append(f.requests, q)
		}
	}
	require.GreaterOrEqual(t, len(families), 4, families)
	return f
}

// fly sends them.
func (f *flock) fly(t *testing.T, h *collector, key string) {
	t.Helper()
	for _, q := range f.requests {
		code, _, answer := h.postOTLP(t, q.path, key, "application/x-protobuf", "", q.body)
		require.Equal(t, http.StatusOK, code, "%s", answer)
	}
}

// requireNone looks for canaries in an answer.
func requireNone(t *testing.T, where string, got []byte) {
	t.Helper()
	if at := canary.FindIndex(got); at != nil {
		require.Failf(t, "a canary", "%s: %q", where, got[max(0, at[0]-200):min(len(got), at[1]+50)])
	}
}

// requireNoneOnDisk looks for canaries in all files of a directory.
func requireNoneOnDisk(t *testing.T, dir string) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		requireNone(t, path, b)
		return err
	}))
	require.Positive(t, files)
}

// masking asks for what the three kinds of canaries are found by to be taken out of every
// span, and has a judge look at every answer.
func (h *collector) masking(t *testing.T, key string, action string, evaluators ...any) {
	t.Helper()
	acts := func(slug string) map[string]any { return map[string]any{"evaluator": slug, "action": action} }
	must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "masking",
		"evaluators": append([]any{
			"pii-detector", "secrets-detector",
			map[string]any{"slug": "regex-validator", "config": map[string]any{"regex": `REF-\w+`, "should_match": false}},
		}, evaluators...),
		"on_verdict": []any{acts("pii-detector"), acts("secrets-detector"), acts("regex-validator")},
	})
}

// What is to be masked is nowhere: not in the files of the store, not in what the API shows,
// not in logs, not in what another exporter sends, not in what a judge is asked.
func TestCanariesAreMaskedEverywhere(t *testing.T) {
	t.Parallel()
	const canaries = 10_000
	f := newFlock(t, canaries)
	j, other := startJudge(t), startBackend(t)
	h := newJudgedCollector(t, t.TempDir(), j)
	h.settings = append(h.settings,
		"service::telemetry::logs::level: debug",
		"exporters::otlp_http/other: {endpoint: \""+other.url+"\"}",
		"service::pipelines::traces::exporters: [spanstore, otlp_http/other]",
		"service::pipelines::logs::exporters: [spanstore, otlp_http/other]",
	)
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	key := h.key(t, "ours")
	h.masking(t, key, "mask", judged)
	f.fly(t, h, key)

	require.Eventually(t, func() bool { return h.progress(t, key, "masking").Owed == 0 }, patience, 100*time.Millisecond)
	asked := j.Requests()
	require.NotEmpty(t, asked)
	for _, q := range asked {
		requireNone(t, "judge", q.Body)
	}
	stored, found := 0, 0
	for cursor := ""; ; {
		page := must[map[string]any](t, h, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0&limit=200&cursor="+url.QueryEscape(cursor), key, nil)
		text, err := json.Marshal(page)
		require.NoError(t, err)
		requireNone(t, "API", text)
		spans := page["spans"].(map[string]any)
		for _, one := range spans["data"].([]any) {
			s := one.(map[string]any)
			if stored++; s["span_attributes"].(map[string]any)["evaluation.pii-detector.has_pii"] == "true" {
				found++
			}
			_, evaluations := h.call(t, http.MethodGet, fmt.Sprintf("/v2/warehouse/spans/%s/%s/evaluations", s["trace_id"], s["span_id"]), key, nil)
			requireNone(t, "evaluations", evaluations)
		}
		if cursor = spans["next_cursor"].(string); cursor == "" {
			break
		}
	}
	require.Positive(t, stored)
	require.Positive(t, found, "the verdicts are of what was said")

	require.Zero(t, h.numbers(t, `touchstone_on_verdict_texts_total\{.*effect="not_searched".*`)[0])
	require.NoError(t, h.Stop())
	requireNone(t, "logs", []byte(h.Output()))
	requireNoneOnDisk(t, h.Dir)

	marks := 0
	look := func(b []byte, err error) {
		require.NoError(t, err)
		requireNone(t, "exporter", b)
		marks += bytes.Count(b, []byte("[masked:"))
	}
	for _, td := range other.traces.AllTraces() {
		look((&ptrace.ProtoMarshaler{}).MarshalTraces(td))
	}
	for _, ld := range other.logs.AllLogs() {
		look((&plog.ProtoMarshaler{}).MarshalLogs(ld))
	}
	require.GreaterOrEqual(t, marks, f.planted, "each canary left its mark")
}

// At a sidecar nothing leaves the machine: not to its queue on disk, not to the gateway.
func TestCanariesStayAtTheSidecar(t *testing.T) {
	t.Parallel()
	f := newFlock(t, 1000)
	h := startBinary(t, t.TempDir())
	key := h.key(t, "ours")
	h.masking(t, key, "hash")
	s := h.newSidecar(t, key, "exporters::otlp_grpc::retry_on_failure: {initial_interval: 100ms, max_interval: 500ms}")
	s.startSidecar(t)
	s.awaitNumber(t, `touchstone_sidecar_setups_polls\{.*outcome="changed".*`, 1)
	h.Kill()
	f.fly(t, s, "none is needed")
	requireNoneOnDisk(t, filepath.Join(s.Dir, "queue"))

	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	stored := func() int64 { return h.page(t, key, "limit", "1").Spans.TotalResults }
	s.awaitNumber(t, `otelcol_exporter_sent_log_records.*`, 1)
	s.awaitSent(t)
	require.Positive(t, stored())
	hashes := regexp.MustCompile(`\[hashed:\w+:[a-p]{32}\]`)
	status, all := h.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0&limit=1000", key, nil)
	require.Equal(t, http.StatusOK, status)
	requireNone(t, "API", all)
	require.Greater(t, len(hashes.FindAll(all, -1)), 100)
	require.NotContains(t, string(all), "[masked:")
	require.Positive(t, h.numbers(t, `touchstone_sidecar_evaluations_taken.*`)[0], "the gateway takes the verdicts of what was said")
	require.NoError(t, h.Stop())
	requireNoneOnDisk(t, h.Dir)
}
