// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/store/clickhouse"
)

// inserting is an engine that sends what it stores to a server.
type inserting interface {
	Inserts() clickhouse.Inserts
	Parts(ctx context.Context) (int64, error)
}

const (
	// partsInterval is the longest time for which a counted number of parts is reported.
	partsInterval = 30 * time.Second
	// partsTimeout is how long the server may take to count them.
	partsTimeout = 2 * time.Second
)

// watchServer tells of inserts and parts of an engine that has them.
func (c *counts) watchServer(engine any) error {
	e, ok := engine.(inserting)
	if !ok {
		return nil
	}
	sent, errSent := c.meter.Int64ObservableCounter("touchstone_clickhouse_inserts",
		metric.WithDescription("Inserts that were sent, tries counted each."), metric.WithUnit("{insert}"))
	failed, errFailed := c.meter.Int64ObservableCounter("touchstone_clickhouse_insert_failures",
		metric.WithDescription("Inserts that failed or were refused, tries counted each."), metric.WithUnit("{insert}"))
	rows, errRows := c.meter.Int64ObservableCounter("touchstone_clickhouse_insert_rows",
		metric.WithDescription("Rows that were inserted."), metric.WithUnit("{row}"))
	took, errTook := c.meter.Float64ObservableCounter("touchstone_clickhouse_insert_time",
		metric.WithDescription("How long all inserts together took."), metric.WithUnit("s"))
	parts, errParts := c.meter.Int64ObservableGauge("touchstone_clickhouse_parts",
		metric.WithDescription("Parts of the partition that has most of them."), metric.WithUnit("{part}"))
	if err := errors.Join(errSent, errFailed, errRows, errTook, errParts); err != nil {
		return err
	}
	counted := partsOf{server: e}
	return c.observe(func(ctx context.Context, o metric.Observer) error {
		n := e.Inserts()
		o.ObserveInt64(sent, n.Sent)
		o.ObserveInt64(failed, n.Failed)
		o.ObserveInt64(rows, n.Rows)
		o.ObserveFloat64(took, n.Took.Seconds())
		if n, known := counted.now(ctx); known {
			o.ObserveInt64(parts, n)
		}
		return nil
	}, sent, failed, rows, took, parts)
}

// partsOf remembers a number of parts for a while: a caller that looks at metrics is not to
// cost the server anything.
type partsOf struct {
	server inserting

	mu    sync.Mutex
	n     int64
	known bool
	asked time.Time
}

func (p *partsOf) now(ctx context.Context) (n int64, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.asked) >= partsInterval {
		ctx, cancel := context.WithTimeout(ctx, partsTimeout)
		defer cancel()
		n, err := p.server.Parts(ctx)
		p.n, p.known, p.asked = n, err == nil, time.Now()
	}
	return p.n, p.known
}
