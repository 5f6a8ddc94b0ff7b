// SPDX-License-Identifier: Apache-2.0

// Package otlpreceiver takes in OTLP over gRPC and HTTP with the servers of the
// collector, from a bounded number of connections. It is configured and answers
// as the collector's own receiver.
//
// See docs/adr/0011-admission-and-memory-budget.md.
package otlpreceiver

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("otlp")

// NewFactory makes the factory of the receiver.
func NewFactory() receiver.Factory {
	s := &shared{of: map[*Config]*otlp{}}
	return receiver.NewFactory(Type, createDefaultConfig,
		receiver.WithTraces(s.traces, component.StabilityLevelStable),
		receiver.WithLogs(s.logs, component.StabilityLevelStable),
		receiver.WithMetrics(s.metrics, component.StabilityLevelStable),
	)
}

// shared has the receiver of each configuration: it is created once for each
// signal, and listens once.
type shared struct {
	mu sync.Mutex
	of map[*Config]*otlp
}

func (s *shared) get(set *receiver.Settings, cfg *Config) (*otlp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.of[cfg]; ok {
		return r, nil
	}
	r, err := newOTLP(cfg, set)
	if err != nil {
		return nil, err
	}
	r.forget = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.of, cfg)
	}
	s.of[cfg] = r
	return r, nil
}

func (s *shared) traces(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
	r, err := s.get(&set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	r.nextTraces = next
	return r, nil
}

func (s *shared) logs(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
	r, err := s.get(&set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	r.nextLogs = next
	return r, nil
}

func (s *shared) metrics(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics) (receiver.Metrics, error) {
	r, err := s.get(&set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	r.nextMetrics = next
	return r, nil
}
