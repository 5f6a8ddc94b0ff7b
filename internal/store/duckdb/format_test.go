// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	archives "archive/zip"
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var update = flag.Bool("update", false, "keep a store of the latest format in testdata, if there is none")

// keptStore is where a store of a format version is kept for good.
func keptStore(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("format-%d.zip", version))
}

// keptEnvs are those of a kept store, of two classes of retention.
func keptEnvs() [2]tenant.Environment {
	return [2]tenant.Environment{testEnv("prd", 720*time.Hour), testEnv("dev", 24*time.Hour)}
}

// keptRecords are the spans of a kept store: the first has something of
// everything, the second owes an evaluation, the third has little.
func keptRecords(now time.Time) []store.Record {
	envs := keptEnvs()
	list := []store.Record{numbered(envs[0], 1, now), numbered(envs[0], 2, now), numbered(envs[1], 3, now)}
	for i := range list {
		list[i].Span.Environment = list[i].Environment.Slug
	}
	s := &list[0].Span
	s.ParentSpanID, s.TraceState, s.Duration = span.ID{7}, "ot=th:8", 1_234_567
	s.Kind, s.ScopeName, s.ScopeVersion = "SPAN_KIND_CLIENT", "scope", "1.2"
	s.StatusCode, s.StatusMessage = "STATUS_CODE_ERROR", "timed out"
	s.Resource = span.NewAttributes([]span.Attribute{{Key: "service.name", Value: "shop"}, {Key: "host.name", Value: "a"}})
	s.Attributes = span.NewAttributes([]span.Attribute{{Key: span.AliasVendor, Value: "openai"}, {Key: "k", Value: "v"}, {Key: "input.value", Value: s.Input}})
	s.Prompts = span.Attributes{{Key: "llm.prompts.0.content", Value: "How far is the moon?"}}
	s.Completions = span.Attributes{{Key: "llm.completions.0.content", Value: "About 384,400 km."}}
	s.Output, s.Workflow, s.Entity = "out", "ask", "answer"
	s.Vendor, s.RequestModel, s.ResponseModel = "openai", "gpt-4o", "gpt-4o-2024-11-20"
	s.InputTokens, s.OutputTokens, s.TotalTokens = 5, 6, 11
	s.Type, s.Arrived, s.Flags = span.TypeLLM, now.UnixNano()+1, 0x301
	s.Links = []span.Link{{TraceID: s.TraceID.String(), SpanID: "0000000000000002", TraceState: "a=b", Flags: 1, Attributes: span.Attributes{{Key: "k", Value: "v"}}}}
	s.Events = []span.Event{{Name: "retry", Time: now.UnixNano(), Attributes: span.Attributes{{Key: "n", Value: "1"}}}}
	list[0].Evaluations = []eval.Evaluation{{
		SetupID: "s", Evaluator: "tone", Status: eval.Done, Backend: eval.Judge, Version: "2", Truncated: true,
		Usage: eval.Usage{PromptTokens: 5, CompletionTokens: 6, Cost: 0.5, Unpriced: true},
		Model: "gpt-4o-2024-11-20", Cached: true, Generation: 2, Probability: 0.25, Source: eval.FromTouchstone,
		Attempts: 3, Duration: 7, Time: now.UnixNano(),
		Outputs: []eval.Output{{Name: "tone", Value: "sad"}, {Name: "score", Value: 0.25}, {Name: "n", Value: int64(4)}, {Name: "ok", Value: true}},
		Grounds: eval.Grounds{Score: eval.Scored(0.25), Reason: "it says so", Evidence: []eval.Evidence{{Input: "text", Start: 1, End: 5}}},
	}, {SetupID: "s", Evaluator: "fast", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: now.UnixNano() + 1}}
	list[1].Evaluations = []eval.Evaluation{{
		SetupID: "s", Evaluator: "tone", Status: eval.Deferred, Reason: eval.ReasonModel, Time: now.UnixNano(), Due: now.UnixNano() + 1,
	}}
	return list
}

// keep writes a store of the latest format into testdata.
func keep(t *testing.T, path string) {
	t.Helper()
	cfg := Config{Dir: t.TempDir(), Now: newClock().now}
	db := open(t, cfg)
	require.NoError(t, storetest.Write(t.Context(), db, keptRecords(cfg.Now())))
	require.NoError(t, storetest.WriteMessages(t.Context(), db, []store.Messages{{
		Environment: keptEnvs()[1], TraceID: keyOf(3).TraceID, SpanID: keyOf(3).SpanID, Time: 1,
		Prompts: span.Attributes{{Key: "llm.prompts.0.content", Value: "hello"}},
	}}))
	require.NoError(t, db.Close())
	var b bytes.Buffer
	w := archives.NewWriter(&b)
	require.NoError(t, w.AddFS(os.DirFS(cfg.Dir)))
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
}

// unpack returns a copy of a kept store.
func unpack(t *testing.T, version int) string {
	t.Helper()
	archive, err := archives.OpenReader(keptStore(version))
	require.NoError(t, err, "a format without a store: run this test with -update, and keep the file")
	defer archive.Close()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, archive))
	return dir
}

// requireKept expects what keptRecords gave of a store of a version, and that it can be
// used.
func requireKept(t *testing.T, cfg Config, version int) {
	t.Helper()
	db := open(t, cfg)
	want := keptRecords(newClock().now())
	if version < 4 {
		want[0].Evaluations[0].Grounds = eval.Grounds{}
	}
	want[2].Span.Prompts = span.Attributes{{Key: "llm.prompts.0.content", Value: "hello"}}
	for _, r := range want {
		got, err := db.Get(t.Context(), r.Environment, []span.Key{{TraceID: r.Span.TraceID, SpanID: r.Span.SpanID}}, 0)
		require.NoError(t, err)
		require.Len(t, got, 1)
		for _, e := range r.Evaluations {
			for _, o := range e.Outputs {
				r.Span.Attributes = r.Span.Attributes.With(tenant.EvaluationPrefix+e.Evaluator+"."+o.Name, o.Text())
			}
		}
		require.Equal(t, r.Span, got[0])
		require.Equal(t, r.Evaluations, evaluationsOf(t, db, r.Environment, r))
	}
	owed, err := db.Owed(t.Context(), "", store.Due{}, 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, owed.Evaluations)
	env := keptEnvs()[0]
	more := numbered(env, 9, newClock().now())
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{more}))
	require.Len(t, stored(t, db, env), 3)
	require.NoError(t, db.Close())
}

// columnsOf lists the columns of a partition's tables, with their types.
func columnsOf(t *testing.T, path string) (list []string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "ATTACH "+sqltext.Quoted(path)+" AS p (READ_ONLY)")
	require.NoError(t, err)
	rows, err := db.QueryContext(t.Context(), "SELECT table_name || '.' || column_name || ' ' || data_type "+
		"FROM duckdb_columns() WHERE database_name = 'p' ORDER BY table_name, column_index")
	require.NoError(t, err)
	defer rows.Close() // Err says it
	for rows.Next() {
		var column string
		require.NoError(t, rows.Scan(&column))
		list = append(list, column)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, db.Close())
	return list
}

// partitionFiles lists the files of the partitions of a store, the oldest first.
func partitionFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, instance.PartitionDir, "*.duckdb"))
	require.NoError(t, err)
	serial := func(path string) string { return path[strings.LastIndex(path, "-"):] }
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(serial(a), serial(b)) })
	return files
}

// A store of each format that a release made opens with this one, keeps what it
// has, and gets the columns of a new one.
func TestEachFormatIsKeptAndOpens(t *testing.T) {
	t.Parallel()
	latest := len(tables.KnownFormats())
	if _, err := os.Stat(keptStore(latest)); *update && os.IsNotExist(err) {
		keep(t, keptStore(latest))
	}
	fresh := Config{Dir: t.TempDir()}
	db := open(t, fresh)
	require.NoError(t, storetest.Write(t.Context(), db, keptRecords(time.Now())))
	require.NoError(t, db.Close())
	for version := 1; version <= latest; version++ {
		cfg := Config{Dir: unpack(t, version), Now: newClock().now}
		requireKept(t, cfg, version)
		for _, path := range partitionFiles(t, cfg.Dir) {
			require.Equal(t, columnsOf(t, partitionFiles(t, fresh.Dir)[0]), columnsOf(t, path), version)
		}
	}
}

func TestUnknownFormatsAreRefused(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, statement, says string }{
		{"newer", "UPDATE p.format SET version = 9999", fmt.Sprintf(
			"has format 9999, which a newer release of Touchstone wrote, and this one knows formats up to %d: start the newer release, or give the store another directory",
			len(tables.KnownFormats()))},
		{"none", "DROP TABLE p.format", "has tables and no format version, so no release of Touchstone wrote it: move it elsewhere, or give the store another directory"},
		{"empty", "DELETE FROM p.format", "has tables and no format version"},
		{"zero", "UPDATE p.format SET version = 0", "has tables and no format version"},
		{"negative", "UPDATE p.format SET version = -1", "has tables and no format version"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, 1)
			files := partitionFiles(t, dir)
			last := files[len(files)-1]
			db, err := sql.Open("duckdb", "")
			require.NoError(t, err)
			db.SetMaxOpenConns(1)
			_, err = db.ExecContext(t.Context(), "ATTACH "+sqltext.Quoted(last)+" AS p; "+x.statement)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			before := map[string][]byte{}
			for _, path := range files {
				before[path], err = os.ReadFile(path)
				require.NoError(t, err)
			}
			_, err = Open(t.Context(), Config{Dir: dir, formats: append(tables.KnownFormats(), "CREATE TABLE more (id INTEGER)")})
			require.ErrorContains(t, err, last+" has ")
			if x.name != "newer" {
				require.ErrorContains(t, err, x.says)
			}
			_, err = Open(t.Context(), Config{Dir: dir})
			require.ErrorContains(t, err, "open span store: "+last+" "+x.says)
			for _, path := range files {
				after, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, before[path], after, "no file is changed before all are known")
			}
		})
	}
}

// A file that was being made when the process was killed has no tables yet.
func TestAFileWithoutTablesIsMade(t *testing.T) {
	t.Parallel()
	dir := unpack(t, 1)
	path := filepath.Join(dir, instance.PartitionDir, "0720h-20251121T000000Z-000009.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE x (id INTEGER); DROP TABLE x; CHECKPOINT")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	requireKept(t, Config{Dir: dir, Now: newClock().now}, 1)
	require.Contains(t, columnsOf(t, path), "format.version INTEGER")
}
