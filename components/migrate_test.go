// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// A gateway that only checks its databases does not start on empty ones, says what is
// to be done, and starts when that was done, twice and by several at once.
func TestDatabasesAreMigratedByACommand(t *testing.T) {
	t.Parallel()
	spans, control := clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t)
	h := newCollector(t, t.TempDir())
	delete(h.Env, "TOUCHSTONE_DATA_DIR")
	h.Env["TOUCHSTONE_CLICKHOUSE"], h.Env["TOUCHSTONE_POSTGRES"], h.Env["TOUCHSTONE_MIGRATE"] = spans, control, "check"
	_, told, err := h.configured(t, "--config=../config/gateway.yaml")
	require.Error(t, err)
	require.Regexp(t, `the database has schema 0, and this release needs [1-9]\d*: run touchstone migrate, or set migrate to auto`, told)
	require.NotContains(t, told, "postgres://")

	const done = `{"stores":[{"extension":"store","store":"spans","engine":"clickhouse"},{"extension":"store","store":"control","engine":"postgres"}]}`
	answers := make(chan string)
	for range 3 {
		go func() {
			out, _, _ := h.configured(t, "migrate", "--config=../config/gateway.yaml", "-o", "json")
			answers <- out
		}()
	}
	for range 3 {
		require.JSONEq(t, done, <-answers)
	}
	out, _, err := h.configured(t, "migrate", "--config", "../config/gateway.yaml")
	require.NoError(t, err)
	require.Regexp(t, `store +spans +clickhouse +has the schema of this release`, out)

	h.run(t, "../config/gateway.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
}

func TestAMigrationThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	file, err := binary()
	require.NoError(t, err)
	for name, row := range map[string]struct {
		args []string
		want string
		code int
	}{
		"no configuration":    {[]string{"migrate"}, "--config is required", 2},
		"a file that is none": {[]string{"migrate", "--config", "nowhere.yaml"}, "nowhere.yaml", 1},
		"no store":            {[]string{"migrate", "--config", "yaml:extensions::nop: {}"}, "the configuration starts no extension of the type store", 1},
		"one that is not started": {
			[]string{"migrate", "--config", "yaml:{extensions: {store: {directory: /nowhere}}, service: {extensions: []}}"}, "starts no extension of the type store", 1,
		},
		"a setting that is wrong": {
			[]string{"migrate", "--config", "yaml:{extensions: {store: {spans: {clickhouse: {dsn: ''}}}}, service: {extensions: [store]}}"}, `"spans::clickhouse::dsn" is required`, 1,
		},
		"a server that is away": {
			[]string{"migrate", "--config", "yaml:{extensions: {store: {directory: " + t.TempDir() + ", control: {postgres: {dsn: 'postgres://u:secret@127.0.0.1:1/d'}}}}, service: {extensions: [store]}}"},
			"no server answers at the address of the DSN", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), file, row.args...)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Equal(t, row.code, cmd.ProcessState.ExitCode(), "%s", out)
			require.Contains(t, string(out), row.want)
			require.NotContains(t, string(out), "secret")
		})
	}
}
