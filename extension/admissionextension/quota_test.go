// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestWhoIsOverTheQuotaComesBackLater(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	in.authenticator.quotas = map[string]tenant.Quota{"spans": {SpansPerSecond: 1}, "bytes": {BytesPerSecond: 100}}
	few, _ := spans(t, 50, 100) // fifty seconds of spans, more of bytes
	for caller, of := range map[string]string{"spans": "1 spans", "bytes": "100 bytes"} {
		require.NoError(t, in.call(t.Context(), caller, few, ""), "a request of any size passes")
		err := in.call(t.Context(), caller, few, "")
		requireStatus(t, err, codes.ResourceExhausted, of)
		delay := status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration()
		require.Greater(t, delay, 30*time.Second)
		code, header, answer := in.post(t, caller, "/v1/traces", protobufType, "", bytes.NewReader(few))
		require.Equal(t, http.StatusTooManyRequests, code, "%s", answer)
		after, err := strconv.Atoi(header.Get("Retry-After"))
		require.NoError(t, err)
		require.Greater(t, after, 30)
		require.NoError(t, in.call(t.Context(), "free of "+caller, few, ""), "others do not feel it")
	}
	require.Equal(t, 4*50, in.traces.SpanCount())
	require.Zero(t, in.budget.InUse())
}

// Over time an environment sends what its quota says, however large its requests
// are, and one whose quota changes is held to the new one.
func TestQuotasAreKeptOverTime(t *testing.T) {
	t.Parallel()
	as := func(q tenant.Quota) context.Context {
		return client.NewContext(t.Context(), client.Info{Auth: &tenant.Principal{Environment: tenant.Environment{ID: "acme", Quota: q}}})
	}
	for _, size := range []int{1, 10, 1000} {
		m, begun := newMeters(), time.Unix(1000, 0)
		sent := 0
		for now := begun; now.Before(begun.Add(200 * time.Second)); now = now.Add(10 * time.Millisecond) {
			if x := m.of(as(tenant.Quota{SpansPerSecond: 50})); x.ready(now) == nil {
				x.take(now, size, 0)
				sent += size
			}
		}
		require.InDelta(t, 50*200, sent, float64(size+50+50), "%d at once", size)
		now := begun.Add(time.Hour)
		m.of(as(tenant.Quota{SpansPerSecond: 50})).take(now, 1000, 0)
		require.Error(t, m.of(as(tenant.Quota{SpansPerSecond: 50})).ready(now))
		require.NoError(t, m.of(as(tenant.Quota{SpansPerSecond: 500})).ready(now))
		require.NoError(t, m.of(as(tenant.Quota{})).ready(now))
	}
	require.Nil(t, newMeters().of(t.Context()), "another component refuses unknown callers")
}

// storeHost is an extension that provides a meter.
type storeHost struct {
	component.StartFunc
	component.ShutdownFunc
	meter *usage.Meter
}

func (h *storeHost) Usage() *usage.Meter { return h.meter }

func TestWhoHasStoredWhatHeMayIsRefused(t *testing.T) {
	t.Parallel()
	db, err := duckdb.Open(t.Context(), duckdb.Config{Dir: t.TempDir(), MinFreeBytes: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	full := tenant.Environment{ID: "full", Retention: time.Hour}
	_, err = db.Write(t.Context(), store.Batch{Records: []store.Record{{
		Environment: full, Span: span.Span{TraceID: span.TraceID{1}, SpanID: span.ID{1}, Start: time.Now().UnixNano(), Name: "chat"},
		Evaluations: []eval.Evaluation{{SetupID: "s", Evaluator: "tone", Status: eval.Deferred}},
	}}})
	require.NoError(t, err)
	meter := usage.New(db, db, time.Now)
	t.Cleanup(meter.Close)
	// Who sends waits for the first measurement for a second only, and is let through then.
	_, err = meter.Of(t.Context(), full)
	require.NoError(t, err)

	in := newIntake(t, func(cfg *Config) { cfg.Store = component.MustNewID("store") }, nil, storeHost{meter: meter})
	for quota, want := range map[tenant.Quota]string{
		{StoredBytes: 1}:     "bytes stored, and may have 1",
		{OwedEvaluations: 1}: "has 1 pending evaluations, and may have 1",
	} {
		in.authenticator.quotas = map[string]tenant.Quota{"full": quota, "other": quota}
		few, _ := spans(t, 1, 10)
		err = in.call(t.Context(), "full", few, "")
		requireStatus(t, err, codes.ResourceExhausted, want)
		require.Positive(t, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
		code, header, answer := in.post(t, "full", "/v1/traces", protobufType, "", bytes.NewReader(few))
		require.Equal(t, http.StatusTooManyRequests, code, "%s", answer)
		after, err := strconv.Atoi(header.Get("Retry-After"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, after, 10)
		require.NoError(t, in.call(t.Context(), "other", few, ""), "others do not feel it")
	}
	require.Equal(t, 2, in.traces.SpanCount())

	a, err := newExtension(&Config{Store: component.MustNewID("nowhere"), MemoryMiB: 1}, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	require.ErrorContains(t, a.Start(t.Context(), host{}), `"store"`)
	require.NoError(t, a.Shutdown(t.Context()))
}
