// SPDX-License-Identifier: Apache-2.0

// Package apiextension serves the /v2 HTTP API: organizations, evaluators,
// auto monitor setups, stored spans and what became of them, with the OpenAPI
// document that describes all of it. Whoever calls is told apart by the same extension that
// guards the OTLP receivers; the stores are lent by the store extension.
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

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/executions"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/lend"
	"github.com/touchstone-otel/touchstone/internal/model"
)

// shutdownTimeout is how long running requests may take to end once the
// extension is told to stop.
const shutdownTimeout = 10 * time.Second

var _ extensioncapabilities.Dependent = (*apiExtension)(nil)

type apiExtension struct {
	cfg      *Config
	settings component.TelemetrySettings
	catalog  *eval.Catalog
	version  string // of the collector
	listen   func(context.Context) (net.Listener, error)

	server  *http.Server
	address net.Addr
	serving sync.WaitGroup

	jobs        *executions.Jobs
	audit       *auditLog
	stopWarming context.CancelFunc
}

func newAPIExtension(cfg *Config, settings component.TelemetrySettings, catalog *eval.Catalog) *apiExtension {
	return &apiExtension{cfg: cfg, settings: settings, catalog: catalog, listen: cfg.HTTP.ToListener}
}

// Dependencies makes what the API stands on start before it.
func (e *apiExtension) Dependencies() []component.ID {
	ids := []component.ID{e.cfg.Store, e.cfg.Auth}
	if e.cfg.Models != (component.ID{}) {
		ids = append(ids, e.cfg.Models)
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
	server, err := e.cfg.HTTP.ToServer(ctx, host.GetExtensions(), e.settings, newRouter(opened.server, opened.routes),
		confighttp.WithErrorHandler(opened.refuseEncoding))
	if err != nil {
		return fmt.Errorf("make the API server: %w", err)
	}
	listener, err := e.listen(ctx)
	if err != nil {
		return fmt.Errorf("listen on %q: %w", e.cfg.HTTP.NetAddr.Endpoint, err)
	}
	e.server, e.address, e.jobs = server, listener.Addr(), opened.jobs
	e.settings.Logger.Info("API is listening", zap.Stringer("address", e.address))
	warming, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stopWarming = stop
	e.serving.Go(func() { warm(warming, e.catalog, e.cfg.Warm) })
	e.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(fmt.Errorf("serve the API: %w", err)))
		}
	})
	return nil
}

// openModels gives what lends models, nil if the configuration names nothing.
func (e *apiExtension) openModels(host component.Host) (model.Provider, error) {
	if e.cfg.Models == (component.ID{}) {
		return nil, nil
	}
	models, err := lend.Find[model.Provider](host, e.cfg.Models)
	if err != nil {
		return nil, fmt.Errorf(`"models": %w`, err)
	}
	return models, nil
}

// Shutdown stops listening and waits for running requests, but not for long.
func (e *apiExtension) Shutdown(ctx context.Context) error {
	if e.server == nil {
		return nil
	}
	server := e.server
	e.server = nil
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	e.stopWarming()
	e.jobs.Stop() // so that nobody waits for their results any longer
	err := server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("wait for running requests: %w", err), server.Close())
	}
	e.serving.Wait()
	return errors.Join(err, e.audit.close())
}
