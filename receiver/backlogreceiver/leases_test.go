// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// shortLease is a lease of tests that wait for its end.
const shortLease = 300 * time.Millisecond

// The clock moves with each renewal, nearly to the end of the lease.
func TestASlowJudgeIsAskedOnce(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	var now atomic.Int64
	now.Store(time.Now().UnixNano())
	h.clock = func() time.Time { return time.Unix(0, now.Load()) }
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	f := &front{Engine: h.real.Engine, Backlog: h.real.Backlog}
	var renewed, asked atomic.Int64
	f.renew = func(ctx context.Context, list []store.Evaluated, held, until time.Time) error {
		err := f.Backlog.Renew(ctx, list, held, until)
		if err == nil {
			now.Add(int64(shortLease - 1))
			renewed.Add(1)
		}
		return err
	}
	h.spans, h.backlog = f, f
	cfg := testConfig()
	cfg.Lease = shortLease
	goOn := make(chan struct{})
	for range 2 { // processes
		h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
			asked.Add(1)
			<-goOn
			return h.complete(ctx, td)
		})
	}
	enough := func() bool { return renewed.Load() >= 4*renewals }
	assert.Eventually(t, enough, patience, time.Millisecond)
	close(goOn)
	h.await(0, eval.Done)
	require.EqualValues(t, 1, asked.Load())
}

// A process that lost the store does not go on with what another one has by then.
func TestALeaseThatCannotBeRenewedCancelsItsRequests(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	f := &front{Engine: h.real.Engine, Backlog: h.real.Backlog}
	f.renew = func(context.Context, []store.Evaluated, time.Time, time.Time) error {
		return errors.New("no connection")
	}
	h.spans, h.backlog = f, f
	cfg := testConfig()
	cfg.Lease = shortLease
	canceled := make(chan struct{}, 1) // alone, the span is put off for a minute
	var lost atomic.Bool
	stop := h.start(cfg, func(ctx context.Context, _ ptrace.Traces) error {
		if lost.Swap(true) { // a busy machine puts it off after its lease has ended
			return errors.New("no connection")
		}
		<-ctx.Done()
		canceled <- struct{}{}
		return ctx.Err()
	})
	<-canceled
	require.Len(t, h.logs.FilterMessageSnippet("failed to renew a lease").All(), 1)
	stop()
	require.EqualValues(t, 1, h.real.stats(t).Evaluations)
}

// A pipeline that never answers loses its lease after the timeout.
func TestAStuckPipelineLosesItsLease(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	cfg := testConfig()
	cfg.Workers, cfg.Lease, cfg.Timeout = 1, shortLease, 3*shortLease
	at, goOn := make(chan struct{}), make(chan struct{})
	h.start(cfg, func(context.Context, ptrace.Traces) error {
		close(at)
		<-goOn
		return errors.New("stuck")
	})
	defer close(goOn)
	<-at
	h.start(testConfig(), h.complete)
	h.await(0, eval.Done)
}
