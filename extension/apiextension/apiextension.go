// SPDX-License-Identifier: Apache-2.0

// Package apiextension serves the /v2 HTTP API: organizations, evaluators,
// auto monitor setups, stored spans and what became of them, with the OpenAPI
// document that describes all of it. Callers are identified by the same extension that
// guards the OTLP receivers; the stores are provided by the store extension.
package apiextension

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/freemem"
	"github.com/touchstone-otel/touchstone/internal/hostext"
)

// shutdownTimeout is how long running requests may take to end once
// shutdown begins.
const shutdownTimeout = 5 * time.Second

var (
	_ extensioncapabilities.Dependent       = (*apiExtension)(nil)
	_ extensioncapabilities.PipelineWatcher = (*apiExtension)(nil)
)

type apiExtension struct {
	cfg      *Config
	settings component.TelemetrySettings
	catalog  *eval.Catalog
	version  string // of the collector
	listen   func(context.Context) (net.Listener, error)
	now      func() time.Time

	server  *http.Server
	address net.Addr
	serving sync.WaitGroup
	stopped chan struct{} // is closed once the server has stopped; nil before shutdown

	jobs       *evaluators.Jobs
	stopping   chan struct{} // closed when no caller is to wait any longer
	audit      *auditLog
	stopBeside context.CancelFunc // stops the work that no request started
	memory     *freemem.Giver     // as service has it
}

func newAPIExtension(cfg *Config, settings component.TelemetrySettings, catalog *eval.Catalog) *apiExtension {
	return &apiExtension{cfg: cfg, settings: settings, catalog: catalog, listen: cfg.listen, now: time.Now}
}

// Dependencies makes what the API stands on start before it.
func (e *apiExtension) Dependencies() []component.ID {
	ids := []component.ID{e.cfg.Store, e.cfg.Auth}
	for _, id := range []component.ID{e.cfg.Models, e.cfg.Admission} {
		if id != (component.ID{}) {
			ids = append(ids, id)
		}
	}
	for _, m := range e.cfg.HTTP.Middlewares {
		ids = append(ids, m.ID)
	}
	return ids
}

// Start begins to listen and to serve.
func (e *apiExtension) Start(ctx context.Context, host component.Host) error {
	opened, err := e.open(ctx, host)
	if err != nil {
		return err
	}
	if e.audit, err = newAuditLog(&e.cfg.Audit, e.settings.Logger); err != nil {
		return err
	}
	if e.audit != nil {
		opened.server.Auditor = e.audit
	}
	served := e.cfg.HTTP
	served.MaxRequestBodySize = max(fair.MaxDropped, served.MaxRequestBodySize) // rest bounds bodies, each route by its own
	server, err := served.ToServer(ctx, host.GetExtensions(), e.settings, newRouter(opened.server, opened.routes, e.version),
		confighttp.WithErrorHandler(opened.refuseEncoding))
	if err != nil {
		return fmt.Errorf("make the API server: %w", err)
	}
	listener, err := e.listen(ctx)
	if err != nil {
		return fmt.Errorf("listen on %q: %w", e.cfg.HTTP.NetAddr.Endpoint, err)
	}
	e.server, e.address, e.jobs, e.stopping, e.memory = server, listener.Addr(), opened.jobs, opened.stopping, opened.memory
	e.settings.Logger.Info("API is listening", zap.Stringer("address", e.address))
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stopBeside = stop
	e.serving.Go(func() { warm(beside, e.catalog, e.cfg.Warm) })
	e.serving.Go(func() { opened.system.Remember(beside) })
	if e.cfg.Alerts.Enabled {
		e.serving.Go(func() { opened.alerts.Run(beside) })
	}
	e.memory.Soon()
	e.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(fmt.Errorf("serve the API: %w", err)))
		}
	})
	return nil
}

// openModels returns what provides models, nil if the configuration names nothing.
func (e *apiExtension) openModels(host component.Host) (eval.ModelProvider, error) {
	if e.cfg.Models == (component.ID{}) {
		return nil, nil
	}
	models, err := hostext.Find[eval.ModelProvider](host, e.cfg.Models)
	if err != nil {
		return nil, fmt.Errorf(`"models": %w`, err)
	}
	return models, nil
}

// ownMemory and memoryWait are the budget of an API that shares none.
const (
	ownMemory  = 128 << 20
	memoryWait = 2 * time.Second
)

// openMemory returns what requests may hold of the memory that they share: of that of
// OTLP three quarters, so that callers of the API leave some to senders of spans.
func (e *apiExtension) openMemory(host component.Host, used func(held, total int64)) (*fair.Part, error) {
	if e.cfg.Admission == (component.ID{}) {
		return fair.NewBudget(ownMemory, memoryWait, used).Part(ownMemory), nil
	}
	admission, err := hostext.Find[fair.Provider](host, e.cfg.Admission)
	if err != nil {
		return nil, fmt.Errorf(`"admission": %w`, err)
	}
	shared := admission.Budget()
	return shared.Part(shared.Total() / 4 * 3), nil
}

// Ready does nothing: the API answers from its start on.
func (e *apiExtension) Ready() error { return nil }

// NotReady is called before the pipelines are stopped. The API stops at the same
// time, so that a client which holds a request delays the process only once.
func (e *apiExtension) NotReady() error {
	e.stop()
	return nil
}

// stop begins to stop the server: it listens no longer and waits for running
// requests, but not for long.
func (e *apiExtension) stop() {
	if e.server == nil || e.stopped != nil {
		return
	}
	e.stopBeside()
	e.memory.End()
	e.jobs.Stop()     // so that no caller waits for their results any longer
	close(e.stopping) // nor for spans
	server, stopped := e.server, make(chan struct{})
	e.stopped = stopped
	go func() {
		defer close(stopped)
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			e.settings.Logger.Warn("requests to the API had not ended and were cut off", zap.Duration("after", shutdownTimeout))
			_ = server.Close() // the listener is closed already
		}
	}()
}

// Shutdown stops the server, unless NotReady stopped it, and waits for it.
func (e *apiExtension) Shutdown(ctx context.Context) error {
	if e.server == nil {
		return nil
	}
	e.stop()
	select {
	case <-e.stopped:
	case <-ctx.Done():
		_ = e.server.Close() // ends what is waited for
		<-e.stopped
	}
	e.server, e.stopped = nil, nil
	e.serving.Wait()
	return e.audit.close()
}
