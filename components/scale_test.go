// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// fleet is processes on one ClickHouse and one PostgreSQL.
type fleet struct {
	gateways, workers []*collector
}

// startFleet starts so many processes with the shipped configurations. Settings of the
// backlog are for workers alone.
func startFleet(t *testing.T, j *judge, gateways, workers int, settings ...string) *fleet {
	t.Helper()
	return startFleetOn(t, clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t), j, gateways, workers, settings...)
}

// startFleetOn starts it on databases by their DSNs.
func startFleetOn(t *testing.T, spans, control string, j *judge, gateways, workers int, settings ...string) *fleet {
	t.Helper()
	run := func(config string, settings ...string) *collector {
		h := newJudgedCollector(t, t.TempDir(), j)
		delete(h.Env, "TOUCHSTONE_DATA_DIR")
		h.Env["TOUCHSTONE_CLICKHOUSE"], h.Env["TOUCHSTONE_POSTGRES"] = spans, control
		h.settings = append(h.settings, settings...)
		h.run(t, config)
		return h
	}
	f := &fleet{}
	ofAll := slices.DeleteFunc(slices.Clone(settings), func(s string) bool { return strings.HasPrefix(s, "receivers::backlog") })
	for range gateways {
		f.gateways = append(f.gateways, run("../config/gateway.yaml", ofAll...))
	}
	for range workers {
		f.workers = append(f.workers, run("../config/backlog-worker.yaml", settings...))
	}
	for _, h := range append(f.gateways, f.workers...) {
		require.NoError(t, h.AwaitReady(t.Context()))
	}
	return f
}

// A worker that looks once an hour makes what a gateway owes all the same: it is woken.
func TestWorkersAreWokenByGateways(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	f := startFleet(t, j, 1, 1, "receivers::backlog::poll_interval: 1h")
	h := f.gateways[0]
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged}, nil)
	for n := range 3 {
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(n, 1)))
		h.awaitDone(t, key, "m", n+1)
	}
}

// Five backlog workers keep together to what a model may be asked in a minute, to the
// rate at which they hand out, and to the money of a setup's day.
func TestWorkersOfAFleetKeepToLimitsTogether(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	f := startFleet(t, j, 1, 5,
		"extensions::models::prices::judge: {prompt: 100, completion: 100}", // 0.012 dollars for an answer
		"extensions::models::judges::default::limits: {requests_per_minute: 120, max_wait: 30s, attempts: 1, break_after: 0}")
	h := f.gateways[0]
	const spans, affordable = 40, 17 // the last of them exceeds what is left
	var p setupProgress
	var took time.Duration
	var asked int
	withinOneDay(func(first int) {
		key := h.key(t, "ours")
		must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": "poor", "evaluators": []string{judged}, "max_cost_per_day": 0.2,
		})
		begun := time.Now()
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(first, spans)))
		require.Eventually(t, func() bool {
			p = h.progress(t, key, "poor")
			return p.Evaluators[0].Done >= affordable && p.Evaluators[0].Done+len(h.waitingForMoney(t, key, first, spans)) == spans
		}, patience, 20*time.Millisecond)
		var of []modeltest.Request // that are about these spans
		for _, r := range j.Requests() {
			if n, is := numberOf(r); is && n >= first {
				of = append(of, r)
			}
		}
		took, asked = of[affordable-1].At.Sub(begun), len(of)
	})
	// A tenth may go at once, and the rest at 109 a minute. Each worker by itself would
	// have asked all of it at once. The time begins before the first may be asked, since a
	// request may be under way for long before the judge sees it.
	const least = (affordable - 12) * time.Minute / 109
	require.GreaterOrEqual(t, took, least)
	require.Equal(t, affordable, p.Evaluators[0].Done)
	require.InDelta(t, affordable*0.012, p.SpentToday, 1e-9)
	require.Equal(t, affordable, asked, "no process asked for more than there was money")
}

// The configurations of a fleet are valid, need no directory, and are otherwise that
// of one machine.
func TestConfigurationsOfAFleet(t *testing.T) {
	t.Setenv("TOUCHSTONE_CLICKHOUSE", "http://127.0.0.1:8123/touchstone")
	t.Setenv("TOUCHSTONE_POSTGRES", "postgres://127.0.0.1/touchstone")
	t.Setenv("TOUCHSTONE_ACCESS_TOKEN", accessToken)
	factories, err := components()
	require.NoError(t, err)
	sections := func(file string) map[string]map[string]any {
		conf, err := confmaptest.LoadConf(file)
		require.NoError(t, err)
		list := map[string]map[string]any{}
		for name, section := range conf.ToStringMap() {
			list[name], _ = section.(map[string]any)
		}
		return list
	}
	one := sections("../config.yaml")
	differs := map[string]bool{"extensions store": true, "extensions models": true, "extensions keyauth": true, "extensions api": true, "service extensions": true, "service pipelines": true, "service telemetry": true}
	for _, file := range []string{"../config/gateway.yaml", "../config/backlog-worker.yaml"} {
		_, err := otelcoltest.LoadConfigAndValidate(file, factories)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "DATA_DIR")
		for section, list := range sections(file) {
			for name, own := range list {
				if !differs[section+" "+name] && (name != "health_check" || strings.Contains(file, "gateway")) {
					require.Equal(t, one[section][name], own, "%s: %s of %s", file, name, section)
				}
			}
		}
	}
	for _, name := range []string{"TOUCHSTONE_CLICKHOUSE", "TOUCHSTONE_POSTGRES"} {
		t.Setenv(name, "")
		_, err := otelcoltest.LoadConfigAndValidate("../config/gateway.yaml", factories)
		require.ErrorContains(t, err, "is required", name)
		t.Setenv(name, map[string]string{
			"TOUCHSTONE_CLICKHOUSE": "http://127.0.0.1:8123/touchstone", "TOUCHSTONE_POSTGRES": "postgres://127.0.0.1/touchstone",
		}[name])
	}
}
