// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// found returns which of the texts are in any file below a directory, in which nobody makes
// or removes files meanwhile.
func found(t *testing.T, dir string, texts []string) []string {
	t.Helper()
	var list []string
	seen := map[string]bool{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, text := range texts {
			if !seen[text] && bytes.Contains(b, []byte(text)) {
				seen[text] = true
				list = append(list, text)
			}
		}
		return err
	}))
	return list
}

// marked is a writer of spans that have a text of its own in every place.
type marked struct {
	env    tenant.Environment
	prefix string
}

// places are where a text of a span may be.
var places = []string{
	"name", "service", "scope", "scopeversion", "status", "state", "workflow", "entity", "vendor", "request", "response",
	"input", "output", "attribute", "attributekey", "resource", "resourcekey", "prompt", "promptkey", "completion", "completionkey",
	"event", "eventattribute", "link", "type", "kind",
	"setup", "evaluator", "reason", "outputname", "outputvalue", "version", "model", "source", "loggedprompt", "loggedkey", "loggedcompletion",
}

func (m marked) text(place string) string { return m.prefix + "-" + place + "-text" }

func (m marked) texts() []string {
	list := []string{string(m.env.ID)}
	for _, p := range places {
		list = append(list, m.text(p))
	}
	return list
}

func (m marked) batch(n int, start time.Time) store.Batch {
	x := m.text
	one := func(key, value string) span.Attributes {
		return span.NewAttributes([]span.Attribute{{Key: key, Value: value}})
	}
	r := numbered(m.env, n, start)
	s := &r.Span
	s.Name, s.Service, s.ScopeName, s.ScopeVersion, s.StatusMessage, s.TraceState = x("name"), x("service"), x("scope"), x("scopeversion"), x("status"), x("state")
	s.Workflow, s.Entity, s.Vendor, s.RequestModel, s.ResponseModel = x("workflow"), x("entity"), x("vendor"), x("request"), x("response")
	s.Input, s.Output, s.Kind, s.Type = x("input"), x("output"), x("kind"), x("type")
	s.Attributes, s.Resource = one(x("attributekey"), x("attribute")), one(x("resourcekey"), x("resource"))
	s.Prompts, s.Completions = one(x("promptkey"), x("prompt")), one(x("completionkey"), x("completion"))
	s.Events = []span.Event{{Name: x("event"), Attributes: one("k", x("eventattribute"))}}
	s.Links = []span.Link{{TraceState: x("link")}}
	done := eval.Evaluation{
		SetupID: x("setup"), Evaluator: x("evaluator"), Status: eval.Done, Version: x("version"), Model: x("model"),
		Source: eval.EvaluationSource(x("source")), Outputs: []eval.Output{{Name: x("outputname"), Value: x("outputvalue")}}, Usage: eval.Usage{Cost: 0.5},
	}
	owed := eval.Evaluation{SetupID: x("setup"), Evaluator: "owed", Status: eval.Deferred, Reason: x("reason"), Time: start.UnixNano(), Due: start.UnixNano()}
	r.Evaluations = []eval.Evaluation{done, owed}
	return store.Batch{Records: []store.Record{r}, Messages: []store.Messages{{
		Environment: m.env, TraceID: s.TraceID, SpanID: span.ID{9, byte(n >> 8), byte(n)}, Time: s.Start,
		Prompts: one(x("loggedkey"), x("loggedprompt")), Completions: one("c", x("loggedcompletion")),
	}}}
}

// totals are figures of all that is there of an environment.
func totals(t *testing.T, db *DB, env tenant.Environment) map[query.Subject][]query.Group {
	t.Helper()
	all := map[query.Subject][]query.Group{}
	for _, of := range []query.Subject{query.Spans, query.Evaluations} {
		a := query.Aggregate{Subject: of, From: -1 << 63, To: 1<<63 - 1, Figures: []query.Figure{{Measure: query.Count}}}
		if of == query.Evaluations {
			a.By = []query.Field{query.Record(query.RecordEvaluator), query.Record(query.RecordStatus)}
			a.Figures = append(a.Figures, query.Figure{Measure: query.Sum, Of: query.Record(query.RecordCost)})
		}
		groups, err := db.Aggregate(t.Context(), env, a)
		require.NoError(t, err)
		all[of] = groups
	}
	return all
}

// Texts of two environments are in every place of files of two classes, closed
// ones and such that take in spans, and in their logs; one of them is dropped
// while the other is written to and read.
func TestNothingOfADroppedEnvironmentIsInTheFiles(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := t.TempDir()
	db := open(t, Config{
		Dir: dir, Now: clk.now, PartitionRows: 50, CheckpointBytes: 256 << 10, WindowKeys: 100, fileIdle: time.Hour,
		Report: func(message string, err error) { t.Errorf("%s: %v", message, err) },
	})
	gone := []marked{{testEnv("GONEDAY", label.DayClass), "GONE"}, {testEnv("GONEMONTH", label.MonthClass), "GONE"}}
	kept := []marked{{testEnv("KEPTDAY", label.DayClass), "KEPT"}, {testEnv("KEPTMONTH", label.MonthClass), "KEPT"}}
	alone := marked{testEnv("GONEALONE", label.WeekClass), "GONEALONE"} // has its files for itself
	for n := range 40 {
		var all store.Batch
		for _, m := range append(append([]marked{alone}, gone...), kept...) {
			b := m.batch(n, clk.now())
			all.Records, all.Messages = append(all.Records, b.Records...), append(all.Messages, b.Messages...)
		}
		_, err := db.Write(t.Context(), all)
		require.NoError(t, err)
	}
	texts := append(append(gone[0].texts(), string(gone[1].env.ID)), alone.texts()...)
	stay := append(kept[0].texts(), string(kept[1].env.ID))
	db.awaitIdle(t)
	require.Subset(t, found(t, dir, texts), texts, "the search finds what is there")
	before := []map[query.Subject][]query.Group{totals(t, db, kept[0].env), totals(t, db, kept[1].env)}

	busy := marked{testEnv("BUSY", label.DayClass), "BUSY"}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var written atomic.Int64
	wg.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			if _, err := db.Write(context.WithoutCancel(ctx), busy.batch(n, clk.now())); err != nil {
				t.Errorf("write: %v", err)
				return
			}
			if _, err := db.Search(context.WithoutCancel(ctx), kept[0].env, query.Query{From: 0, To: 1<<63 - 1, Limit: 1, Order: query.Order{By: query.SortTimestamp}}); err != nil {
				t.Errorf("search: %v", err)
				return
			}
			written.Add(1)
		}
	})
	for _, m := range append(gone, alone) {
		require.NoError(t, db.Delete(t.Context(), m.env.ID, store.Part{Everything: true}))
	}
	require.Eventually(t, func() bool { return written.Load() > 0 }, time.Minute, time.Millisecond)
	stop()
	wg.Wait()
	db.awaitIdle(t)
	require.Empty(t, found(t, dir, texts))
	require.ElementsMatch(t, stay, found(t, dir, stay))
	require.Equal(t, before[0], totals(t, db, kept[0].env))
	require.Equal(t, before[1], totals(t, db, kept[1].env))
	require.Len(t, stored(t, db, busy.env), int(written.Load()))
	require.NoError(t, db.Close())
	require.Empty(t, found(t, dir, texts))
	db = open(t, Config{Dir: dir, Now: clk.now})
	require.Equal(t, before[0], totals(t, db, kept[0].env))
	require.Equal(t, before[1], totals(t, db, kept[1].env))
}

// A file that somebody writes to while it is copied is copied again, and what was
// written is there.
func TestAFileThatChangesIsCopiedAgain(t *testing.T) {
	t.Parallel()
	clk := newClock()
	gone, kept := testEnv("gone", label.DayClass), testEnv("kept", label.DayClass)
	var db *DB
	var copies atomic.Int64
	step := func(name string) {
		if n := copies.Add(1); name == partitions.StepCopied && n < dropTries {
			changed := store.Evaluated{Environment: kept.ID, Span: keyOf(int(n)), Evaluations: []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Failed, Reason: "late"}}}
			changed.Span.Start = clk.now().UnixNano()
			_, err := db.Write(context.Background(), store.Batch{Evaluations: []store.Evaluated{changed}})
			if err != nil {
				t.Errorf("write: %v", err)
			}
		}
	}
	db = open(t, Config{Dir: t.TempDir(), Now: clk.now, faults: instance.Faults{Step: step}})
	for n := range 10 {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(gone, n, clk.now()), numbered(kept, n, clk.now())}))
	}
	require.NoError(t, db.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
	require.GreaterOrEqual(t, copies.Load(), int64(dropTries))
	require.Empty(t, stored(t, db, gone))
	require.Len(t, stored(t, db, kept), 10)
	for n := 1; n < dropTries; n++ {
		list := evaluationsOf(t, db, kept, numbered(kept, n, clk.now()))
		require.Len(t, list, 1)
		require.Equal(t, eval.Failed, list[0].Status)
	}
}

func TestADiskWithoutRoomForACopyRefusesIt(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now})
	gone, kept := testEnv("gone", label.DayClass), testEnv("kept", label.DayClass)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(gone, 1, clk.now()), numbered(kept, 1, clk.now())}))
	db.cfg.MinFreeBytes = 1 << 60
	err := db.Delete(t.Context(), gone.ID, store.Part{Everything: true})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Len(t, stored(t, db, gone), 1)
	db.cfg.MinFreeBytes = -1
	require.NoError(t, db.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
	require.Empty(t, stored(t, db, gone))
	require.Len(t, stored(t, db, kept), 1)
}

// killedAt opens a store, does something with it and is killed at the step that the
// environment variable names.
func killedAt(do func(db *DB) error) func(dir string) error {
	return func(dir string) error {
		at := os.Getenv(childStep)
		db, err := Open(context.Background(), Config{Dir: dir, Now: newClock().now, MinFreeBytes: -1, PartitionRows: 100, faults: instance.Faults{Step: func(name string) {
			if name == at {
				p, _ := os.FindProcess(os.Getpid())
				_ = p.Kill()
				select {}
			}
		}}})
		if err != nil {
			return err
		}
		fmt.Println("open")
		return do(db)
	}
}

// childDropper drops an environment.
var childDropper = killedAt(func(db *DB) error {
	return db.Delete(context.Background(), testEnv("gone", label.DayClass).ID, store.Part{Everything: true})
})

const childStep = "TOUCHSTONE_TEST_STEP"

// TestKilledWhileDropping kills a process at each step of dropping, and expects
// all that is to be kept, once, and that the work can be taken up again.
func TestKilledWhileDropping(t *testing.T) {
	t.Parallel()
	for _, step := range []string{partitions.StepCopied, partitions.StepDetached, partitions.StepRenamed, partitions.StepAttached} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clk := newClock()
			gone, kept := testEnv("gone", label.DayClass), testEnv("kept", label.DayClass)
			db := open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 100})
			for n := range 150 {
				require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(gone, n, clk.now()), owing(kept, n, clk.now(), clk.now())}))
			}
			require.NoError(t, db.Close())
			c := start(t, "dropper", dir, func(c *exec.Cmd) { c.Env = append(c.Env, childStep+"="+step) })
			c.expect(t, "open")
			require.False(t, c.out.Scan(), "it is killed")
			require.Error(t, c.Wait())

			db = open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 100})
			left, err := filepath.Glob(filepath.Join(dir, instance.PartitionDir, "*.copy*"))
			require.NoError(t, err)
			require.Empty(t, left)
			require.Len(t, stored(t, db, kept), 150)
			require.NotEmpty(t, stored(t, db, gone), "one file was done at most")
			require.NoError(t, db.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
			require.Empty(t, stored(t, db, gone))
			require.Len(t, stored(t, db, kept), 150)
			require.EqualValues(t, 300, backlogOf(t, db).stats().Evaluations)
		})
	}
}
