// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())
	cfg := createDefaultConfig()
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "api"), cfg))
	require.Equal(t, &Config{API: "https://api.example.com"}, cfg)
	for _, wrong := range []string{"127.0.0.1:8080", "ftp://x", "http://", "http://x/v2", "http://u:p@x", "http://x?a=b", "http://x#y", "://"} {
		require.ErrorContains(t, (&Config{API: wrong}).Validate(), `"api"`, wrong)
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	for _, started := range []bool{false, true} {
		ext, err := f.Create(t.Context(), extensiontest.NewNopSettings(Type), f.CreateDefaultConfig())
		require.NoError(t, err)
		if started {
			require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
		}
		require.NoError(t, ext.Shutdown(t.Context()))
		require.NoError(t, ext.Shutdown(t.Context()))
	}
}

// intake is a stock OTLP receiver behind the middleware.
type intake struct {
	url     string
	client  *http.Client
	traces  consumertest.TracesSink
	logs    consumertest.LogsSink
	metrics consumertest.MetricsSink
}

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func newIntake(t *testing.T, api string) *intake {
	t.Helper()
	f := NewFactory()
	own := f.CreateDefaultConfig().(*Config)
	own.API = api
	ext, err := f.Create(t.Context(), extensiontest.NewNopSettings(Type), own)
	require.NoError(t, err)
	address, err := testbed.FreeAddress()
	require.NoError(t, err)

	in := &intake{url: "http://" + address}
	rf := otlpreceiver.NewFactory()
	cfg := rf.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{
		"endpoint": address, "middlewares": []any{map[string]any{"id": "otlp_paths"}},
	}}}).Unmarshal(cfg))
	set := receivertest.NewNopSettings(rf.Type())
	traces, err := rf.CreateTraces(t.Context(), set, cfg, &in.traces)
	require.NoError(t, err)
	_, err = rf.CreateLogs(t.Context(), set, cfg, &in.logs) // the same receiver
	require.NoError(t, err)
	_, err = rf.CreateMetrics(t.Context(), set, cfg, &in.metrics)
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), host{component.NewID(Type): ext}))

	transport := &http.Transport{}
	in.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a redirect is the answer
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, traces.Shutdown(context.WithoutCancel(t.Context())))
		require.NoError(t, ext.Shutdown(context.WithoutCancel(t.Context())))
	})
	return in
}

func (in *intake) do(t *testing.T, method, path string, body io.Reader, headers map[string]string) (int, string, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, in.url+path, body)
	require.NoError(t, err)
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	resp, err := in.client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header.Get("Content-Type"), answer
}

const tracesJSON = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"chat",
	"traceId":"00000000000000000000000000000001","spanId":"0000000000000001"}]}]}]}`

func tracesProto(t *testing.T) []byte {
	t.Helper()
	req := ptraceotlp.NewExportRequest()
	require.NoError(t, req.UnmarshalJSON([]byte(tracesJSON)))
	b, err := req.MarshalProto()
	require.NoError(t, err)
	return b
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return z.Bytes()
}

// chunked hides the length of a body, so that it is sent in chunks.
type chunked struct{ io.Reader }

func TestUnusualSpellingsReachTheReceiver(t *testing.T) {
	t.Parallel()
	in := newIntake(t, "")
	const protobuf, json = "application/x-protobuf", "application/json"
	want := 0
	for _, path := range []string{
		"/v1/traces", "//v1/traces", "/v1/traces/", "//v1/traces/", "/v1//traces", "///v1/traces//", "/", "//", "/?a=b", "//v1/traces?a=b",
	} {
		for name, send := range map[string]struct {
			body    io.Reader
			headers map[string]string
		}{
			"protobuf with length":  {bytes.NewReader(tracesProto(t)), map[string]string{"Content-Type": protobuf}},
			"protobuf in chunks":    {chunked{bytes.NewReader(tracesProto(t))}, map[string]string{"Content-Type": protobuf}},
			"zipped protobuf":       {bytes.NewReader(zipped(t, tracesProto(t))), map[string]string{"Content-Type": protobuf, "Content-Encoding": "gzip"}},
			"zipped json in chunks": {chunked{bytes.NewReader(zipped(t, []byte(tracesJSON)))}, map[string]string{"Content-Type": json, "Content-Encoding": "gzip"}},
			"json with charset":     {bytes.NewReader([]byte(tracesJSON)), map[string]string{"Content-Type": json + "; charset=utf-8"}},
		} {
			status, contentType, answer := in.do(t, http.MethodPost, path, send.body, send.headers)
			require.Equal(t, http.StatusOK, status, "%s %s: %s", name, path, answer)
			if send.headers["Content-Type"] == protobuf {
				require.Equal(t, protobuf, contentType)
			} else {
				require.Equal(t, json, contentType) //nolint:testifylint // a media type, not a document
			}
			want++
			require.Equal(t, want, in.traces.SpanCount(), "%s %s", name, path)
		}
	}
}

func TestLogsAndMetrics(t *testing.T) {
	t.Parallel()
	in := newIntake(t, "")
	logs := plogotlp.NewExportRequest()
	logs.Logs().ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("x")
	logsJSON, err := logs.MarshalJSON()
	require.NoError(t, err)
	metrics := pmetricotlp.NewExportRequest()
	metrics.Metrics().ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty()
	metricsJSON, err := metrics.MarshalJSON()
	require.NoError(t, err)

	for signal, body := range map[string][]byte{"logs": logsJSON, "metrics": metricsJSON} {
		for _, path := range []string{"/v1/" + signal, "//v1/" + signal, "/v1/" + signal + "/"} {
			status, _, answer := in.do(t, http.MethodPost, path, bytes.NewReader(body), map[string]string{"Content-Type": "application/json"})
			require.Equal(t, http.StatusOK, status, "%s: %s", path, answer)
		}
	}
	require.Equal(t, 3, in.logs.LogRecordCount())
	require.Equal(t, 3, in.metrics.DataPointCount())
	require.Zero(t, in.traces.SpanCount())
}

// TestOthersAreUntouched compares what the router does with what it does
// without the middleware.
func TestOthersAreUntouched(t *testing.T) {
	t.Parallel()
	in := newIntake(t, "")
	for _, path := range []string{"/v1", "/v1/", "/v1/trace", "/v2/traces", "/v1/traces/more", "/v1/traces//more", "/V1/TRACES", "/v1/profiles/", "/%2Fv1/traces", "/v1/./traces"} {
		status, _, _ := in.do(t, http.MethodPost, path, nil, nil)
		require.NotEqual(t, http.StatusOK, status, path)
	}
	status, _, _ := in.do(t, http.MethodGet, "/", nil, nil)
	require.Equal(t, http.StatusNotFound, status)
	status, _, _ = in.do(t, http.MethodGet, "//v1/traces", nil, nil)
	require.Equal(t, http.StatusMethodNotAllowed, status)
	require.Zero(t, in.traces.SpanCount())
}

func TestRequestsThatMeanNothingElsePassAsTheyAre(t *testing.T) {
	t.Parallel()
	wrap, err := (&otlpPaths{cfg: &Config{}}).GetHTTPHandler(t.Context())
	require.NoError(t, err)
	var got *http.Request
	h, err := wrap(t.Context(), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	require.NoError(t, err)

	for _, target := range []string{"/v1/traces", "/v1/traces/x", "/%2Fv1/traces", "//v1/traces%2F", "*", "/v1/../v1/traces/"} {
		r := httptest.NewRequest(http.MethodOptions, target, nil)
		h.ServeHTTP(httptest.NewRecorder(), r)
		require.Same(t, r, got, target)
	}
	r := httptest.NewRequest(http.MethodPost, "//v1/logs/?a=b", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, "/v1/logs?a=b", got.URL.String())
	require.Equal(t, "//v1/logs/", r.URL.Path, "the server's own request is left alone")
}
