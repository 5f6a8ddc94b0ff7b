// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
)

type backlogReceiver struct {
	id      component.ID
	cfg     *Config
	catalog *eval.Catalog
	next    consumer.Traces
	report  *receiverhelper.ObsReport
	log     *zap.Logger
	metrics *metrics
	now     func() time.Time
	// firstPause is how long to pause after a failure; tests shorten it.
	firstPause time.Duration
	// backfillLease is how long a backfill stays with a process that is not heard
	// of any more; tests shorten it.
	backfillLease   time.Duration
	backfillRenewal time.Duration // of the lease; likewise
	backfillTurn    time.Duration // likewise

	spans   spans
	backlog store.Backlog
	live    *cache.Cache
	usage   *usage.Meter
	paces   pace.Shared // nil where no processes share the stores
	owner   string      // this receiver, in leases of backfills

	halt    context.CancelFunc // ends leasing and looking for backfills
	cut     context.CancelFunc // ends what is in the pipeline too
	running sync.WaitGroup
}

func newReceiver(cfg *Config, catalog *eval.Catalog, set receiver.Settings, next consumer.Traces) (*backlogReceiver, error) {
	report, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "store", ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	m, err := newMetrics(set.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &backlogReceiver{
		cfg: cfg, id: set.ID, catalog: catalog, next: next, report: report, log: set.Logger, metrics: m,
		now: time.Now, firstPause: firstPause, backfillLease: backfillLease, backfillRenewal: backfillRenewal, backfillTurn: backfillTurn,
	}, nil
}

// spans is the part of the span store that gives what is to be judged.
type spans interface {
	store.Searcher
	store.SpanReader
}

// storeProvider is an extension that provides both stores.
type storeProvider interface {
	store.Provider
	cache.Provider
	usage.Provider
	store.Sharing
}

// Start begins to lease.
func (r *backlogReceiver) Start(_ context.Context, host component.Host) error {
	opened, err := hostext.Find[storeProvider](host, r.cfg.Store)
	if err != nil {
		return fmt.Errorf(`"store": %w`, err)
	}
	r.spans, r.backlog, r.live, r.usage = opened.Engine(), opened.Backlog(), opened.Control(), opened.Usage()
	r.paces, r.owner = opened.Paces(), opened.Process()+"/"+r.id.String()
	if err := r.metrics.observe(r.backlog.Stats, r.now); err != nil {
		return err
	}
	var work, looking context.Context
	work, r.cut = context.WithCancel(context.Background())
	looking, r.halt = context.WithCancel(work)
	r.running.Go(func() { newLeaser(work, r).run(looking) })
	r.running.Go(func() { newBackfiller(work, r).run(looking) })
	return nil
}

// Shutdown leases nothing more, waits for what is in the pipeline, cancels it
// when it takes too long, and gives its leases back.
func (r *backlogReceiver) Shutdown(ctx context.Context) error {
	if r.halt == nil {
		return nil // it never started
	}
	r.halt()
	done := make(chan struct{})
	go func() {
		r.running.Wait()
		close(done)
	}()
	grace := time.NewTimer(r.cfg.ShutdownGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-ctx.Done():
	case <-grace.C:
	}
	r.cut()
	<-done
	r.metrics.forget()
	return nil
}

// send hands spans to the pipeline and waits until it is through with them.
func (r *backlogReceiver) send(ctx context.Context, td ptrace.Traces) error {
	n := td.SpanCount()
	ctx = r.report.StartTracesOp(ctx)
	err := r.next.ConsumeTraces(ctx, td)
	r.report.EndTracesOp(ctx, "stored", n, err)
	return err
}
