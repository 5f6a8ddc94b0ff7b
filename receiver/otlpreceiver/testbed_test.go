// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// intake is a receiver and where it hands on what comes.
type intake struct {
	receiver.Traces
	grpc, http string // addresses
	logs       consumertest.LogsSink
	metrics    consumertest.MetricsSink
	reader     *sdkmetric.ManualReader
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := testbed.FreeAddress()
	require.NoError(t, err)
	return address
}

// start starts a receiver of any factory with these settings of the servers and of
// itself, nil for none.
func start(t *testing.T, f receiver.Factory, next consumer.Traces, grpcSettings, httpSettings, settings map[string]any) *intake {
	t.Helper()
	in := &intake{grpc: freeAddress(t), http: freeAddress(t), reader: sdkmetric.NewManualReader()}
	overGRPC, overHTTP := map[string]any{"endpoint": in.grpc}, map[string]any{"endpoint": in.http}
	for k, v := range grpcSettings {
		overGRPC[k] = v
	}
	for k, v := range httpSettings {
		overHTTP[k] = v
	}
	all := map[string]any{"protocols": map[string]any{"grpc": overGRPC, "http": overHTTP}}
	for k, v := range settings {
		all[k] = v
	}
	cfg := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(all).Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	set := receivertest.NewNopSettings(f.Type())
	set.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(in.reader))
	var err error
	in.Traces, err = f.CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	logs, err := f.CreateLogs(t.Context(), set, cfg, &in.logs)
	require.NoError(t, err)
	metrics, err := f.CreateMetrics(t.Context(), set, cfg, &in.metrics)
	require.NoError(t, err)
	for _, r := range []receiver.Traces{in.Traces, logs, metrics} {
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		t.Cleanup(func() { require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context()))) })
	}
	return in
}

// dial returns a client's connection of gRPC of its own.
func (in *intake) dial(t *testing.T) *grpc.ClientConn {
	t.Helper()
	c, err := grpc.NewClient(in.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// told is what an HTTP server answered.
type told struct {
	code                   int
	kind, retryAfter, body string
}

func (in *intake) post(t *testing.T, path, kind, body string) told {
	t.Helper()
	return in.call(t, http.MethodPost, path, kind, body)
}

func (in *intake) call(t *testing.T, method, path, kind, body string) told {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, "http://"+in.http+path, strings.NewReader(body))
	require.NoError(t, err)
	q.Header.Set("Content-Type", kind)
	a, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
	require.NoError(t, err)
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	return told{a.StatusCode, a.Header.Get("Content-Type"), a.Header.Get("Retry-After"), string(b)}
}

func oneSpan() ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName("chat")
	s.SetTraceID([16]byte{1})
	s.SetSpanID([8]byte{2})
	return td
}
