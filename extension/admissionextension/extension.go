// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/freemem"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/otlpbound"
	"github.com/touchstone-otel/touchstone/internal/otlpmend"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
)

var (
	_ extension.Extension             = (*admission)(nil)
	_ extensioncapabilities.Dependent = (*admission)(nil)
	_ extensionmiddleware.HTTPServer  = (*admission)(nil)
	_ extensionmiddleware.GRPCServer  = (*admission)(nil)
	_ extensionauth.Server            = (*admission)(nil)

	_ extensioncapabilities.PipelineWatcher = (*admission)(nil)

	_ fair.Provider = (*admission)(nil)
)

type admission struct {
	cfg     *Config
	limits  otlpbound.Limits
	most    int64 // bytes that one request may be unpacked to
	budget  *fair.Budget
	memory  *freemem.Giver // of what requests held
	refused metric.Int64Counter
	mended  metric.Int64Counter
	gauge   metric.Registration
	meters  *meters
	auth    extensionauth.Server // nil if none is configured
	usage   *usage.Meter         // likewise

	stopping  stopping
	wrapped   wrapped
	receiving *receiving
	pending   sync.Map // messages of gRPC that wait to be decoded, by what they are decoded into
}

func newExtension(cfg *Config, set component.TelemetrySettings) (*admission, error) {
	a := &admission{
		cfg:    cfg,
		limits: cfg.bounds(),
		most:   int64(cfg.RequestMiB) << 20,
		memory: freemem.New(),
		meters: newMeters(),

		stopping: stopping{wait: cfg.StopWait},
	}
	a.budget = fair.NewBudget(int64(cfg.MemoryMiB)<<20, cfg.Wait, a.memory.Used)
	meter := set.MeterProvider.Meter("github.com/touchstone-otel/touchstone/extension/admissionextension")
	var err error
	a.refused, err = meter.Int64Counter("touchstone_admission_refused",
		metric.WithDescription("Requests that were refused before they were decoded, by reason: limit, malformed, size, encoding, memory, quota or slow."),
		metric.WithUnit("{request}"))
	if err != nil {
		return nil, err
	}
	a.mended, err = meter.Int64Counter("touchstone_admission_mended",
		metric.WithDescription("Values of requests that were mended so that they can be decoded, by reason: absent, form, broken, former_name or byte_order_mark."),
		metric.WithUnit("{value}"))
	if err != nil {
		return nil, err
	}
	for reason := range otlpmend.Reasons { // so that the series are there before anything happens
		a.mended.Add(context.Background(), 0, metric.WithAttributes(attribute.String("reason", reason.String())))
	}
	a.receiving = newReceiving(a.budget.Total(), func(calls int) {
		a.refused.Add(context.Background(), int64(calls), metric.WithAttributes(attribute.String("reason", "memory")))
	})
	held, err := meter.Int64ObservableGauge("touchstone_admission_memory",
		metric.WithDescription("Memory that requests under way are counted with."),
		metric.WithUnit("By"))
	if err != nil {
		return nil, err
	}
	a.gauge, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(held, a.budget.InUse())
		return nil
	}, held)
	return a, err
}

// Dependencies makes the authenticator and the store start first.
func (a *admission) Dependencies() []component.ID {
	var ids []component.ID
	for _, id := range []component.ID{a.cfg.Auth, a.cfg.Store} {
		if id != (component.ID{}) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Start finds the authenticator and the store.
func (a *admission) Start(_ context.Context, host component.Host) error {
	if a.cfg.Auth != (component.ID{}) {
		auth, err := hostext.Find[extensionauth.Server](host, a.cfg.Auth)
		if err != nil {
			return fmt.Errorf(`"auth": %w`, err)
		}
		a.auth = auth
	}
	if a.cfg.Store != (component.ID{}) {
		opened, err := hostext.Find[usage.Provider](host, a.cfg.Store)
		if err != nil {
			return fmt.Errorf(`"store": %w`, err)
		}
		a.usage = opened.Usage()
	}
	return nil
}

// Authenticate asks the authenticator that "auth" names. As the authenticator of
// an HTTP server the extension knows the server before anyone is refused, and
// can end requests that keep it from stopping. The middleware refuses callers without a
// valid credential, so that they read the answer, and can retry while nothing tells who calls.
func (a *admission) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	a.stopping.note(ctx)
	if isAsking(ctx) {
		return ctx, nil
	}
	if a.auth == nil {
		return ctx, errors.New(`"auth" names no authenticator`)
	}
	known, err := a.auth.Authenticate(ctx, sources)
	if err != nil {
		if refused, ok := a.wrapped.pass(ctx, err); ok {
			return refused, nil
		}
	}
	return known, err
}

// Ready does nothing: who is refused does not depend on it.
func (a *admission) Ready() error { return nil }

// NotReady is called before receivers are stopped. From now on requests have
// "stop_wait" to end.
func (a *admission) NotReady() error {
	a.stopping.begin(a.receiving)
	return nil
}

// Shutdown ends what is observed.
func (a *admission) Shutdown(context.Context) error {
	a.stopping.end()
	a.memory.End()
	if a.gauge == nil {
		return nil
	}
	return a.gauge.Unregister()
}

// Budget returns the memory that requests share, of this extension and of others.
func (a *admission) Budget() *fair.Budget { return a.budget }

// lease begins a request of the caller in ctx.
func (a *admission) lease(ctx context.Context) *fair.Lease {
	return a.budget.Lease(callerOf(ctx))
}

// callerOf names the environment of the caller, "" if there is none.
func callerOf(ctx context.Context) string {
	auth := client.FromContext(ctx).Auth
	if auth == nil {
		return ""
	}
	name, _ := auth.GetAttribute("environment.id").(string)
	return name
}

// perRecord is what a span, log record or data point takes on its way through
// the pipeline besides its contents, in bytes.
const perRecord = 4 << 10

// check holds the bytes of a request against the limits, and lets it hold
// the memory that it will take: decoded, and once more in what is made of it
// downstream. It returns the bytes as the decoder reads them.
func (a *admission) check(ctx context.Context, l *fair.Lease, s otlpbound.Signal, b []byte, json bool) ([]byte, error) {
	pass := a.limits.Protobuf
	var mended otlpmend.Mended
	if json {
		pass = a.limits.JSON
		b = otlpmend.TrimMark(b, &mended)
	}
	cost, err := pass(s, b)
	if err != nil {
		return nil, err
	}
	if err := a.hold(ctx, l, cost); err != nil {
		return nil, err
	}
	a.meters.of(ctx).take(time.Now(), cost.Records, len(b))
	switch {
	case json:
		b, err = a.mend(ctx, l, s, b, cost, &mended)
	case cost.BrokenIDs:
		if b, err = otlpmend.Protobuf(s, b, &mended); err != nil {
			err = otlpbound.ErrMalformed
		}
	}
	if err != nil {
		return nil, err
	}
	for reason, n := range mended {
		if n > 0 {
			a.mended.Add(ctx, int64(n), metric.WithAttributes(attribute.String("reason", otlpmend.Reason(reason).String())))
		}
	}
	return b, nil
}

// hold lets a request hold the memory that it will take. What would not fit even alone
// may have all there is, alone.
func (a *admission) hold(ctx context.Context, l *fair.Lease, cost otlpbound.Cost) error {
	if cost.Bytes > a.budget.Total() {
		return &tooLarge{"the request would take %d MiB of memory; at most %d are there: send fewer at once", cost.Bytes >> 20, a.budget.Total() >> 20}
	}
	return l.Grow(ctx, min(2*cost.Bytes+perRecord*int64(cost.Records), a.budget.Total()-l.Held()))
}

// mend returns JSON as the decoder reads it. What was changed is held against the
// limits once more: the decoder sees members there that it would have passed over.
func (a *admission) mend(ctx context.Context, l *fair.Lease, s otlpbound.Signal, b []byte, cost otlpbound.Cost, mended *otlpmend.Mended) ([]byte, error) {
	whole, err := otlpmend.JSON(s, b, mended)
	if err != nil {
		return nil, otlpbound.ErrMalformed
	}
	if len(whole) == len(b) && (len(b) == 0 || &whole[0] == &b[0]) {
		return b, nil
	}
	again, err := a.limits.JSON(s, whole)
	if err != nil {
		return nil, err
	}
	again.Bytes, again.Records = max(again.Bytes-cost.Bytes, 0), max(again.Records-cost.Records, 0)
	return whole, a.hold(ctx, l, again)
}

// count counts a refusal by its reason.
func (a *admission) count(ctx context.Context, err error) {
	if reason := reasonOf(err); reason != "" {
		a.refused.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", reason)))
	}
}
