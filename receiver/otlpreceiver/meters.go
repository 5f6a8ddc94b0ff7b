// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/connbound"
)

// meters tell of connections.
type meters struct {
	meter         metric.Meter
	open          metric.Int64ObservableGauge
	refused       metric.Int64ObservableCounter
	receiver      string
	registrations []metric.Registration
}

func newMeters(set *receiver.Settings) (*meters, error) {
	m := &meters{meter: set.MeterProvider.Meter("github.com/touchstone-otel/touchstone/receiver/otlpreceiver"), receiver: set.ID.String()}
	var err error
	m.open, err = m.meter.Int64ObservableGauge("touchstone_otlp_connections",
		metric.WithDescription("Connections that senders have."), metric.WithUnit("{connection}"))
	if err != nil {
		return nil, err
	}
	m.refused, err = m.meter.Int64ObservableCounter("touchstone_otlp_connections_refused",
		metric.WithDescription("Connections that were closed because their address had too many."), metric.WithUnit("{connection}"))
	return m, err
}

// observe tells of the connections of a listener.
func (m *meters) observe(transport string, l *connbound.Listener) error {
	of := metric.WithAttributes(attribute.String("receiver", m.receiver), attribute.String("transport", transport))
	registration, err := m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(m.open, l.Open(), of)
		o.ObserveInt64(m.refused, l.Refused(), of)
		return nil
	}, m.open, m.refused)
	if err != nil {
		return err
	}
	m.registrations = append(m.registrations, registration)
	return nil
}

func (m *meters) end() error {
	var errs []error
	for _, r := range m.registrations {
		errs = append(errs, r.Unregister())
	}
	m.registrations = nil
	return errors.Join(errs...)
}
