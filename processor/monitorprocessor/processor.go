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
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/mask"
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
	turns    *fair.Slots[tenant.EnvironmentID]

	live       store.Live // nil without a store or setups
	hashKey    func(tenant.EnvironmentID) []byte
	logs       bool        // of log records, not of spans
	reconciler *reconciler // nil without a store
	edge       bool        // at a sidecar: what does not judge in place is left to the gateway
	census     census
	loader     *loader // nil before the start
	healthy    func()  // ends the reports to the health of the process; nil without any
	lacking    *lacking

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
	lacking, err := newLacking(m.meter, cfg.Retry.MaxInterval, set.Logger)
	if err != nil {
		return nil, err
	}
	turns := fair.NewSlots[tenant.EnvironmentID](runtime.GOMAXPROCS(0))
	turns.Lend(turnPatience)
	if err := m.watchTurns(turns.Stuck); err != nil {
		return nil, err
	}
	return &monitorProcessor{
		cfg: cfg, catalog: catalog, resolver: newResolver(catalog, nil, nil), log: set.Logger, metrics: m, verdicts: verdicts, turns: turns,
		lacking: lacking,
	}, nil
}

func (p *monitorProcessor) start(ctx context.Context, host component.Host) error {
	var models eval.ModelProvider
	if p.cfg.Models != (component.ID{}) {
		var err error
		if models, err = hostext.Find[eval.ModelProvider](host, p.cfg.Models); err != nil {
			return fmt.Errorf(`"models": %w`, err)
		}
	}
	control, err := p.findSetups(ctx, host)
	if err != nil {
		return err
	}
	var custom registry.CustomEvaluators
	if control != nil {
		custom = store.Evaluators(control)
	}
	p.resolver = newResolver(p.catalog, models, custom)
	p.stopping, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.loader = newLoader(func() { p.monitors.Loaded() })
	p.monitors = monitor.NewCache(p.resolver.passing, p.loader.ready)
	if p.live != nil {
		p.warm(ctx)
	}
	p.healthy = p.tellHealth(host)
	if control != nil && !p.logs {
		p.reconciler = newReconciler(control, p.resolver, p.loader, &p.census, p.log)
		if err := p.metrics.watch(p.reconciler.dead); err != nil {
			return err
		}
		p.reconciler.start()
	}
	return nil
}

// tellHealth adds the problems of the processor to those of its store or, where it
// has none, to those of the stores of the process. It returns the function that ends that.
func (p *monitorProcessor) tellHealth(host component.Host) (forget func()) {
	var forgets []func()
	for id, extension := range host.GetExtensions() {
		if sources, is := extension.(store.HealthSources); is && (p.live == nil || id == p.cfg.Store) {
			forgets = append(forgets, sources.AskHealth(p.problems))
		}
	}
	return func() {
		for _, forget := range forgets {
			forget()
		}
	}
}

// problems tells what of the work does not go on.
func (p *monitorProcessor) problems() []store.Problem {
	return append(p.stuck(), p.lacking.problems()...)
}

// findSetups finds what provides the setups, and returns the store that they are in, nil
// where there is none.
func (p *monitorProcessor) findSetups(ctx context.Context, host component.Host) (*cache.Cache, error) {
	switch none := (component.ID{}); {
	case p.cfg.Store != none:
		stores, err := hostext.Find[cache.Provider](host, p.cfg.Store)
		if err != nil {
			return nil, fmt.Errorf(`"store": %w`, err)
		}
		control := stores.Control()
		secret, err := control.Secret(ctx, mask.SecretName)
		if err != nil {
			return nil, fmt.Errorf("read the secret of hashes: %w", err)
		}
		p.live, p.hashKey = control, func(env tenant.EnvironmentID) []byte { return mask.Key(secret, env) }
		return control, nil
	case p.cfg.Setups != none:
		setups, err := hostext.Find[store.LiveProvider](host, p.cfg.Setups)
		if err != nil {
			return nil, fmt.Errorf(`"setups": %w`, err)
		}
		p.live, p.edge = setups.Live(), true
		if keys, ok := p.live.(store.HashKeys); ok {
			p.hashKey = keys.HashKey
		}
	}
	return nil, nil
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
	if p.healthy != nil {
		p.healthy()
	}
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
		of, err := p.environmentOf(rs.Resource())
		if err != nil {
			return td, err
		}
		if of != env || monitors == nil {
			setups := p.live.Setups(of)
			if len(setups) > 0 {
				if err := b.turn.begin(ctx, of); err != nil {
					return td, err
				}
			}
			env, monitors, came = of, p.monitorsOf(ctx, of, setups), p.census.of(of)
			b.acting.begin(of)
		}
		before := b.tally.seen
		if err := b.judgeAll(rs, monitors); err != nil {
			return td, err
		}
		all := came.Add(b.tally.seen - before)
		for m := range b.hits {
			p.census.matched(m.Setup.ID).Store(all)
		}
		clear(b.hits)
	}
	b.turn.end()
	if b.acting.dropped {
		td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool { return rs.ScopeSpans().Len() == 0 })
		if td.ResourceSpans().Len() == 0 {
			return td, processorhelper.ErrSkipProcessingData
		}
	}
	if len(owed) == 0 {
		return td, nil
	}
	return td, p.judgeOwed(ctx, owed, b)
}

// monitorsOf returns the monitors of an environment. Evaluators are waited for whose verdicts
// decide what becomes of spans: those that came meanwhile would lose what was not evaluated.
func (p *monitorProcessor) monitorsOf(ctx context.Context, env tenant.EnvironmentID, setups []monitor.Setup) *monitor.Monitors {
	monitors := p.monitors.Monitors(env, setups)
	waited := false
	for _, m := range monitors.Acting {
		for _, a := range m.Acts {
			if a.Rule == nil && a.Binding != nil && errors.Is(a.Binding.Err, monitor.ErrLoading) {
				p.loader.wait(ctx, a.Binding.Evaluator)
				waited = true
			}
		}
	}
	if !waited {
		return monitors
	}
	p.monitors.Loaded()
	return p.monitors.Monitors(env, setups)
}

// environmentOf returns whose the records of a resource are.
func (p *monitorProcessor) environmentOf(r pcommon.Resource) (tenant.EnvironmentID, error) {
	stamp, ok := r.Attributes().Get(tenant.AttributeEnvironmentID)
	switch {
	case !ok:
		return "", consumererror.NewPermanent(fmt.Errorf(
			"resource attribute %q is missing: the tenant processor must come before this one", tenant.AttributeEnvironmentID))
	case p.live == nil:
		return "", consumererror.NewPermanent(errors.New(
			`"store" and "setups" are empty: only spans that come from the backlog can be judged`))
	}
	return tenant.EnvironmentID(stamp.Str()), nil
}

// flagged reports whether a resource has one of our marks.
func flagged(r pcommon.Resource, mark string) bool {
	v, ok := r.Attributes().Get(mark)
	return ok && v.Type() == pcommon.ValueTypeBool && v.Bool()
}
