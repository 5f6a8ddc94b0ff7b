// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// healthInterval is the time between two looks at the stores.
	healthInterval = 2 * time.Second
	// writeMemory is how long a write that failed counts if none comes after it.
	writeMemory = 10 * time.Second
)

// health looks whether the stores can work, and tells the health checks.
type health struct {
	directory string // "" if nothing is kept in one
	minFree   int64  // bytes, below which spans are refused; 0 is no bound
	server    server // that keeps the spans, nil if none does
	log       *zap.Logger
	writes    writes
	control   atomic.Bool // cannot be read
	file      watched     // of the control store
	damaged   func() int  // number of damaged files that were moved away, nil if the engine has none
	problems  atomic.Pointer[[]store.Problem]

	mu     sync.Mutex                              // guards all below
	asked  []*func() []store.Problem               // what others have to tell
	checks []extensioncapabilities.PipelineWatcher // health_check extensions
	told   bool                                    // that the process is not ready
	over   bool                                    // the process stops: the service tells them
}

// server is an engine that is asked whether it is there.
type server interface {
	Ping(ctx context.Context) error
}

// pingTimeout is how long a server may take to answer that.
const pingTimeout = 5 * time.Second

func newHealth(cfg *Config, log *zap.Logger) *health {
	h := &health{log: log}
	if cfg.local() {
		h.directory = cfg.Directory
	}
	if d := cfg.Spans.duckDB(); d != nil {
		h.minFree = d.MinFreeMiB * mib
	}
	return h
}

// writes remembers how the last write of spans ended.
type writes struct {
	mu     sync.Mutex
	failed error // nil if it succeeded
	at     time.Time
}

// note takes the result of a write. What is wrong with a request says nothing of
// the store.
func (w *writes) note(err error) {
	if err != nil && (fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed, w.at = err, time.Now()
}

// trouble is the error of the last write, for a while.
func (w *writes) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil || time.Since(w.at) > writeMemory {
		return nil
	}
	return w.failed
}

// noted is a span store whose writes are noted.
type noted struct {
	store.Engine
	writes  *writes
	taken   *taken
	queries *queries.Queries
}

func (n *noted) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	n.noteSenders(&b)
	written, err := n.Engine.Write(ctx, b)
	n.taken.note(&b, err)
	if len(b.Records) > 0 {
		n.writes.note(err)
	}
	return written, err
}

// noteSenders tells who limits queries whose spans and messages come. Evaluations of
// stored spans are the work of this process.
func (n *noted) noteSenders(b *store.Batch) {
	var last tenant.EnvironmentID
	note := func(env tenant.EnvironmentID) {
		if env != last {
			n.queries.Sent(env)
		}
		last = env
	}
	for i := range b.Records {
		note(b.Records[i].Environment.ID)
	}
	for i := range b.Messages {
		note(b.Messages[i].Environment.ID)
	}
}

// Problems implements store.Health.
func (h *health) Problems() []store.Problem {
	if found := h.problems.Load(); found != nil {
		return *found
	}
	return nil
}

// find finds the health checks of the process, which hear of what stands in the
// way as they hear of pipelines.
func (h *health) find(host component.Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks, h.told, h.over = nil, false, false
	for id, ext := range host.GetExtensions() {
		if watcher, ok := ext.(extensioncapabilities.PipelineWatcher); ok && id.Type().String() == "health_check" {
			h.checks = append(h.checks, watcher)
		}
	}
}

// writing begins the message of a problem of writing, as it does errors of engines.
const writing = "write spans: "

// look is one look at the stores.
func (h *health) look(ctx context.Context) {
	var found []store.Problem
	if message := h.writable(ctx); message != "" {
		found = append(found, store.Problem{Name: store.ProblemWrite, Message: writing + strings.TrimPrefix(message, writing)})
	}
	if h.control.Load() {
		found = append(found, store.Problem{Name: store.ProblemControl, Message: "keys and setups may be out of date: the control store cannot be read"})
	}
	if h.file.gone() {
		found = append(found, store.Problem{Name: store.ProblemControl, Message: "keys and setups are written to a file that was removed or exchanged: restore it from a backup and restart, or they are lost"})
	}
	if message := h.missing(); message != "" {
		found = append(found, store.Problem{Name: store.ProblemDamage, Message: message})
	}
	found = append(found, h.others()...)
	stopped := slices.ContainsFunc(found, store.Problem.Stops)
	before := h.Problems()
	h.problems.Store(&found)
	if !slices.Equal(before, found) {
		for _, p := range found {
			what := "degraded"
			if p.Stops() {
				what = "not ready"
			}
			h.log.Error(what, zap.String("problem", p.Name), zap.String("message", p.Message))
		}
		if slices.ContainsFunc(before, store.Problem.Stops) && !stopped {
			h.log.Info("ready again")
		}
	}
	h.tell(stopped)
}

// ask has the problems of a component asked for at each look, until forget is called.
func (h *health) ask(problems func() []store.Problem) (forget func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mine := &problems
	h.asked = append(h.asked, mine)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked = slices.DeleteFunc(h.asked, func(x *func() []store.Problem) bool { return x == mine })
	}
}

// others returns what others have to tell.
func (h *health) others() (found []store.Problem) {
	h.mu.Lock()
	asked := slices.Clone(h.asked)
	h.mu.Unlock()
	for _, problems := range asked {
		found = append(found, (*problems)()...)
	}
	return found
}

// missing says that spans are missing because files were damaged, "" if none were.
func (h *health) missing() string {
	if h.damaged == nil {
		return ""
	}
	switch n := h.damaged(); n {
	case 0:
		return ""
	case 1:
		return "a damaged file of spans was moved away: its spans are missing"
	default:
		return strconv.Itoa(n) + " damaged files of spans were moved away: their spans are missing"
	}
}

// writable says why nothing can be stored, "" if it can: the server does not answer,
// the last write failed, or a small file cannot be written to the data directory.
func (h *health) writable(ctx context.Context) string {
	if h.server != nil {
		ctx, cancel := context.WithTimeout(ctx, pingTimeout)
		defer cancel()
		if err := h.server.Ping(ctx); err != nil {
			return inWords(err)
		}
	}
	if h.directory != "" { // first, since it says why writes fail
		if free, err := duckdb.FreeBytes(h.directory); err == nil && free < h.minFree {
			return fmt.Sprintf("the disk of the store is full: less than %d MiB of it are free (min_free_mib)", h.minFree/mib)
		}
	}
	if err := h.writes.trouble(); err != nil {
		return inWords(err)
	}
	if h.directory == "" {
		return ""
	}
	return because(probe(h.directory))
}

// inWords says what everybody may know of an error of the store.
func inWords(err error) string {
	if fault.Is(err, fault.Unavailable) {
		return fault.Message(err)
	}
	return "the store fails"
}

// because says in plain words why a file could not be written.
func because(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full"
	case errors.Is(err, syscall.EROFS):
		return "the disk is read-only"
	case errors.Is(err, os.ErrPermission):
		return "the directory must not be written to"
	case errors.Is(err, os.ErrNotExist):
		return "the directory is gone"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "no file descriptors are left"
	default:
		return "the disk does not answer"
	}
}

// probe writes a small file and removes it.
func probe(directory string) error {
	f, err := os.CreateTemp(directory, ".health-*")
	if err != nil {
		return err
	}
	name := f.Name()
	_, err = f.WriteString("health")
	return errors.Join(err, f.Close(), os.Remove(filepath.Clean(name)))
}

// tell tells the health checks whether the process is ready, if that changed.
func (h *health) tell(trouble bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over || h.told == trouble {
		return
	}
	h.told = trouble
	for _, check := range h.checks {
		change := check.Ready
		if trouble {
			change = check.NotReady
		}
		if err := change(); err != nil {
			h.log.Warn("failed to notify health_check extension", zap.Error(err))
		}
	}
}

// end leaves the health checks to the service.
func (h *health) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}
