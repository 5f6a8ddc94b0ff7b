// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestWantOfMemoryIsRetryable(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) {
		c.RequestMiB, c.MemoryMiB, c.Wait, c.RetryAfter = 8, 16, time.Millisecond, 1500*time.Millisecond
	}, nil)
	full := in.budget.Lease("somebody")
	require.NoError(t, full.Grow(t.Context(), 16<<20))
	b, _ := spans(t, 1, 100)
	err := in.call(t.Context(), "acme", b, "")
	requireStatus(t, err, codes.ResourceExhausted, "try again later")
	require.Equal(t, 1500*time.Millisecond, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
	code, header, answer := in.post(t, "acme", "/v1/traces", protobufType, "", bytes.NewReader(b))
	require.Equal(t, http.StatusTooManyRequests, code, "%s", answer)
	require.Equal(t, "2", header.Get("Retry-After"))
	require.Zero(t, in.traces.SpanCount())

	full.Release()
	require.NoError(t, in.call(t.Context(), "acme", b, ""))
	code, _, _ = in.post(t, "acme", "/v1/traces", protobufType, "", bytes.NewReader(b))
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, 2, in.traces.SpanCount())
	require.Zero(t, in.budget.InUse())
}

// A caller that has as many requests under way and in line as it may is refused before more of it
// is read.
func TestWhoHasTooMuchInLineIsNotRead(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB, c.MemoryMiB, c.Wait = 8, 32, time.Hour }, nil)
	half, alone := in.budget.Lease("acme"), in.budget.Lease("acme")
	require.NoError(t, half.Grow(t.Context(), 16<<20))
	waiting, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- alone.Grow(waiting, 16<<20+1) }()
	require.Eventually(t, func() bool { return in.budget.Full("acme") }, time.Minute, time.Millisecond)
	require.False(t, in.budget.Full("globex"))

	large, _ := spans(t, 1, 4<<20)
	err := in.call(t.Context(), "acme", large, "")
	requireStatus(t, err, codes.ResourceExhausted, "try again later")
	require.Equal(t, in.cfg.RetryAfter, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
	small, _ := spans(t, 1, 100)
	require.NoError(t, in.call(t.Context(), "globex", small, ""))

	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.False(t, in.budget.Full("acme"))
	half.Release()
	alone.Release()
	require.NoError(t, in.call(t.Context(), "acme", large, ""))
	require.Zero(t, in.budget.InUse())
}
