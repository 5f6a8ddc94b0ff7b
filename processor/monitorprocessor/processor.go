// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type monitorProcessor struct {
	cfg      *Config
	catalog  *eval.Catalog
	resolver *resolver
	monitors *monitor.Cache
	log      *zap.Logger
	metrics  *metrics
	verdicts *verdictMetrics
	turns    *turns

	live       *cache.Cache // nil without a store
	reconciler *reconciler  // nil without a store
	census     census
	loader     *loader // nil before the start

	// stopping ends the judging of what is deferred.
	stopping context.Context //nolint:containedctx // it ends with the processor, not with a call
	stop     context.CancelFunc
}

func newProcessor(cfg *Config, catalog *eval.Catalog, set component.TelemetrySettings) (*monitorProcessor, error) {
	m, err := newMetrics(set.MeterProvider)
	if err != nil {
		return nil, err
	}
	verdicts, err := newVerdictMetrics(cfg.VerdictMetrics, m.meter)
	if err != nil {
		return nil, err
	}
	return &monitorProcessor{cfg: cfg, catalog: catalog, resolver: newResolver(catalog, nil, nil), log: set.Logger, metrics: m, verdicts: verdicts, turns: newTurns(runtime.GOMAXPROCS(0))}, nil
}

func (p *monitorProcessor) start(ctx context.Context, host component.Host) error {
	var models model.Provider
	if p.cfg.Models != (component.ID{}) {
		var err error
		if models, err = hostext.Find[model.Provider](host, p.cfg.Models); err != nil {
			return fmt.Errorf(`"models": %w`, err)
		}
	}
	var custom eval.CustomEvaluators
	if p.cfg.Store != (component.ID{}) {
		stores, err := hostext.Find[cache.Provider](host, p.cfg.Store)
		if err != nil {
			return fmt.Errorf(`"store": %w`, err)
		}
		p.live = stores.Control()
		custom = store.Evaluators(p.live)
	}
	p.resolver = newResolver(p.catalog, models, custom)
	p.stopping, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.loader = newLoader(func() { p.monitors.Loaded() })
	p.monitors = monitor.NewCache(p.resolver.passing, p.loader.ready)
	if p.live != nil {
		p.warm(ctx)
		p.reconciler = newReconciler(p.live, p.resolver, p.loader, &p.census, p.log)
		if err := p.metrics.watch(p.reconciler.dead); err != nil {
			return err
		}
		p.reconciler.start()
	}
	return nil
}

// warm has the evaluators that are wanted already load what they need, so that
// the first spans need not do without.
func (p *monitorProcessor) warm(ctx context.Context) {
	for s := range p.live.All() {
		for _, r := range monitor.Compile(s, p.resolver.passing).Bindings {
			if r.Err == nil && !r.Plan.Deferred {
				p.loader.wait(ctx, r.Evaluator)
			}
		}
	}
}

func (p *monitorProcessor) shutdown(context.Context) error {
	if p.loader == nil {
		return nil
	}
	p.stop()
	p.loader.cancel() // the reconciler does not wait for what is loading
	if p.reconciler != nil {
		p.reconciler.stop()
	}
	unwatched := p.metrics.unwatch()
	p.loader.stop()
	return unwatched
}

func (p *monitorProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	// Resources of one environment follow one another, in nearly every batch all
	// of them: its monitors are looked up once.
	var env tenant.EnvironmentID
	var monitors *monitor.Monitors
	var came *atomic.Int64 // spans of env
	b := newBatch(ctx, p)
	defer b.report()
	defer b.turn.end()
	var owed []ptrace.ResourceSpans
	for _, rs := range td.ResourceSpans().All() {
		if flagged(rs.Resource(), tenant.AttributeDeferred) {
			owed = append(owed, rs)
			continue
		}
		stamp, ok := rs.Resource().Attributes().Get(tenant.AttributeEnvironmentID)
		switch {
		case !ok:
			return td, consumererror.NewPermanent(fmt.Errorf(
				"resource attribute %q is missing: the tenant processor must come before this one", tenant.AttributeEnvironmentID))
		case p.live == nil:
			return td, consumererror.NewPermanent(errors.New(
				`"store" is empty: only spans that come from the backlog can be judged`))
		}
		if of := tenant.EnvironmentID(stamp.Str()); of != env || monitors == nil {
			setups := p.live.Setups(of)
			if len(setups) > 0 {
				if err := b.turn.begin(ctx, of); err != nil {
					return td, err
				}
			}
			env, monitors, came = of, p.monitors.Monitors(of, setups), p.census.of(of)
		}
		before := b.tally.seen
		if err := b.judgeAll(rs, monitors); err != nil {
			return td, err
		}
		came.Add(b.tally.seen - before)
	}
	b.turn.end()
	if len(owed) == 0 {
		return td, nil
	}
	return td, p.judgeOwed(ctx, owed, b)
}

// flagged reports whether a resource has one of our marks.
func flagged(r pcommon.Resource, mark string) bool {
	v, ok := r.Attributes().Get(mark)
	return ok && v.Type() == pcommon.ValueTypeBool && v.Bool()
}
