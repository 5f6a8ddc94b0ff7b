// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func nopSettings() component.TelemetrySettings { return componenttest.NewNopTelemetrySettings() }

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := testbed.FreeAddress()
	require.NoError(t, err)
	return address
}

// TestStockReceiverBehindTheDoor sends real requests to the collector's own
// OTLP receiver, over gRPC and HTTP.
func TestStockReceiverBehindTheDoor(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	k, _, _ := started(t, l, nil)
	key, caller := l.key(t, "acme")

	callers := make(chan *tenant.Principal, 1)
	next, err := consumer.NewTraces(func(ctx context.Context, _ ptrace.Traces) error {
		p, _ := client.FromContext(ctx).Auth.(*tenant.Principal)
		callers <- p
		return nil
	})
	require.NoError(t, err)
	grpcAddress, httpAddress := freeAddress(t), freeAddress(t)
	f := otlpreceiver.NewFactory()
	cfg := f.CreateDefaultConfig()
	authenticator := map[string]any{"authenticator": "keyauth"}
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": grpcAddress, "auth": authenticator},
		"http": map[string]any{"endpoint": httpAddress, "auth": authenticator},
	}}).Unmarshal(cfg))
	r, err := f.CreateTraces(t.Context(), receivertest.NewNopSettings(f.Type()), cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), host{component.NewID(Type): k}))
	t.Cleanup(func() { require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context()))) })

	req := ptraceotlp.NewExportRequest()
	req.Traces().ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("chat")

	conn, err := grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	overGRPC := func(authorization ...string) error {
		ctx := metadata.NewOutgoingContext(t.Context(), metadata.MD{"authorization": authorization})
		_, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, req)
		return err
	}
	require.NoError(t, overGRPC("Bearer "+key))
	require.Equal(t, caller, <-callers)
	for _, refused := range [][]string{nil, {"Bearer nonsense"}, {"Bearer " + key, "Bearer " + key}} {
		err := overGRPC(refused...)
		require.Equal(t, codes.Unauthenticated, status.Code(err))
		require.Equal(t, "Unauthorized", status.Convert(err).Message())
	}

	revoked, _ := l.key(t, "blue")
	require.NoError(t, overGRPC("Bearer "+revoked))
	<-callers
	l.revoke(t, revoked)
	require.Equal(t, codes.Unauthenticated, status.Code(overGRPC("Bearer "+revoked)), "on the same connection")
	require.NoError(t, overGRPC("Bearer "+key))
	<-callers

	body, err := req.MarshalJSON()
	require.NoError(t, err)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	overHTTP := func(authorization string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+httpAddress+"/v1/traces", bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", authorization)
		resp, err := (&http.Client{Transport: transport}).Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(answer)
	}
	code, _ := overHTTP("Bearer " + key)
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, caller, <-callers)
	code, _ = overHTTP("Bearer " + revoked)
	require.Equal(t, http.StatusUnauthorized, code)
	code, answer := overHTTP("Bearer nonsense")
	require.Equal(t, http.StatusUnauthorized, code)
	require.JSONEq(t, `{"code":16,"message":"Unauthorized"}`, answer)
}
