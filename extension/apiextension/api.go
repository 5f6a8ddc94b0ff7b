// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// api is what the handlers work with.
type api struct {
	logger   *zap.Logger
	auth     extensionauth.Server
	control  control
	spans    store.Spans
	catalog  *eval.Catalog
	cursors  *query.Cursors
	document []byte
	timeout  time.Duration
	now      func() time.Time

	executions *executions
	models     model.Provider // nil if none is configured
	monitoring *MonitoringConfig
}

// control is what the API asks of the control store.
type control interface {
	store.Documents
	CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error
}

func (a *api) setups() store.Collection[monitor.Setup] { return store.Setups(a.control) }

func (a *api) evaluators() store.Collection[eval.Custom] { return store.Evaluators(a.control) }

func (a *api) backfills() store.Collection[monitor.Backfill] { return store.Backfills(a.control) }
