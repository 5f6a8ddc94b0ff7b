// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

const accessToken = testbed.AccessToken

// patience is how long anything may take that a test waits for. A machine that does much
// else besides takes many times as long as an idle one; no such wait says that something
// is fast.
const patience = 5 * time.Minute

// collector is the shipped config.yaml at work, in process or as a binary.
type collector struct {
	*testbed.Collector
	settings []string // on top of config.yaml, as YAML: "a::b: c"
	stop     func()   // in process only
}

func newCollector(t *testing.T, dir string) *collector {
	t.Helper()
	c, err := testbed.New(dir)
	require.NoError(t, err)
	return &collector{Collector: c, stop: func() {}}
}

// startCollector runs the shipped config.yaml in this process.
func startCollector(t *testing.T, dir string) *collector {
	t.Helper()
	h := newCollector(t, dir)
	h.start(t)
	t.Cleanup(func() { h.stop() })
	return h
}

func (h *collector) start(t *testing.T) {
	t.Helper()
	if h.Env["TOUCHSTONE_MEMORY_LIMIT_MIB"] == "" {
		h.Env["TOUCHSTONE_MEMORY_LIMIT_MIB"] = "8192" // many collectors share this process
	}
	config, err := filepath.Abs("../config.yaml")
	require.NoError(t, err)
	uris := []string{"file:" + config, "yaml:service::telemetry::logs::level: error"}
	for _, s := range h.settings {
		uris = append(uris, "yaml:"+s)
	}
	col, err := otelcol.NewCollector(otelcol.CollectorSettings{
		Factories: components,
		BuildInfo: component.BuildInfo{Command: "touchstone", Version: "test"},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs: uris,
			ProviderFactories: []confmap.ProviderFactory{
				newEnvironment(h.Env), fileprovider.NewFactory(), yamlprovider.NewFactory(),
			},
		}},
		DisableGracefulShutdown: true,
		SkipSettingGRPCLogger:   true,
	})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- col.Run(context.Background()) }()
	require.Eventually(t, func() bool {
		select {
		case err := <-ended:
			ended <- err
			require.NoError(t, err, "the collector ended at start")
		default:
		}
		return col.GetState() == otelcol.StateRunning
	}, patience, 5*time.Millisecond)
	var once sync.Once
	h.stop = func() {
		once.Do(func() {
			col.Shutdown()
			require.NoError(t, <-ended)
		})
	}
}

// call sends a JSON request to the API and gives the status and the answer.
func (h *collector) call(t *testing.T, method, path, credential string, body any) (int, []byte) {
	t.Helper()
	status, answer, err := h.Call(t.Context(), method, path, credential, body)
	require.NoError(t, err)
	return status, answer
}

// must is call for a request that is meant to succeed; it decodes the answer.
func must[T any](t *testing.T, h *collector, method, path, credential string, body any) T {
	t.Helper()
	answer, err := testbed.Ask[T](t.Context(), h.Collector, method, path, credential, body)
	require.NoError(t, err)
	return answer
}

// key makes an organization with one environment and gives its API key.
func (h *collector) key(t *testing.T, name string) string {
	t.Helper()
	keys, err := h.Keys(t.Context(), name)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	return keys[0]
}

// setup makes an auto monitor that matches the selector, and waits until its evaluators
// have loaded what they need: what comes before is judged a moment later.
func (h *collector) setup(t *testing.T, key, externalID string, evaluators []string, selector []map[string]any) {
	t.Helper()
	h.makeSetup(t, key, externalID, evaluators, selector)
	h.awaitLoaded(t, key, externalID)
}

// makeSetup is setup that waits for nothing.
func (h *collector) makeSetup(t *testing.T, key, externalID string, evaluators []string, selector []map[string]any) {
	t.Helper()
	must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": externalID, "evaluators": evaluators, "selector": selector,
	})
}

// awaitLoaded waits until a setup is loaded.
func (h *collector) awaitLoaded(t *testing.T, key, externalID string) {
	t.Helper()
	require.Eventually(t, func() bool {
		loaded, err := h.Loaded(t.Context(), key, externalID)
		require.NoError(t, err)
		return loaded
	}, patience, 5*time.Millisecond)
}

// page asks for spans from the beginning of time on, unless params say else.
func (h *collector) page(t *testing.T, key string, params ...string) testbed.Page {
	t.Helper()
	q := url.Values{"from_timestamp_sec": {"0"}}
	for i := 0; i+1 < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	return must[testbed.Page](t, h, http.MethodGet, "/v2/warehouse/spans?"+q.Encode(), key, nil)
}

// postOTLP sends a body over OTLP/HTTP as an SDK would and gives the answer.
func (h *collector) postOTLP(t *testing.T, path, key, contentType, encoding string, body []byte) (int, http.Header, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.HTTP+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, answer
}

// exportGRPC sends traces over OTLP/gRPC.
func (h *collector) exportGRPC(t *testing.T, key string, td ptrace.Traces) error {
	t.Helper()
	conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key)
	_, err = ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
	return err
}

// someTraces makes n LLM spans of one trace that started just now.
func someTraces(trace byte, n int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("tests")
	start := time.Now().Add(-time.Second)
	for i := range n {
		s := ss.Spans().AppendEmpty()
		s.SetName("chat " + strconv.Itoa(i))
		s.SetTraceID([16]byte{trace, 1})
		s.SetSpanID([8]byte{trace, byte(i >> 8), byte(i), 1})
		s.SetKind(ptrace.SpanKindClient)
		begin := start.Add(time.Duration(i) * time.Microsecond)
		s.SetStartTimestamp(timestamp(begin))
		s.SetEndTimestamp(timestamp(begin.Add(20 * time.Millisecond)))
		s.Attributes().PutStr("gen_ai.system", "openai")
		s.Attributes().PutStr("gen_ai.request.model", "gpt-4o-mini")
		s.Attributes().PutStr("gen_ai.prompt.0.role", "user")
		s.Attributes().PutStr("gen_ai.prompt.0.content", "How far is the moon?")
		s.Attributes().PutStr("gen_ai.completion.0.role", "assistant")
		s.Attributes().PutStr("gen_ai.completion.0.content", "About 384,400 km.")
		s.Attributes().PutInt("gen_ai.usage.prompt_tokens", int64(10+i))
		s.Attributes().PutInt("gen_ai.usage.completion_tokens", 7)
	}
	return td
}

func rule(key, value string) map[string]any {
	return map[string]any{"key": key, "value": value, "source": "span_attributes"}
}

func filters(t *testing.T, conditions ...map[string]any) string {
	t.Helper()
	b, err := json.Marshal(conditions)
	require.NoError(t, err)
	return string(b)
}

func timestamp(at time.Time) pcommon.Timestamp { return pcommon.NewTimestampFromTime(at) }
