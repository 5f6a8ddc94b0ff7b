// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// metrics are the instruments of all models.
type metrics struct {
	requests, errors, tokens, unpriced, lookups metric.Int64Counter
	cost                                        metric.Float64Counter
	latency                                     metric.Float64Histogram
	open                                        metric.Int64Gauge
}

func newMetrics(provider metric.MeterProvider) (*metrics, error) {
	meter := provider.Meter("github.com/touchstone-otel/touchstone/extension/modelsextension")
	m := &metrics{}
	var errs []error
	counter := func(into *metric.Int64Counter, name, unit, about string) {
		c, err := meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(about))
		*into, errs = c, append(errs, err)
	}
	counter(&m.requests, "touchstone_model_requests", "{request}", "Requests that were sent to models.")
	counter(&m.errors, "touchstone_model_errors", "{error}", "Calls of models that gave nothing usable, by reason.")
	counter(&m.tokens, "touchstone_model_tokens", "{token}", "Tokens that models read (prompt) and wrote (completion).")
	counter(&m.unpriced, "touchstone_model_unpriced", "{token}", "Tokens of models without a price.")
	counter(&m.lookups, "touchstone_model_cache_lookups", "{lookup}", "Looks into the caches of answers, by result.")
	var err error
	m.cost, err = meter.Float64Counter("touchstone_model_cost",
		metric.WithUnit("{USD}"), metric.WithDescription("What the tokens cost, in US dollars, by the configured prices."))
	errs = append(errs, err)
	m.latency, err = meter.Float64Histogram("touchstone_model_latency",
		metric.WithUnit("s"), metric.WithDescription("How long requests to models took."),
		metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 60))
	errs = append(errs, err)
	m.open, err = meter.Int64Gauge("touchstone_model_breaker_open",
		metric.WithUnit("1"), metric.WithDescription("1 while requests to a model are stopped because it failed repeatedly."))
	errs = append(errs, err)
	return m, errors.Join(errs...)
}

// modelObserver counts for one model.
type modelObserver struct {
	metrics *metrics
	account *account
	name    string
}

var _ model.Observer = modelObserver{}

func (o modelObserver) labels(kind model.Kind, more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(more,
		attribute.String("model", o.name), attribute.String("kind", string(kind)))...))
}

// Called implements model.Observer.
func (o modelObserver) Called(ctx context.Context, kind model.Kind, c model.Call) {
	m, labels := o.metrics, o.labels(kind)
	o.account.called(&c, time.Now())
	if c.Sent {
		m.requests.Add(ctx, 1, labels)
		m.latency.Record(ctx, c.Took.Seconds(), labels)
	}
	if c.Reason != "" {
		m.errors.Add(ctx, 1, o.labels(kind, attribute.String("reason", string(c.Reason))))
	}
	if c.Usage.PromptTokens > 0 {
		m.tokens.Add(ctx, c.Usage.PromptTokens, o.labels(kind, attribute.String("direction", "prompt")))
	}
	if c.Usage.CompletionTokens > 0 {
		m.tokens.Add(ctx, c.Usage.CompletionTokens, o.labels(kind, attribute.String("direction", "completion")))
	}
	if c.Usage.Cost > 0 {
		m.cost.Add(ctx, c.Usage.Cost, labels)
	}
	if c.Usage.Unpriced {
		m.unpriced.Add(ctx, c.Usage.PromptTokens+c.Usage.CompletionTokens, labels)
	}
}

// CacheLookup implements model.Observer.
func (o modelObserver) CacheLookup(ctx context.Context, kind model.Kind, hit bool) {
	result := "miss"
	if hit {
		result = "hit"
	}
	o.metrics.lookups.Add(ctx, 1, o.labels(kind, attribute.String("result", result)))
}

// BreakerChanged implements model.Observer. It belongs to no request.
func (o modelObserver) BreakerChanged(open bool) {
	o.account.breaker(open)
	value := int64(0)
	if open {
		value = 1
	}
	o.metrics.open.Record(context.Background(), value, metric.WithAttributes(attribute.String("model", o.name)))
}
