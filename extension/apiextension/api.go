// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"sync"
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

	backfilling sync.Mutex // of those who count backfills before they add one
}

// control is what the API asks of the control store.
type control interface {
	CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error
	CreateSetup(ctx context.Context, s monitor.Setup) error
	Setup(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error)
	ListSetups(ctx context.Context, env tenant.EnvironmentID, f store.SetupFilter) ([]monitor.Setup, error)
	ReplaceSetup(ctx context.Context, s monitor.Setup) (monitor.Setup, error)
	DeleteSetup(ctx context.Context, env tenant.EnvironmentID, name string) error
	store.Evaluators
	store.Backfills
}
