// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/move"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// household are what the API says of an environment.
type household struct {
	spans       []testbed.Span
	verdicts    map[string][]map[string]any // by span: pending evaluations are tried again and again
	setups      []movedSetup
	first, rest testbed.Page // and where a bookmark of the first leads
}

// movedSetup is the part of a setup that stays the same.
type movedSetup struct {
	ID         string `json:"id"`
	ExternalID string `json:"external_id"`
	Generation int64  `json:"generation"`
	CreatedAt  any    `json:"created_at"`
}

func (h *collector) household(t *testing.T, key string) (a household) {
	t.Helper()
	a.spans = h.spans(t, key)
	a.verdicts = map[string][]map[string]any{}
	for _, s := range a.spans {
		list := must[struct {
			Evaluations []map[string]any `json:"evaluations"`
		}](t, h, http.MethodGet, "/v2/warehouse/spans/"+s.TraceID+"/"+s.SpanID+"/evaluations?revisions=all", key, nil).Evaluations
		require.Len(t, list, 2)
		a.verdicts[s.SpanID] = slices.DeleteFunc(list, func(v map[string]any) bool { return v["status"] != "done" })
		require.Len(t, a.verdicts[s.SpanID], 1)
	}
	a.setups = must[[]movedSetup](t, h, http.MethodGet, "/v2/auto-monitor-setups", key, nil)
	require.Len(t, a.setups, 1)
	a.first = h.page(t, key, "limit", "3")
	a.rest = h.page(t, key, "limit", "1000", "cursor", a.first.Spans.NextCursor)
	return a
}

// A collector's data is moved by a command that is killed at many places; then gateways go on
// with keys, bookmarks, setups and pending evaluations, as if nothing had happened.
func TestDataIsMovedByACommandHoweverOftenItIsKilled(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	j.down.Store(true)
	dir := t.TempDir()
	h := newJudgedCollector(t, dir, j)
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	keys, sent := make([]string, 3), judgedTraces(0, 20)
	for i, hours := range []int{24, 168, 720} {
		keys[i] = must[struct {
			Environments []struct {
				Key string `json:"api_key"`
			} `json:"environments"`
		}](t, h, http.MethodPost, "/v2/organizations", accessToken, map[string]any{"org_name": "kept " + strconv.Itoa(hours), "retention_hours": hours}).Environments[0].Key
		h.setup(t, keys[i], "m", []string{judged, "char-count"}, nil)
		require.NoError(t, h.exportGRPC(t, keys[i], sent))
		require.NoError(t, h.exportGRPC(t, keys[i], someTraces(byte(i+1), 5)))
	}
	spans, control := clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t)
	args := []string{"migrate", "data", "--from-directory", dir, "--config", "../config/gateway.yaml", "-o", "json"}
	target := newJudgedCollector(t, t.TempDir(), j)
	delete(target.Env, "TOUCHSTONE_DATA_DIR")
	target.Env["TOUCHSTONE_CLICKHOUSE"], target.Env["TOUCHSTONE_POSTGRES"] = spans, control
	_, told, err := target.configured(t, args...)
	require.Error(t, err)
	require.Contains(t, told, "is in use by another process")
	require.NotContains(t, told, spans)

	had := make([]household, len(keys))
	for i, key := range keys {
		had[i] = h.household(t, key)
		require.Len(t, had[i].spans, 25)
	}
	require.NoError(t, h.Stop())

	kills := 0
	var out string
	for at := int64(1); ; at += 3 {
		var killed bool
		if out, killed = target.killedAt(t, spans, at, args...); !killed {
			break
		}
		kills++
	}
	require.Greater(t, kills, 5)
	requireMoved(t, out, false)
	out, _, err = target.configured(t, args...)
	require.NoError(t, err)
	requireMoved(t, out, true)
	out, _, err = target.configured(t, args[:len(args)-2]...)
	require.NoError(t, err)
	require.Regexp(t, `kept 168 +prd +25 +50 +0 +25 +[0-9a-f]{16} +equal`, out)
	require.Regexp(t, `keys +3`, out)
	require.Contains(t, out, "left behind: 0 spans")

	g := startFleetOn(t, spans, control, j, 1, 0).gateways[0]
	for i, key := range keys {
		require.NoError(t, g.exportGRPC(t, key, sent), "sent again")
		got := g.household(t, key)
		require.Equal(t, had[i].spans, got.spans)
		require.Equal(t, had[i].verdicts, got.verdicts)
		require.Equal(t, had[i].setups, got.setups)
		require.Equal(t, had[i].rest.Spans.Data, g.page(t, key, "limit", "1000", "cursor", had[i].first.Spans.NextCursor).Spans.Data, "a bookmark leads on")
	}
	j.down.Store(false)
	startFleetOn(t, spans, control, j, 0, 1)
	for _, key := range keys {
		g.awaitDone(t, key, "m", 25)
	}
}

// requireMoved reads what the command printed.
func requireMoved(t *testing.T, out string, already bool) {
	t.Helper()
	var r move.Result
	require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	require.Equal(t, already, r.Already)
	require.Len(t, r.Environments, 3)
	require.NotEmpty(t, r.Tables)
	for _, e := range r.Environments {
		require.True(t, e.Equal)
		require.EqualValues(t, 25, e.Target.Spans)
		require.EqualValues(t, 50, e.Target.Evaluations)
		require.EqualValues(t, 25, e.Target.Owed)
	}
}

// killedAt runs the binary with so many statements for ClickHouse, and kills it with the next,
// which arrives or not. It reports whether it did, and what was printed.
func (h *collector) killedAt(t *testing.T, dsn string, at int64, args ...string) (out string, killed bool) {
	t.Helper()
	file, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), file, args...)
	var count atomic.Int64
	var dead atomic.Bool
	between := clickhousetest.Lossy(t, dsn, func(string) clickhousetest.Fate {
		if count.Add(1) < at {
			return clickhousetest.Arrives
		}
		dead.Store(true)
		_ = cmd.Process.Kill() // it is running: it sent this
		if at%2 == 0 {
			return clickhousetest.IsUnanswered
		}
		return clickhousetest.Dies
	})
	for name, value := range h.Env {
		if name == "TOUCHSTONE_CLICKHOUSE" {
			value = between.DSN()
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(os.Environ(), cmd.Env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if dead.Load() {
		return "", true
	}
	require.NoError(t, err, stderr.String())
	return stdout.String(), false
}

// makeDirectory makes what a collector that was never used leaves in its data directory.
func makeDirectory(t *testing.T, dir string) {
	t.Helper()
	spans, err := duckdb.Open(t.Context(), duckdb.Config{Dir: filepath.Join(dir, "spans"), MinFreeBytes: -1})
	require.NoError(t, err)
	require.NoError(t, spans.Close())
	control, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(dir, "control.db")})
	require.NoError(t, err)
	require.NoError(t, control.Close())
}

func TestMovesThatAreRefusedSayWhy(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for name, row := range map[string]struct {
		args []string
		want string
		code int
	}{
		"no target":             {[]string{"--from-directory", empty}, "--config is required", 2},
		"no source":             {[]string{"--config", "../config/gateway.yaml"}, "either --from", 2},
		"two sources":           {[]string{"--from", "../config.yaml", "--from-directory", empty, "--config", "../config/gateway.yaml"}, "either --from", 2},
		"nothing is there":      {[]string{"--from-directory", empty, "--config", "../config/gateway.yaml"}, "it is no data directory of a collector", 1},
		"a source of servers":   {[]string{"--from", "../config/gateway.yaml", "--config", "../config/gateway.yaml"}, "source: the configuration must keep spans in DuckDB and all else in SQLite", 1},
		"a target without them": {[]string{"--from-directory", "DIRECTORY", "--config", "../config.yaml"}, "target: the configuration must keep spans in ClickHouse and all else in PostgreSQL", 1},
		"a newer release":       {[]string{"--from-directory", "DIRECTORY of a newer release", "--config", "../config/gateway.yaml"}, "the database has format 99, which a newer release made", 1},
		"servers that are away": {[]string{"--from-directory", "DIRECTORY", "--config", "../config/gateway.yaml"}, "target: open span store in ClickHouse", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newCollector(t, t.TempDir())
			if strings.Contains(strings.Join(row.args, " "), "DIRECTORY") {
				makeDirectory(t, h.Dir)
				for i, arg := range row.args {
					if strings.Contains(arg, "newer") {
						control, err := sql.Open("sqlite", filepath.Join(h.Dir, "control.db"))
						require.NoError(t, err)
						_, err = control.ExecContext(t.Context(), "UPDATE format SET version = 99")
						require.NoError(t, errors.Join(err, control.Close()))
					}
					if strings.HasPrefix(arg, "DIRECTORY") {
						row.args[i] = h.Dir
					}
				}
			}
			h.Env["TOUCHSTONE_CLICKHOUSE"], h.Env["TOUCHSTONE_POSTGRES"] = "http://u:secret@127.0.0.1:1/d", "postgres://u:secret@127.0.0.1:1/d"
			out, told, err := h.configured(t, append([]string{"migrate", "data"}, row.args...)...)
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, row.code, exit.ExitCode(), told)
			require.Contains(t, told, row.want)
			require.NotContains(t, out+told, "secret")
		})
	}
}
