// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/lend"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type monitorProcessor struct {
	cfg     *Config
	catalog *eval.Catalog
	board   *monitor.Board
	log     *zap.Logger
	metrics *metrics

	live   *store.Live
	keeper *keeper
}

func newProcessor(cfg *Config, catalog *eval.Catalog, set component.TelemetrySettings) (*monitorProcessor, error) {
	m, err := newMetrics(set.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &monitorProcessor{
		cfg: cfg, catalog: catalog, board: monitor.NewBoard(catalog), log: set.Logger, metrics: m,
	}, nil
}

func (p *monitorProcessor) start(_ context.Context, host component.Host) error {
	lent, err := lend.Find[store.Provider](host, p.cfg.Store)
	if err != nil {
		return fmt.Errorf(`"store": %w`, err)
	}
	p.live = lent.Live()
	p.warm()
	p.keeper = newKeeper(p.live, p.catalog, p.log)
	p.keeper.start()
	return nil
}

// warm has the evaluators that are wanted already load what they need, so that
// the first spans do not wait for it.
func (p *monitorProcessor) warm() {
	for s := range p.live.Setups().All() {
		for _, e := range s.Evaluators {
			if known, ok := p.catalog.Get(e.Slug); ok {
				_ = monitor.CanRun(known) // the keeper complains where there is something wrong
			}
		}
	}
}

func (p *monitorProcessor) shutdown(context.Context) error {
	if p.keeper != nil {
		p.keeper.stop()
	}
	return nil
}

func (p *monitorProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	setups := p.live.Setups() // one snapshot for the whole batch
	b := batch{monitorProcessor: p, ctx: ctx}
	for _, rs := range td.ResourceSpans().All() {
		stamp, ok := rs.Resource().Attributes().Get(tenant.AttributeEnvironmentID)
		if !ok {
			return td, consumererror.NewPermanent(fmt.Errorf(
				"resource attribute %q is missing: the tenant processor must come before this one", tenant.AttributeEnvironmentID))
		}
		env := tenant.EnvironmentID(stamp.Str())
		monitors := p.board.Monitors(env, setups.Of(env))
		if len(monitors) == 0 {
			continue
		}
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				b.judge(rs.Resource(), s, monitors)
			}
		}
	}
	b.report()
	return td, nil
}
