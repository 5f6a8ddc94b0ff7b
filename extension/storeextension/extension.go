// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
)

var (
	_ extension.Extension  = (*storeExtension)(nil)
	_ store.Provider       = (*storeExtension)(nil)
	_ cache.Provider       = (*storeExtension)(nil)
	_ queries.Provider     = (*storeExtension)(nil)
	_ usage.Provider       = (*storeExtension)(nil)
	_ store.Health         = (*storeExtension)(nil)
	_ store.HealthSources  = (*storeExtension)(nil)
	_ store.Activity       = (*storeExtension)(nil)
	_ store.BackupProvider = (*storeExtension)(nil)
	_ opinions.Provider    = (*storeExtension)(nil)
	_ deletions.Provider   = (*storeExtension)(nil)
	_ store.Sharing        = (*storeExtension)(nil)

	_ extensioncapabilities.PipelineWatcher = (*storeExtension)(nil)
)

type storeExtension struct {
	cfg       *Config
	openSpans openSpans
	log       *zap.Logger
	counts    *counts

	process   string // in leases
	control   store.Control
	cache     *cache.Cache
	engine    store.Engine
	queries   *queries.Queries
	usage     *usage.Meter
	backlog   store.Backlog
	opinions  *opinions.Book
	deletions *deletions.Book
	forgetful []store.Forgetter // of the process
	rounds    []*periodic       // background work, since Start
	listener  *listener         // of changes, which wake who refreshes
	sweeper   *sweeper          // nil where nothing has to be swept
	backups   *backups
	health    *health
	taken     taken
	looker    *periodic     // of health, from when the pipelines are ready
	clock     doubtful      // of expire alone
	behind    bool          // the last refresh failed; of refresh alone
	lateAfter time.Duration // how long a refresh may take before the process reports itself as not ready
}

func newExtension(cfg *Config, set component.TelemetrySettings, open openSpans) (*storeExtension, error) {
	counts, err := newCounts(set.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &storeExtension{
		cfg: cfg, process: processOf(cfg), openSpans: open, log: set.Logger, counts: counts, clock: doubtful{begun: time.Now()},
		health: newHealth(cfg, set.Logger), lateAfter: pingTimeout,
	}, nil
}

// Engine implements store.Provider; nil before Start.
func (e *storeExtension) Engine() store.Engine { return e.engine }

// Backlog implements store.Provider; nil before Start.
func (e *storeExtension) Backlog() store.Backlog { return e.backlog }

// Control implements cache.Provider; nil before Start.
func (e *storeExtension) Control() *cache.Cache { return e.cache }

// Queries implements queries.Provider; nil before Start.
func (e *storeExtension) Queries() *queries.Queries { return e.queries }

// Usage implements usage.Provider; nil before Start.
func (e *storeExtension) Usage() *usage.Meter { return e.usage }

// Opinions implements opinions.Provider; nil before Start.
func (e *storeExtension) Opinions() *opinions.Book { return e.opinions }

// Deletions implements deletions.Provider; nil before Start.
func (e *storeExtension) Deletions() *deletions.Book { return e.deletions }

// Paces implements store.Sharing; nil before Start.
func (e *storeExtension) Paces() pace.Shared {
	if p, ok := e.control.(interface{ Paces() pace.Shared }); ok {
		return p.Paces()
	}
	return nil
}

// Process implements store.Sharing: a directory of DuckDB is one process's at a time.
func (e *storeExtension) Process() string { return e.process }

// processOf returns the name of this process.
func processOf(cfg *Config) string {
	machine, err := os.Hostname()
	directory, errDirectory := filepath.Abs(cfg.Directory)
	if cfg.Spans.duckDB() == nil || err != nil || errDirectory != nil {
		return uuid.NewString()
	}
	return machine + ":" + directory
}

// Problems implements store.Health.
func (e *storeExtension) Problems() []store.Problem { return e.health.Problems() }

// AskHealth implements store.HealthSources.
func (e *storeExtension) AskHealth(problems func() []store.Problem) (forget func()) {
	return e.health.ask(problems)
}

// Backups implements store.BackupProvider; nil before Start.
func (e *storeExtension) Backups() store.Backups { return e.backups }

// Ready is called when the pipelines are: from now on the health checks know how
// the stores are.
func (e *storeExtension) Ready() error {
	if e.looker == nil {
		e.looker = startPeriodic(healthInterval, e.health.look)
	}
	return nil
}

// NotReady is called before the pipelines stop: the service tells the health
// checks.
func (e *storeExtension) NotReady() error {
	e.health.end()
	return nil
}

// Start opens the stores, or none of them.
func (e *storeExtension) Start(ctx context.Context, host component.Host) error {
	begun := time.Now()
	at, said := "", []zap.Field{zap.String("spans", e.cfg.Spans.engine()), zap.String("control", e.cfg.Control.engine())}
	if e.cfg.local() {
		directory := e.cfg.Directory
		if absolute, err := filepath.Abs(directory); err == nil {
			directory = absolute // the working directory of a service is easily mistaken
		}
		at, said = fmt.Sprintf(" in %q", directory), append(said, zap.String("directory", directory))
	}
	if err := e.open(ctx); err != nil {
		return errors.Join(fmt.Errorf("open stores%s: %w", at, err), e.close())
	}
	e.health.find(host)
	e.findForgetful(host)
	e.listener = listen(e.control, e.backlog)
	e.rounds = []*periodic{
		startPeriodic(e.cfg.ExpireInterval, e.expire),
		startWoken(e.cfg.RefreshInterval, e.listener.wake, e.refresh),
		startPeriodic(noteInterval, e.note),
		startPeriodic(eraseInterval, e.eraseRound),
		startPeriodic(deleteInterval, e.deleteRound),
		startPeriodic(opinionInterval, e.storeOpinions),
	}
	if e.sweeper = newSweeper(e); e.sweeper != nil {
		e.rounds = append(e.rounds, startPeriodic(sweepInterval, e.sweeper.round))
	}
	e.log.Info("stores are open", append(said, zap.Duration("took", time.Since(begun)))...)
	return nil
}

// open begins with the spans: a directory that another process works in is left
// as it is.
func (e *storeExtension) open(ctx context.Context) (err error) {
	engine, err := e.openSpans(ctx, e.cfg, func(message string, err error) {
		e.log.Warn("span store: "+message, zap.Error(err))
	})
	if err != nil {
		return err
	}
	files := engine
	e.engine = engine // to be closed, whatever comes
	sizes, _ := engine.(store.Measurer)
	limits := e.cfg.Queries.limits()
	limits.Shared = e.cfg.Spans.duckDB() == nil
	e.queries = queries.New(engine, sizes, limits)
	e.usage = usage.New(engine, sizes, time.Now)
	if err := errors.Join(e.counts.watchQueries(e.queries), e.counts.watchQuotas(e.usage), e.counts.watchFiles(engine), e.counts.watchServer(engine)); err != nil {
		return err
	}
	if f, ok := engine.(filed); ok {
		e.health.damaged = f.DamagedPartitions
	}
	e.health.server, _ = engine.(server)
	engine = &noted{Engine: engine, writes: &e.health.writes, taken: &e.taken, queries: e.queries}
	if e.control, err = openControl(ctx, e.cfg); err != nil {
		return err
	}
	if e.health.file, err = watch(controlPath(e.cfg)); err != nil {
		return err
	}
	owed, err := openBacklog(ctx, e.cfg, engine, e.control)
	if err != nil {
		return err
	}
	e.engine, e.backlog = owed.Over(engine), owed
	e.backups = newBackups(e.cfg.backupDirectory(), files, e.cfg.Control.backedUp(e.control), e.log, e.counts)
	if e.cache, err = cache.New(ctx, e.control, cache.WithQuota(e.cfg.Quotas.quota())); err != nil {
		return err
	}
	if e.opinions, err = opinions.Open(ctx, e.engine, e.control, time.Now); err != nil {
		return err
	}
	e.deletions = deletions.New(e.engine, e.control, e.process, e.forgetAnswers, time.Now)
	return errors.Join(e.counts.watchOpinions(e.opinions), e.counts.watchDeletions(e.deletions))
}

// Shutdown closes what Start opened, in reverse.
func (e *storeExtension) Shutdown(ctx context.Context) error {
	if e.looker != nil {
		e.looker.stop()
		e.looker = nil
	}
	for _, k := range slices.Backward(e.rounds) {
		k.stop()
	}
	if e.listener != nil {
		e.listener.stop()
		e.listener = nil
	}
	if e.rounds != nil {
		e.note(ctx)
		e.rounds = nil
	}
	e.sweeper.end()
	open := e.engine != nil
	if err := e.close(); err != nil {
		return err
	}
	if open {
		e.log.Info("stores are closed")
	}
	return nil
}

func (e *storeExtension) close() error {
	var errs []error
	if e.backups != nil {
		e.backups.stop()
		e.backups = nil
	}
	errs = append(errs, e.counts.unwatch())
	if e.usage != nil {
		e.usage.Close()
	}
	if e.engine != nil {
		errs = append(errs, e.engine.Close())
	}
	if e.control != nil { // which may have the backlog of the engine
		errs = append(errs, e.control.Close())
	}
	e.engine, e.queries, e.usage, e.backlog, e.cache, e.control, e.opinions, e.deletions = nil, nil, nil, nil, nil, nil, nil, nil
	return errors.Join(errs...)
}

// expire is one round of giving back space.
func (e *storeExtension) expire(ctx context.Context) {
	now, ahead := e.clock.at(time.Now())
	if ahead > 0 {
		e.log.Warn("the clock was set forward; for an hour no file of spans is removed because of that", zap.Duration("by", ahead))
	}
	err := e.engine.Expire(ctx, now)
	if err != nil && ctx.Err() == nil {
		e.counts.expireFailures.Add(ctx, 1)
		e.log.Error("space of expired spans was not given back", zap.Error(err))
	}
}

// noteInterval is the time between two notes of which keys were used.
const noteInterval = time.Minute

// note is one round of telling the control store which keys were used.
func (e *storeExtension) note(ctx context.Context) {
	if err := e.cache.NoteUses(ctx); err != nil && ctx.Err() == nil {
		e.log.Warn("it was not noted which keys were used; the next round tries again", zap.Error(err))
	}
}

// refresh is one look at what other processes wrote. It happens too often to
// report each failure: the first one and the end of them are reported.
func (e *storeExtension) refresh(ctx context.Context) {
	late := time.AfterFunc(e.lateAfter, func() { e.health.control.Store(true) })
	err := e.cache.Refresh(ctx)
	late.Stop()
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		e.counts.refreshFailures.Add(ctx, 1)
	}
	switch behind := err != nil; {
	case behind && !e.behind:
		e.log.Error("keys and setups may be out of date", zap.Error(err))
	case e.behind && !behind:
		e.log.Info("keys and setups are up to date again")
	}
	e.behind = err != nil
	e.health.control.Store(e.behind)
}

// worthTelling reports whether a round of other work failed for something else than that
// the control store is away, which refresh tells of.
func (e *storeExtension) worthTelling(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (!fault.Is(err, fault.Unavailable) || !e.health.control.Load())
}
