// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())
	cfg := createDefaultConfig()
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, &Config{
		Auth: component.MustNewID("keyauth"), Store: component.MustNewID("store"), RequestMiB: 16, MemoryMiB: 128, Wait: 5e8, RetryAfter: 3e9, StopWait: 4e9,
		Limits: Limits{Depth: 8, Attributes: 1, Values: 2, Events: 3, Links: 4, Records: 5, KeyBytes: 6, NameBytes: 7},
	}, cfg)

	err := (&Config{Limits: Limits{Depth: 65}}).Validate()
	for _, key := range []string{
		"request_mib", "memory_mib", "wait", "retry_after", "stop_wait", "limits::depth", "limits::attributes", "limits::values",
		"limits::events", "limits::links", "limits::records", "limits::key_bytes", "limits::name_bytes",
	} {
		require.ErrorContains(t, err, `"`+key+`"`)
	}
	cfg = createDefaultConfig()
	cfg.(*Config).MemoryMiB = 127
	require.ErrorContains(t, cfg.(*Config).Validate(), `"memory_mib" must be at least twice "request_mib"`)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	for _, started := range []bool{false, true} {
		ext, err := f.Create(t.Context(), extensiontest.NewNopSettings(Type), f.CreateDefaultConfig())
		require.NoError(t, err)
		if started {
			require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
		}
		require.NoError(t, ext.Shutdown(t.Context()))
		require.NoError(t, ext.Shutdown(t.Context()))
	}
	ext, err := f.Create(t.Context(), extensiontest.NewNopSettings(Type), &Config{Auth: component.MustNewID("nobody"), Limits: Limits{}})
	require.NoError(t, err)
	require.ErrorContains(t, ext.Start(t.Context(), componenttest.NewNopHost()), `"auth"`)
	require.NoError(t, ext.Shutdown(t.Context()))
}

// authenticator knows callers by their credential: it is the name of their environment. It
// refuses one, and answers for another that it is unavailable.
type authenticator struct {
	component.StartFunc
	component.ShutdownFunc
	asked   atomic.Int64
	refused chan context.Context // if not nil, what a refused call came with
	quotas  map[string]tenant.Quota
}

func (d *authenticator) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	d.asked.Add(1)
	name := ""
	for _, key := range []string{"authorization", "Authorization"} {
		if values := sources[key]; len(values) == 1 {
			name = values[0]
		}
	}
	if name == "somebody" {
		return ctx, fault.New(fault.Unavailable, "Try again")
	}
	if name == "" || name == "nobody" {
		if d.refused != nil {
			d.refused <- ctx
		}
		return ctx, errors.New("unauthorized")
	}
	info := client.FromContext(ctx)
	info.Auth = &tenant.Principal{Environment: tenant.Environment{ID: tenant.EnvironmentID(name), Retention: time.Hour, Quota: d.quotas[name]}}
	return client.NewContext(ctx, info), nil
}

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// intake is a stock OTLP receiver behind an authenticator and the middleware.
type intake struct {
	*admission
	authenticator *authenticator
	traces        consumertest.TracesSink
	logs          consumertest.LogsSink
	metrics       consumertest.MetricsSink
	url           string
	client        *http.Client
	conn          *grpc.ClientConn
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := testbed.FreeAddress()
	require.NoError(t, err)
	return address
}

// newIntake starts an intake; change may be nil.
func newIntake(t *testing.T, change func(*Config), httpSettings map[string]any, stores ...storeHost) *intake {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Auth = component.MustNewID("authenticator")
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	a, err := newExtension(cfg, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	in := &intake{admission: a, authenticator: &authenticator{}}
	h := host{component.NewID(Type): a, component.MustNewID("authenticator"): in.authenticator}
	for i := range stores {
		h[component.MustNewID("store")] = &stores[i]
	}
	require.NoError(t, a.Start(t.Context(), h))
	t.Cleanup(func() { require.NoError(t, a.Shutdown(context.WithoutCancel(t.Context()))) })

	grpcAddress, httpAddress := freeAddress(t), freeAddress(t)
	auth, middlewares := map[string]any{"authenticator": "authenticator"}, []any{map[string]any{"id": "admission"}}
	http1 := map[string]any{"endpoint": httpAddress, "auth": auth, "middlewares": middlewares, "compression_algorithms": []any{}, "max_request_body_size": 64 << 20}
	for k, v := range httpSettings {
		http1[k] = v
	}
	f := otlpreceiver.NewFactory()
	rc := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": grpcAddress, "auth": auth, "middlewares": middlewares, "max_recv_msg_size_mib": 64},
		"http": http1,
	}}).Unmarshal(rc))
	set := receivertest.NewNopSettings(f.Type())
	r, err := f.CreateTraces(t.Context(), set, rc, &in.traces)
	require.NoError(t, err)
	_, err = f.CreateLogs(t.Context(), set, rc, &in.logs)
	require.NoError(t, err)
	_, err = f.CreateMetrics(t.Context(), set, rc, &in.metrics)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), h))
	t.Cleanup(func() { require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context()))) })

	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	in.url, in.client = "http://"+httpAddress, &http.Client{Transport: transport}
	in.conn, err = grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.conn.Close()) })
	return in
}

// requireStatus holds an error of gRPC against a code and part of its message.
func requireStatus(t *testing.T, err error, code codes.Code, message string) {
	t.Helper()
	require.Equal(t, code, status.Code(err), "%v", err)
	require.Contains(t, status.Convert(err).Message(), message)
}
