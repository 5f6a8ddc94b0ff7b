// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/prices"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/partial"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type spanStoreExporter struct {
	cfg          *Config
	log          *zap.Logger
	prices       *prices.Table
	own          sync.Map // tenant.EnvironmentID: ownPrices
	spans        writer
	backlog      completer
	environments directory
	opinions     *opinions.Book
	refused      metric.Int64Counter // opinions
}

// writer is the part of the span store that takes in what arrives.
type writer interface {
	Write(ctx context.Context, b store.Batch) (store.Written, error)
}

// completer is the part of the backlog that completes pending evaluations.
type completer interface {
	Complete(ctx context.Context, made []store.Evaluated) error
}

// directory says what is known of an environment, from memory.
type directory interface {
	Environment(id tenant.EnvironmentID) (env tenant.Environment, known bool)
}

// stores is an extension that provides both stores, and takes in opinions.
type stores interface {
	store.Provider
	cache.Provider
	opinions.Provider
}

func newExporter(cfg *Config, set *component.TelemetrySettings) (*spanStoreExporter, error) {
	refused, err := set.MeterProvider.Meter("github.com/touchstone-otel/touchstone/exporter/spanstoreexporter").Int64Counter("touchstone_opinions_refused",
		metric.WithUnit("{opinion}"), metric.WithDescription("Verdicts that others sent and that could not be taken: without a name, a value or a span, with a value that is not finite or a name that is too long, or beyond 100 of one span."))
	if err != nil {
		return nil, err
	}
	refused.Add(context.Background(), 0) // so that the series is there before anything happens
	return &spanStoreExporter{cfg: cfg, log: set.Logger, prices: cfg.prices(), refused: refused}, nil
}

func (e *spanStoreExporter) start(_ context.Context, host component.Host) error {
	opened, err := hostext.Find[stores](host, e.cfg.Store)
	if err != nil {
		return fmt.Errorf(`"store": %w`, err)
	}
	e.spans, e.backlog, e.environments, e.opinions = opened.Engine(), opened.Backlog(), opened.Control(), opened.Opinions()
	return nil
}

func (e *spanStoreExporter) pushLogs(ctx context.Context, ld plog.Logs) error {
	var messages []store.Messages
	var told toldOpinions
	unknown := 0
	for _, rl := range ld.ResourceLogs().All() {
		env, err := e.environment(rl.Resource())
		if err != nil {
			return err
		}
		for _, m := range genai.MessagesFromLogs(rl) {
			messages = append(messages, store.Messages{
				Environment: env,
				TraceID:     m.TraceID,
				SpanID:      m.SpanID,
				Time:        m.Time,
				Prompts:     m.Prompts,
				Completions: m.Completions,
			})
		}
		for _, o := range verdicts.OfLogs(rl) {
			told.add(env, o)
		}
		unknown += unstored(rl)
	}
	partial.Reject(ctx, unknown, notStored)
	if len(messages) > 0 {
		if _, err := e.spans.Write(ctx, store.Batch{Messages: messages}); err != nil {
			return e.answer(err)
		}
	}
	return e.answer(e.take(ctx, &told))
}

// notStored is why a log record is refused.
const notStored = "log records are stored only if they hold messages of the span that they name, or an evaluation"

// ownPrices are the prices of an organization and the table that they make.
type ownPrices struct {
	of    *tenant.Prices
	table *prices.Table
}

// pricesOf returns what models cost in an environment: its organization's prices come first.
func (e *spanStoreExporter) pricesOf(env *tenant.Environment) *prices.Table {
	if env.Prices == nil {
		return e.prices
	}
	if known, ok := e.own.Load(env.ID); ok {
		if own, is := known.(ownPrices); is && own.of == env.Prices {
			return own.table
		}
	}
	byModel := make(map[string]prices.Price, len(*env.Prices))
	for model, p := range *env.Prices {
		byModel[model] = prices.Of(p.Input, p.Output, p.CacheRead, p.CacheWrite)
	}
	own := ownPrices{env.Prices, e.prices.With(byModel)}
	e.own.Store(env.ID, own)
	return own.table
}

// unstored returns how many records hold neither messages of a span nor an evaluation.
func unstored(rl plog.ResourceLogs) (n int) {
	for _, sl := range rl.ScopeLogs().All() {
		for _, r := range sl.LogRecords().All() {
			ofSpan := !r.SpanID().IsEmpty() && !r.TraceID().IsEmpty()
			if (!ofSpan || !genai.TellsMessages(r)) && genai.EventName(r) != verdicts.EvaluationEvent {
				n++
			}
		}
	}
	return n
}

// environment returns the owner that the tenant processor stamped. Data without
// a stamp, or with one that names no environment, has no place to go.
func (e *spanStoreExporter) environment(r pcommon.Resource) (tenant.Environment, error) {
	stamp, ok := r.Attributes().Get(tenant.AttributeEnvironmentID)
	if !ok {
		return tenant.Environment{}, consumererror.NewPermanent(fmt.Errorf(
			"resource attribute %q is missing: the tenant processor must come before this exporter", tenant.AttributeEnvironmentID))
	}
	env, ok := e.environments.Environment(tenant.EnvironmentID(stamp.Str()))
	if !ok {
		return tenant.Environment{}, consumererror.NewPermanent(fmt.Errorf(
			"resource attribute %q names no environment", tenant.AttributeEnvironmentID))
	}
	return env, nil
}

// answer tells the sender whether trying again can help: it can unless the
// data itself was refused.
func (e *spanStoreExporter) answer(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	said := shown{err}
	if said.Error() != err.Error() {
		e.log.Error("telemetry was not stored", zap.Error(err))
	}
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge) {
		return consumererror.NewPermanent(said)
	}
	return said
}

// shown is an error of the store as senders may read it: what is behind it, such as
// paths, is for the log.
type shown struct{ error }

// Error returns what a sender may read.
func (t shown) Error() string { return fault.Message(t.error) }

// Unwrap returns the error.
func (t shown) Unwrap() error { return t.error }
