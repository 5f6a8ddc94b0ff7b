// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensionauth"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/alerts"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/compat"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/evaluators"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitors"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/operations"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/verdicts"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/views"
	"github.com/touchstone-otel/touchstone/internal/alert/notify"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/freemem"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
)

// service is what the API comes to once it is open.
type service struct {
	server *rest.Server
	routes []rest.Route
	jobs   *evaluators.Jobs
	system *operations.SystemAPI
	alerts *alerts.Watch
	// stopping is closed when no caller is to wait any longer.
	stopping chan struct{}
	memory   *freemem.Giver // of the start, and of requests that share no budget
	now      func() time.Time
}

// stores is an extension that provides both stores, and what others say of spans.
type stores interface {
	store.Provider
	cache.Provider
	queries.Provider
	usage.Provider
	store.Health
	store.Activity
	store.BackupProvider
	store.Sharing
	opinions.Provider
	deletions.Provider
}

// open brings together what the API stands on.
func (e *apiExtension) open(ctx context.Context, host component.Host) (*service, error) {
	auth, err := hostext.Find[extensionauth.Server](host, e.cfg.Auth)
	if err != nil {
		return nil, fmt.Errorf(`"auth": %w`, err)
	}
	opened, err := hostext.Find[stores](host, e.cfg.Store)
	if err != nil {
		return nil, fmt.Errorf(`"store": %w`, err)
	}
	control := opened.Control()
	secret, err := control.Secret(ctx, "cursors")
	if err != nil {
		return nil, fmt.Errorf("read the secret of cursors: %w", err)
	}
	cursors, err := query.NewCursors(secret)
	if err != nil {
		return nil, err
	}
	models, err := e.openModels(host)
	if err != nil {
		return nil, err
	}
	catalog := e.catalog
	if models != nil {
		catalog = catalog.With(models.Models)
	}
	given := freemem.New()
	memory, err := e.openMemory(host, given.Used)
	if err != nil {
		return nil, err
	}
	p := &service{
		server: &rest.Server{
			Logger: e.settings.Logger, Auth: auth, Timeout: e.cfg.RequestTimeout, Long: e.cfg.ExecutionTimeout,
			Memory: memory, MaxBody: e.cfg.HTTP.MaxRequestBodySize, ReadTimeout: e.cfg.HTTP.ReadTimeout,
			OverQuota: opened.Usage().RefusedQuery,
			Changes:   rest.NewRates(pace.Rate{PerSecond: e.cfg.ChangesPerSecond, Burst: changesAtOnce}, e.now),
			Refusals:  rest.NewRates(pace.Rate{PerSecond: 1, Burst: 100}, e.now),
		},
		jobs:     evaluators.NewJobs(e.cfg.ExecutionTimeout, e.now),
		stopping: make(chan struct{}),
		memory:   given,
		now:      e.now,
		alerts: &alerts.Watch{
			Control: control, Records: opened.Queries(), Environment: control.Environment, Sender: notify.New(e.cfg.Alerts.AllowPrivateTargets),
			Process: opened.Process(), Log: e.settings.Logger, Now: e.now,
		},
		system: &operations.SystemAPI{Stores: opened, Backlog: opened.Backlog(), Version: e.version, Now: e.now},
	}
	if reporter, ok := models.(model.Reporter); ok {
		p.system.Models = reporter.Status
	}
	byName := registry.New(catalog, store.Evaluators(control), func(c *eval.CustomEvaluator) eval.JudgeModel { return registry.JudgeOf(models, c) })
	known := &operations.MeAPI{Control: control, Usage: opened.Usage(), Models: func() operations.Models { return modelsOf(catalog, models) }, Version: e.version, OTLP: e.cfg.OTLP}
	var document []byte
	p.routes = slices.Concat(publicRoutes(func() []byte { return document }, &health{opened, opened.Backlog(), &e.cfg.Monitoring, e.now, answersWithin}), known.Routes(), p.system.Routes(), p.resources(e.cfg, opened, byName, cursors))
	if document, err = newDocument(p.routes, catalog); err != nil {
		return nil, err
	}
	base, err := newDocument(p.routes, &eval.Catalog{}) // evaluators check their bodies themselves
	if err != nil {
		return nil, err
	}
	p.server.Bodies, err = rest.NewBodies(base)
	return p, err
}

// modelsOf tells which models any of the evaluators may be given.
func modelsOf(catalog *eval.Catalog, models eval.ModelProvider) (some operations.Models) {
	if models == nil {
		return some
	}
	for _, e := range catalog.All() {
		given := models.Models(e.Slug)
		some.Judge = some.Judge || given.Judge != nil
		some.Embedding = some.Embedding || given.Embedder != nil
		some.Classifier = some.Classifier || given.Classifier != nil
	}
	return some
}

// resources are the routes of all that the API serves of stores and evaluators.
func (p *service) resources(cfg *Config, opened stores, byName *registry.Registry, cursors *query.Cursors) []rest.Route {
	control, records := opened.Control(), opened.Queries()
	judged, custom, backfills := store.Setups(control), store.Evaluators(control), store.Backfills(control)
	return slices.Concat(
		(&operations.OrganizationsAPI{Control: control, Records: records, Now: p.now}).Routes(),
		(&operations.MappingsAPI{Control: control, Records: records, Now: p.now}).Routes(),
		(&operations.BackupsAPI{Backups: opened.Backups()}).Routes(),
		(&evaluators.API{Custom: custom, Evaluators: byName, Now: p.now}).Routes(),
		(&evaluators.ExecutionsAPI{Records: records, Evaluators: byName, Jobs: p.jobs, Money: opened.Usage()}).Routes(),
		(&monitors.API{
			Setups: judged, Live: control.Setups, Backfills: backfills, Records: records, Evaluators: byName, Usage: opened.Usage(),
			Tell: p.server.Tell, Timeout: cfg.RequestTimeout, Now: p.now,
		}).Routes(),
		monitors.NewBundleAPI(control, byName, p.now).Routes(),
		(&monitors.PreviewAPI{Records: records, Evaluators: byName, Timeout: cfg.RequestTimeout, Now: p.now}).Routes(),
		(&spans.API{Records: records, Setups: judged, Cursors: cursors, Stopping: p.stopping}).Routes(),
		(&spans.TracesAPI{Records: records, Shared: rest.Shared{Memory: p.server.Memory}}).Routes(),
		(&monitors.ExplainAPI{Records: records, Setups: judged, Usage: opened.Usage(), Evaluators: byName, Now: p.now}).Routes(),
		(&verdicts.AgreementAPI{Records: records, Setups: judged, Now: p.now}).Routes(),
		(&verdicts.AnnotationsAPI{Records: records, Opinions: opened.Opinions(), Tasks: cfg.AnnotationTasks, Now: p.now}).Routes(),
		(&operations.PrivacyAPI{Deletions: opened.Deletions(), AllowLists: store.AllowLists(control)}).Routes(),
		(&compat.ProjectsAPI{Records: records, Cursors: cursors, Shared: rest.Shared{Memory: p.server.Memory}}).Routes(),
		(&compat.ImagesAPI{Proxies: cfg.proxies()}).Routes(),
		(&verdicts.LabelsAPI{Opinions: opened.Opinions(), Records: records, Setups: judged, Cursors: cursors, Now: p.now}).Routes(),
		(&verdicts.MetricsAPI{Records: records, Evaluators: byName, Cursors: cursors}).Routes(),
		(&compat.CostsAPI{Records: records}).Routes(),
		(&alerts.API{Watch: p.alerts}).Routes(),
		(&views.API{Control: control, Now: p.now}).Routes(),
		(&verdicts.AggregatesAPI{Records: records, Evaluators: byName, Now: p.now}).Routes(),
		(&verdicts.EvaluationsAPI{Records: records, Setups: judged, Cursors: cursors}).Routes(),
		(&operations.MonitoringAPI{Records: records, Setups: judged, Config: &cfg.Monitoring, Now: p.now}).Routes(),
	)
}

// refuseEncoding answers for the server where it cannot read a body's
// Content-Encoding.
func (p *service) refuseEncoding(w http.ResponseWriter, r *http.Request, _ string, status int) {
	p.server.Serve(func(*http.Request) (rest.Response, error) {
		return rest.Response{}, &rest.Refusal{Status: status, Message: "Content-Encoding is not supported, or the body does not have it"}
	})(w, r)
}
