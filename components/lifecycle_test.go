// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// watch sees the statuses that setups have, as another process on the control
// store would: some last too short to be seen, but each has its revision.
type watch struct {
	mu   sync.Mutex
	seen map[string][]sighting // by external id
}

type sighting struct {
	status   string
	revision int64
}

func newWatch(t *testing.T, dir string) *watch {
	t.Helper()
	control, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(dir, "control.db")})
	require.NoError(t, err)
	w := &watch{seen: map[string][]sighting{}}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		pace := time.NewTicker(2 * time.Millisecond)
		defer pace.Stop()
		for ctx.Err() == nil {
			<-pace.C
			if all, err := store.Setups(control).Filter(ctx, store.DocumentFilter{}); err == nil {
				w.note(all)
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		watching.Wait()
		require.NoError(t, control.Close())
	})
	return w
}

func (w *watch) note(all []monitor.Setup) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range all {
		s := &all[i]
		list := w.seen[s.ExternalID]
		if len(list) == 0 || list[len(list)-1].revision != s.Revision {
			w.seen[s.ExternalID] = append(list, sighting{string(s.Status), s.Revision})
		}
	}
}

// walked returns what was seen of a setup until it was in this revision.
func (w *watch) walked(t *testing.T, externalID string, until int64) (list []sighting) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		list = slices.Clone(w.seen[externalID])
		return len(list) > 0 && list[len(list)-1].revision >= until
	}, patience, time.Millisecond)
	return list
}

// requireWalk holds what was seen of a setup against the statuses that it had
// one after another, from its first revision on.
func (w *watch) requireWalk(t *testing.T, externalID string, statuses ...string) {
	t.Helper()
	for _, s := range w.walked(t, externalID, int64(len(statuses))) {
		require.LessOrEqual(t, s.revision, int64(len(statuses)), "%s: %s", externalID, s.status)
		require.Equal(t, statuses[s.revision-1], s.status, "%s: revision %d", externalID, s.revision)
	}
}

func ofSystem(trace byte, system string) ptrace.Traces {
	td := someTraces(trace, 1)
	firstSpan(td).Attributes().PutStr("gen_ai.system", system)
	return td
}

func TestSetupWalksEveryState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := startJudgedCollector(t, dir, nil) // without a judge
	w := newWatch(t, dir)
	key := h.key(t, "ours")
	openai := []map[string]any{rule("gen_ai.system", "openai")}
	h.setup(t, key, "local", []string{"char-count"}, openai)
	h.setup(t, key, "mixed", []string{"char-count", judged}, openai)
	h.setup(t, key, "judged", []string{judged}, openai)
	h.setup(t, key, "gone", []string{"char-count"}, openai)
	for _, name := range []string{"local", "mixed", "gone"} {
		h.awaitStatus(t, key, name, "waiting_for_spans")
	}
	h.awaitStatus(t, key, "judged", "failed")
	require.Contains(t, h.progress(t, key, "judged").Evaluators[0].ErrorMessage, "judge")
	w.requireWalk(t, "gone", "pending", "in_progress", "waiting_for_spans")
	code, _ := h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/gone", key, nil)
	require.Equal(t, http.StatusNoContent, code)

	require.NoError(t, h.exportGRPC(t, key, ofSystem(1, "anthropic"))) // whose result is not awaited
	require.NoError(t, h.exportGRPC(t, key, ofSystem(2, "openai")))
	h.awaitStatus(t, key, "local", "completed")
	partial := h.awaitStatus(t, key, "mixed", "partial")
	require.Equal(t, "completed", partial.Evaluators[0].Status)
	require.Equal(t, "failed", partial.Evaluators[1].Status)

	put := must[shownSetup](t, h, http.MethodPut, "/v2/auto-monitor-setups/local", key, map[string]any{
		"selector": []map[string]any{rule("gen_ai.system", "mistral")},
	})
	require.Equal(t, "pending", put.Status)
	h.awaitStatus(t, key, "local", "waiting_for_spans")
	require.NoError(t, h.exportGRPC(t, key, ofSystem(3, "mistral")))
	h.awaitStatus(t, key, "local", "completed")

	round := []string{"pending", "in_progress", "waiting_for_spans", "completed"}
	w.requireWalk(t, "local", slices.Concat(round, round)...)
	w.requireWalk(t, "mixed", "pending", "in_progress", "waiting_for_spans", "partial")
	w.requireWalk(t, "judged", "pending", "in_progress", "failed")
	h.stop()

	// With a judge, what failed for want of one is checked again, in one step.
	h = startJudgedCollector(t, dir, startJudge(t))
	h.awaitStatus(t, key, "judged", "waiting_for_spans")
	h.awaitStatus(t, key, "mixed", "waiting_for_spans")
	require.NoError(t, h.exportGRPC(t, key, ofSystem(4, "openai")))
	h.awaitStatus(t, key, "judged", "completed")
	h.awaitStatus(t, key, "mixed", "completed")
	w.requireWalk(t, "judged", "pending", "in_progress", "failed", "waiting_for_spans", "completed")
	w.requireWalk(t, "mixed", "pending", "in_progress", "waiting_for_spans", "partial", "waiting_for_spans", "completed")
}

// moves are those that a status may make.
var moves = map[string][]string{
	"pending":           {"in_progress", "pending"}, // a setup may change before it was looked at
	"in_progress":       {"waiting_for_spans", "pending"},
	"waiting_for_spans": {"completed", "pending"},
	"completed":         {"pending"},
}

// reached are the statuses that so many moves may lead to.
func reached(from string, steps int64) []string {
	at := []string{from}
	for range steps {
		var next []string
		for _, status := range at {
			next = append(next, moves[status]...)
		}
		slices.Sort(next)
		at = slices.Compact(next)
	}
	return at
}

// Several processes move the same setups while users change them: each move is
// made once, and the last change is what counts in the end.
func TestRacingProcessesMoveSetupsOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := startJudgedCollector(t, dir, nil)
	w := newWatch(t, dir)
	key := h.key(t, "ours")
	ctx, cancel := context.WithCancel(t.Context())
	var rivals sync.WaitGroup
	defer rivals.Wait()
	defer cancel()
	for range 2 {
		control, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(dir, "control.db")})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, control.Close()) })
		rivals.Go(func() {
			pace := time.NewTicker(2 * time.Millisecond) // there is to be time for the others
			defer pace.Stop()
			for ctx.Err() == nil {
				<-pace.C
				if err := moveAll(ctx, control); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const setups, changes = 4, 5
	t.Run("users", func(t *testing.T) {
		for i := range setups {
			name := fmt.Sprintf("m%d", i)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h.setup(t, key, name, []string{"char-count"}, []map[string]any{rule("change", "none")})
				for change := range changes {
					must[shownSetup](t, h, http.MethodPut, "/v2/auto-monitor-setups/"+name, key, map[string]any{
						"selector": []map[string]any{rule("change", fmt.Sprint(i, change))},
					})
					td := someTraces(byte(10*i+change), 1)
					firstSpan(td).Attributes().PutStr("change", fmt.Sprint(i, change))
					require.NoError(t, h.exportGRPC(t, key, td))
				}
			})
		}
	})
	for i := range setups {
		name := fmt.Sprintf("m%d", i)
		h.awaitStatus(t, key, name, "completed")
		walked := w.walked(t, name, 1)
		at := sighting{"pending", 1} // as it was made
		for _, next := range walked {
			require.Contains(t, reached(at.status, next.revision-at.revision), next.status, "%v", walked)
			at = next
		}
		require.LessOrEqual(t, at.revision, int64(4*(changes+1)), "a change and three moves each")
	}
	// However long another process's change took to be known here, no span that
	// came after it was missed: each was sent after the answer to its change.
	require.EqualValues(t, setups*changes, h.page(t, key, "filters",
		filters(t, map[string]any{"id": "evaluation.char-count.char_count", "operator": "exists"})).Spans.TotalResults)
}

// moveAll is what another process does during its traffic.
func moveAll(ctx context.Context, control store.Control) error {
	all, err := store.Setups(control).Filter(ctx, store.DocumentFilter{})
	if err != nil {
		return err
	}
	for _, s := range all {
		now := time.Now().UTC()
		next, moved := s.TakenUp(now)
		if !moved {
			next, moved = s.Checked(now, func(*monitor.SetupEvaluator) string { return "" })
		}
		if !moved {
			continue
		}
		if _, err := store.Setups(control).Replace(ctx, next); err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// oneAtATime has the judge asked about one span at a time.
const oneAtATime = "receivers::backlog: {workers: 1, batch: 1}"

func TestPutInMidFlight(t *testing.T) {
	t.Parallel()
	j, h, key := startJudged(t, []string{judged, "char-count"}, oneAtATime)
	j.hold(0)
	const spans = 5
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans)))
	j.awaitWaiting(t, 1)
	put := must[shownSetup](t, h, http.MethodPut, "/v2/auto-monitor-setups/m", key, map[string]any{"evaluators": []string{"word-count"}})
	require.Equal(t, "pending", put.Status)
	j.goOn()
	h.requireOthersDeleted(t, j, key, spans)

	h.awaitStatus(t, key, "m", "waiting_for_spans")
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(spans, 1)))
	h.awaitStatus(t, key, "m", "completed")
	list := h.records(t, key, spans)
	require.Len(t, list, 1)
	require.Equal(t, "word-count", list[0].Evaluator)
}

func TestDeleteInMidFlight(t *testing.T) {
	t.Parallel()
	j, h, key := startJudged(t, []string{judged}, oneAtATime)
	j.hold(0)
	const spans = 5
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans)))
	j.awaitWaiting(t, 1)
	code, _ := h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/m", key, nil)
	require.Equal(t, http.StatusNoContent, code)
	j.goOn()
	h.requireOthersDeleted(t, j, key, spans)
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(spans, 1)))
	require.Empty(t, h.records(t, key, spans))
	require.Empty(t, h.awaitMonitoring(t, key, "OK").Reasons)
}

// requireOthersDeleted waits until nothing is pending: what the judge was being
// asked is done, and of the rest it says that no setup asks for it any more.
func (h *collector) requireOthersDeleted(t *testing.T, j *judge, key string, spans int) {
	t.Helper()
	var done, deleted int
	require.Eventually(t, func() bool {
		done, deleted = 0, 0
		for n := range spans {
			for _, e := range h.records(t, key, n) {
				switch {
				case e.Evaluator != judged:
				case e.Status == "done":
					done++
				case e.Status == "skipped" && e.Reason == "deleted":
					deleted++
				}
			}
		}
		return done+deleted == spans
	}, patience, 10*time.Millisecond)
	require.Equal(t, 1, done)
	require.Len(t, j.asked(), 1)
}
