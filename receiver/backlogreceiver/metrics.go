// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Why an evaluation was completed or rescheduled without being judged: the
// attribute "reason" of a metric.
const (
	completedDeleted  = "deleted"
	completedDeadline = "deadline"
	completedCost     = "cost"
	completedRefused  = "refused"
)

type metrics struct {
	meter       metric.Meter
	evaluations metric.Int64ObservableGauge
	leased      metric.Int64ObservableGauge
	lag         metric.Float64ObservableGauge
	completed   metric.Int64Counter
	backfilled  metric.Int64Counter

	registration metric.Registration // nil before start
}

func newMetrics(provider metric.MeterProvider) (m *metrics, err error) {
	m = &metrics{meter: provider.Meter("github.com/touchstone-otel/touchstone/receiver/backlogreceiver")}
	if m.evaluations, err = m.meter.Int64ObservableGauge("touchstone_backlog_evaluations",
		metric.WithDescription("Number of pending evaluations, due or not."), metric.WithUnit("{evaluation}")); err != nil {
		return nil, err
	}
	if m.leased, err = m.meter.Int64ObservableGauge("touchstone_backlog_leased",
		metric.WithDescription("Evaluations that are leased: on their way through a pipeline."), metric.WithUnit("{evaluation}")); err != nil {
		return nil, err
	}
	if m.lag, err = m.meter.Float64ObservableGauge("touchstone_evaluation_lag_seconds",
		metric.WithDescription("How long ago the oldest evaluation was deferred that is due or leased; 0 where there is none."), metric.WithUnit("s")); err != nil {
		return nil, err
	}
	if m.completed, err = m.meter.Int64Counter("touchstone_backlog_completed",
		metric.WithDescription("Pending evaluations that were completed or postponed without being judged, by reason."), metric.WithUnit("{evaluation}")); err != nil {
		return nil, err
	}
	if m.backfilled, err = m.meter.Int64Counter("touchstone_backfill_spans",
		metric.WithDescription("Stored spans that backfills looked at."), metric.WithUnit("{span}")); err != nil {
		return nil, err
	}
	return m, nil
}

// observe has the gauges show pending evaluations.
func (m *metrics) observe(stats func(context.Context) (store.BacklogStats, error), now func() time.Time) (err error) {
	m.registration, err = m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		all, err := stats(ctx)
		if err != nil {
			return err
		}
		o.ObserveInt64(m.evaluations, all.Evaluations)
		o.ObserveInt64(m.leased, all.Leased)
		lag := 0.0
		if all.OldestOwed != 0 {
			lag = max(now().Sub(time.Unix(0, all.OldestOwed)).Seconds(), 0)
		}
		o.ObserveFloat64(m.lag, lag)
		return nil
	}, m.evaluations, m.leased, m.lag)
	return err
}

// forget lets go of the store.
func (m *metrics) forget() {
	if m.registration != nil {
		_ = m.registration.Unregister() // it is for good either way
		m.registration = nil
	}
}

func (m *metrics) countCompleted(ctx context.Context, reason string, n int) {
	if n > 0 {
		m.completed.Add(ctx, int64(n), metric.WithAttributes(attribute.String("reason", reason)))
	}
}
