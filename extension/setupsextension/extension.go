// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var (
	_ extension.Extension  = (*setups)(nil)
	_ extensionauth.Server = (*setups)(nil)
	_ store.LiveProvider   = (*setups)(nil)
	_ store.Live           = (*setups)(nil)
	_ store.HashKeys       = (*setups)(nil)
)

// unknownEnvironment is whose spans these are as long as no gateway has ever said it.
const unknownEnvironment tenant.EnvironmentID = "unknown"

// setups is the extension.
type setups struct {
	cfg      *Config
	settings component.TelemetrySettings
	log      *zap.Logger
	now      func() time.Time
	polls    metric.Int64Counter
	gauge    metric.Registration

	current atomic.Pointer[held] // nil before the first bundle
	started atomic.Int64         // Unix nanoseconds
	asked   atomic.Int64         // when a gateway last said that these are the setups, Unix nanoseconds; 0 is never

	taken  int64 // bundles, by the one who takes them
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// held is a bundle that is worked with.
type held struct {
	bundle monitor.Bundle
	tag    string
}

func newExtension(cfg *Config, set component.TelemetrySettings) (*setups, error) {
	e := &setups{cfg: cfg, settings: set, log: set.Logger, now: time.Now}
	e.started.Store(e.now().UnixNano())
	return e, e.measure()
}

// Start takes the setups that are on disk and begins to ask the gateway.
func (e *setups) Start(ctx context.Context, host component.Host) error {
	asking, err := e.newAsker(ctx, host)
	if err != nil {
		return err
	}
	e.restore()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.cancel = cancel
	e.done.Go(func() { e.follow(ctx, asking) })
	return nil
}

// Shutdown ends that.
func (e *setups) Shutdown(context.Context) error {
	if e.cancel != nil {
		e.cancel()
		e.done.Wait()
	}
	if e.gauge == nil {
		return nil
	}
	return e.gauge.Unregister()
}

// Live returns the setups that the process judges by.
func (e *setups) Live() store.Live { return e }

// Setups implements store.Live.
func (e *setups) Setups(env tenant.EnvironmentID) []monitor.Setup {
	if h := e.current.Load(); h != nil && h.bundle.Environment == env {
		return h.bundle.Setups
	}
	return nil
}

// HashKey implements store.HashKeys.
func (e *setups) HashKey(env tenant.EnvironmentID) []byte {
	if h := e.current.Load(); h != nil && h.bundle.Environment == env {
		return h.bundle.HashKey
	}
	return nil
}

// All implements store.Live.
func (e *setups) All() iter.Seq[*monitor.Setup] {
	return func(yield func(*monitor.Setup) bool) {
		h := e.current.Load()
		if h == nil {
			return
		}
		for i := range h.bundle.Setups {
			if !yield(&h.bundle.Setups[i]) {
				return
			}
		}
	}
}

// Authenticate says of everybody that they send for the environment of the key that
// the sidecar has. Who may reach the receiver may send, with "required" as soon as there
// are setups.
func (e *setups) Authenticate(ctx context.Context, _ map[string][]string) (context.Context, error) {
	env := unknownEnvironment
	if h := e.current.Load(); h != nil {
		env = h.bundle.Environment
	} else if e.cfg.Required {
		return ctx, errNoSetups
	}
	info := client.FromContext(ctx)
	info.Auth = &tenant.Principal{Environment: tenant.Environment{ID: env}, Scope: tenant.Ingest}
	return client.NewContext(ctx, info), nil
}

// errNoSetups is the answer to who sends before there are setups, where they are required.
var errNoSetups error = refusal{fault.New(fault.Unavailable, "The sidecar has no setups yet: try again")}

// refusal is a fault that gRPC servers understand.
type refusal struct{ error }

// GRPCStatus makes gRPC servers answer with its code.
func (r refusal) GRPCStatus() *status.Status {
	return status.New(codes.Unavailable, fault.Message(r.error))
}

// Unwrap returns the same in our words.
func (r refusal) Unwrap() error { return r.error }

// take works with a bundle from now on. Its setups are other ones than any before, for
// who compiles them. A tag that no request can have, as a damaged file may, is none.
func (e *setups) take(b monitor.Bundle, tag string) {
	e.taken++
	if !httpguts.ValidHeaderFieldValue(tag) {
		tag = ""
	}
	for i := range b.Setups {
		b.Setups[i].Revision = e.taken
	}
	e.current.Store(&held{b, tag})
}
