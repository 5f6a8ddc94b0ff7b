// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// outcome is what came of asking the gateway once.
type outcome string

const (
	changed   outcome = "changed"
	unchanged outcome = "unchanged"
	refused   outcome = "refused" // the key is not good for it
	failed    outcome = "failed"
)

// measure makes the metrics.
func (e *setups) measure() error {
	meter := e.settings.MeterProvider.Meter("github.com/touchstone-otel/touchstone/extension/setupsextension")
	var err error
	e.polls, err = meter.Int64Counter("touchstone_sidecar_setups_polls", metric.WithUnit("{request}"),
		metric.WithDescription("Requests to the gateway for setups, by what came of them."))
	if err != nil {
		return err
	}
	for _, o := range []outcome{changed, unchanged, refused, failed} { // so that the series are there before anything happens
		e.count(context.Background(), o, 0)
	}
	age, err := meter.Float64ObservableGauge("touchstone_sidecar_setups_age_seconds", metric.WithUnit("s"),
		metric.WithDescription("How long ago a gateway last said that the setups are as they are here; before it ever has, how long the sidecar has been running."))
	if err != nil {
		return err
	}
	e.gauge, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveFloat64(age, e.age().Seconds())
		return nil
	}, age)
	return err
}

func (e *setups) count(ctx context.Context, o outcome, n int64) {
	e.polls.Add(ctx, n, metric.WithAttributes(attribute.String("outcome", string(o))))
}

// age returns how old what is known is.
func (e *setups) age() time.Duration {
	at := e.asked.Load()
	if at == 0 {
		at = e.started.Load()
	}
	return max(e.now().Sub(time.Unix(0, at)), 0)
}
