// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/extension/storeextension"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// connected returns what sends one span with a key over one connection that stays
// open.
func connected(t *testing.T, h *collector) func(key string) error {
	t.Helper()
	conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return func(key string) error {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key)
		_, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(someTraces(1, 1)))
		return err
	}
}

// Another process with the control database revokes a key: from the
// next look at what others changed on, of which there are two a second, it is refused over
// a connection that is open and over HTTP. One that is made there works at once.
func TestAKeyThatIsRevokedElsewhereIsRefusedFromTheNextLookOn(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, storeextension.NewFactory().CreateDefaultConfig().(*storeextension.Config).RefreshInterval, time.Second/2, "what is documented is a second")
	h := startCollector(t, t.TempDir())
	key := h.key(t, "acme")
	send := connected(t, h)
	require.NoError(t, send(key))
	require.EqualValues(t, 1, h.page(t, key).Spans.TotalResults)

	elsewhere, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(h.Env["TOUCHSTONE_DATA_DIR"], "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, elsewhere.Close()) })
	keys, err := elsewhere.Keys(t.Context())
	require.NoError(t, err)
	made, credential := tenant.NewKey(keys[0].Environment, "made elsewhere", tenant.Full, time.Now())
	change := func(do func([]tenant.Key) []tenant.Key) {
		t.Helper()
		require.NoError(t, elsewhere.ChangeKeys(t.Context(), []tenant.EnvironmentID{keys[0].Environment.ID},
			func(keys []tenant.Key) ([]tenant.Key, error) { return do(keys), nil }))
	}
	change(func(keys []tenant.Key) []tenant.Key { return append(keys, made) })
	require.NoError(t, send(credential), "at the first try")

	change(func(keys []tenant.Key) []tenant.Key {
		for i := range keys {
			if keys[i].ID == made.ID {
				keys[i].RevokedAt = time.Now()
			}
		}
		return keys
	})
	require.Eventually(t, func() bool {
		err := send(credential)
		if err != nil {
			require.Equal(t, codes.Unauthenticated, status.Code(err), "%v", err)
		}
		return err != nil
	}, patience, time.Millisecond)
	require.Equal(t, codes.Unauthenticated, status.Code(send(credential)), "and stays refused")
	code, _, _ := h.postOTLP(t, "/v1/traces", credential, "application/json", "", []byte(`{}`))
	require.Equal(t, http.StatusUnauthorized, code)
	code, _ = h.call(t, http.MethodGet, "/v2/me", credential, nil)
	require.Equal(t, http.StatusUnauthorized, code)
	require.NoError(t, send(key), "the other key works on")
}

func TestScopesAndQuotasOfKeysInTheWholeCollector(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	h.key(t, "acme")
	list := must[struct {
		Organizations []struct {
			ID           string `json:"id"`
			Environments []struct {
				Slug string `json:"slug"`
			} `json:"environments"`
		} `json:"organizations"`
	}](t, h, http.MethodGet, "/v2/organizations", accessToken, nil)
	environment := "/v2/organizations/" + list.Organizations[0].ID + "/environments/" + list.Organizations[0].Environments[0].Slug
	scoped := func(scope string) string {
		return must[map[string]any](t, h, http.MethodPost, environment+"/keys", accessToken,
			map[string]any{"name": scope, "scope": scope})["api_key"].(string)
	}
	ingest, read := scoped("ingest"), scoped("read")
	send := connected(t, h)
	require.NoError(t, send(ingest))
	err := send(read)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.Contains(t, status.Convert(err).Message(), "the scope of this key is read")
	for _, path := range []string{"/v1/traces", "/v1/logs", "/v1/metrics"} {
		body := map[string]string{
			"/v1/traces":  `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01010000000000000000000000000000","spanId":"0101000000000000","name":"x"}]}]}]}`,
			"/v1/logs":    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}`,
			"/v1/metrics": `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"x","gauge":{"dataPoints":[{"asInt":"1"}]}}]}]}]}`,
		}[path]
		code, _, answer := h.postOTLP(t, path, read, "application/json", "", []byte(body))
		require.Equal(t, http.StatusForbidden, code, "%s %s", path, answer)
		code, _, answer = h.postOTLP(t, path, ingest, "application/json", "", []byte(body))
		require.Equal(t, http.StatusOK, code, "%s %s", path, answer)
	}
	require.NotZero(t, h.page(t, read).Spans.TotalResults)
	code, answer := h.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0", ingest, nil)
	require.Equal(t, http.StatusForbidden, code, "%s", answer)

	must[map[string]any](t, h, http.MethodPatch, environment, accessToken, map[string]any{"quota": map[string]any{"bytes_per_second": 1}})
	require.NoError(t, send(ingest))
	err = send(ingest)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Positive(t, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
	code, header, _ := h.postOTLP(t, "/v1/traces", ingest, "application/json", "", []byte(`{}`))
	require.Equal(t, http.StatusTooManyRequests, code)
	require.NotEmpty(t, header.Get("Retry-After"))
}
