// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store/opinions"
)

// opinionInterval is the time between two looks for the spans of opinions that came
// before them.
const opinionInterval = 250 * time.Millisecond

// storeOpinions is one look for these spans. It happens too often to tell of each failure:
// what is due is looked for again.
func (e *storeExtension) storeOpinions(ctx context.Context) {
	if err := e.opinions.Round(ctx); err != nil && ctx.Err() == nil {
		e.log.Debug("opinions that came before their spans were not stored; a later round tries again", zap.Error(err))
	}
}

// watchOpinions tells what became of opinions.
func (c *counts) watchOpinions(b *opinions.Book) error {
	outcomes, errOutcomes := c.meter.Int64ObservableCounter("touchstone_opinions",
		metric.WithDescription("Verdicts that others gave, by outcome: stored on their spans, waited for these, dropped because these did not come within an hour."),
		metric.WithUnit("{opinion}"))
	waiting, errWaiting := c.meter.Int64ObservableGauge("touchstone_opinions_waiting",
		metric.WithDescription("Lists of verdicts that others gave, one of each request, that wait for their spans."),
		metric.WithUnit("{list}"))
	if err := errors.Join(errOutcomes, errWaiting); err != nil {
		return err
	}
	return c.observe(func(_ context.Context, o metric.Observer) error {
		n := b.Counts()
		for outcome, count := range map[string]int64{"stored": n.Stored, "waited": n.Waited, "dropped": n.Dropped} {
			o.ObserveInt64(outcomes, count, metric.WithAttributes(attribute.String("outcome", outcome)))
		}
		o.ObserveInt64(waiting, int64(b.Waiting()))
		return nil
	}, outcomes, waiting)
}
