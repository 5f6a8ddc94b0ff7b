// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// What takes longer than the timeout is canceled, and alone it is rescheduled.
func TestASendEndsWithItsTimeout(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	cfg := testConfig()
	cfg.Timeout = time.Second // in which the span has to be read
	h.start(cfg, func(ctx context.Context, _ ptrace.Traces) error {
		<-ctx.Done()
		return errors.New("the other side says that the deadline is exceeded")
	})
	require.Eventually(t, func() bool { return h.evaluations(0)[0].Attempts == 1 }, patience, 2*time.Millisecond)
	require.Equal(t, reasonRefused, h.evaluations(0)[0].Reason)
}

func TestShutdownWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	at, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	stop := h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		first.Do(func() { close(at) })
		<-goOn
		return h.complete(ctx, td)
	})
	<-at
	h.write(h.newSpan(1), owedBy(s, "toxicity-detector"))
	stopped := make(chan struct{})
	go func() {
		stop()
		close(stopped)
	}()
	close(goOn)
	<-stopped
	require.Equal(t, eval.Done, h.evaluations(0)[0].Status)
}

func TestShutdownCancelsWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 5
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "toxicity-detector"))
	}
	at := make(chan struct{})
	var first sync.Once
	cfg := testConfig()
	cfg.ShutdownGrace = 0
	stop := h.start(cfg, func(ctx context.Context, _ ptrace.Traces) error {
		first.Do(func() { close(at) })
		<-ctx.Done()
		return ctx.Err()
	})
	<-at
	require.EqualValues(t, spans, h.real.stats(t).Leased)
	stop()
	require.Zero(t, h.real.stats(t).Leased, "leases are given back")
	require.EqualValues(t, spans, h.real.stats(t).Evaluations)
	require.Empty(t, h.logs.FilterLevelExact(2).All())
	require.Equal(t, 0, h.evaluations(0)[0].Attempts)
	h.start(testConfig(), h.complete)
	for n := range spans {
		h.await(n, eval.Done)
	}
}

func TestAStoreThatFailsIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(h *testbed, f *front, broken func() error){
		"lease": func(_ *testbed, f *front, broken func() error) {
			f.lease = func(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]store.Evaluated, error) {
				if err := broken(); err != nil {
					return nil, err
				}
				return f.Backlog.Lease(ctx, now, until, limit, but...)
			}
		},
		"get": func(_ *testbed, f *front, broken func() error) {
			f.get = func(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error) {
				if err := broken(); err != nil {
					return nil, err
				}
				return f.Engine.Get(ctx, env, keys, siblings)
			}
		},
		"reserve": func(_ *testbed, f *front, broken func() error) {
			f.reserve = func(context.Context, store.Budget, store.Location, string) (store.Reserved, error) {
				return store.Granted, broken()
			}
		},
		"complete": func(_ *testbed, f *front, broken func() error) {
			f.complete = func(ctx context.Context, list []store.Evaluated) error {
				if err := broken(); err != nil {
					return err
				}
				return f.Backlog.Complete(ctx, list)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestbed(t)
			s := h.setup("m", func(s *monitor.Setup) { s.MaxCostPerDay = 1 }, "toxicity-detector")
			h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
			h.write(h.newSpan(1), owedBy(s, "gone")) // which is completed in the receiver
			var calls atomic.Int64
			f := &front{Engine: h.real.Engine, Backlog: h.real.Backlog}
			spoil(h, f, func() error {
				if calls.Add(1) == 1 {
					return errors.New("the disk is full")
				}
				return nil
			})
			h.spans, h.backlog = f, f
			h.start(testConfig(), h.complete)
			h.await(0, eval.Done)
			h.await(1, eval.Skipped)
			require.Len(t, h.logs.FilterMessageSnippet("pending evaluations, will retry").All(), 1)
		})
	}
}
