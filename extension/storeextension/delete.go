// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
)

// deleteInterval is the time between two looks for requests to delete what is stored
// of people.
const deleteInterval = 2 * time.Second

// deleteRound is one round of working on such requests.
func (e *storeExtension) deleteRound(ctx context.Context) {
	if err := e.deletions.Round(ctx); e.worthTelling(ctx, err) {
		e.counts.deletionFailures.Add(ctx, 1)
		e.log.Error("what is stored of people is not all deleted; the next round tries again", zap.Error(err))
	}
}

// findForgetful finds what in this process keeps answers that were made of spans.
func (e *storeExtension) findForgetful(host component.Host) {
	e.forgetful = nil
	for _, ext := range host.GetExtensions() {
		if f, ok := ext.(store.Forgetter); ok {
			e.forgetful = append(e.forgetful, f)
		}
	}
}

// forgetAnswers has all of them forgotten.
func (e *storeExtension) forgetAnswers() {
	for _, f := range e.forgetful {
		f.ForgetAnswers()
	}
}

// watchDeletions tells what became of requests.
func (c *counts) watchDeletions(b *deletions.Book) error {
	spans, errSpans := c.meter.Int64ObservableCounter("touchstone_deleted_spans",
		metric.WithDescription("Spans that were deleted with all that was made of them, because their people asked for it."),
		metric.WithUnit("{span}"))
	requests, errRequests := c.meter.Int64ObservableCounter("touchstone_data_deletions",
		metric.WithDescription("Requests to delete what is stored of people, by outcome: completed."),
		metric.WithUnit("{request}"))
	if err := errors.Join(errSpans, errRequests); err != nil {
		return err
	}
	return c.observe(func(_ context.Context, o metric.Observer) error {
		n := b.Counts()
		o.ObserveInt64(spans, n.Spans)
		o.ObserveInt64(requests, n.Completed, metric.WithAttributes(attribute.String("outcome", "completed")))
		return nil
	}, spans, requests)
}
