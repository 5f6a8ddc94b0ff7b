// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// newWorker is a worker of the collector, which is to run with
// config/with-worker.yaml. Neither is started.
func (h *collector) newWorker(t *testing.T, j *judge) *collector {
	t.Helper()
	c, err := h.NewWorker()
	require.NoError(t, err)
	w := &collector{Collector: c}
	w.Env["TOUCHSTONE_JUDGE_URL"], w.Env["TOUCHSTONE_JUDGE_MODEL"] = j.URL(), "judge"
	for _, s := range quick {
		if strings.HasPrefix(s, "processors::monitor/deferred::") || strings.HasPrefix(s, "extensions::models::") {
			w.settings = append(w.settings, s)
		}
	}
	return w
}

func (h *collector) runWorker(t *testing.T) {
	t.Helper()
	h.run(t, "../config/worker.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
}

// startWithWorker runs a collector and its worker as two processes.
func startWithWorker(t *testing.T, j *judge) (h, w *collector) {
	t.Helper()
	h = newJudgedCollector(t, t.TempDir(), j)
	w = h.newWorker(t, j)
	w.runWorker(t)
	h.runBinary(t, "--config", "../config/with-worker.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
	return h, w
}

func TestWorkerInAnotherProcess(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	j.down.Store(true)
	h, w := startWithWorker(t, j)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged}, nil)
	outage(t, h, j, key)

	// The receiver that takes results accepts workers only.
	for _, wrong := range []string{"", key, testbed.AccessToken} {
		results := &collector{Collector: &testbed.Collector{GRPC: h.Env["TOUCHSTONE_RESULTS"]}}
		require.Equal(t, codes.Unauthenticated, status.Code(results.exportGRPC(t, wrong, someTraces(1, 1))))
		require.Equal(t, codes.Unauthenticated, status.Code(w.exportGRPC(t, wrong, someTraces(1, 1))))
	}
	require.NoError(t, h.Stop())
	require.NoError(t, w.Stop())
}

// startWithLackingWorker runs a collector with a judge, and a worker of it without one that
// has left to others the evaluation of a span that it was asked for.
func startWithLackingWorker(t *testing.T, j *judge) (h, w *collector, key string, left evaluationRecord) {
	t.Helper()
	h = newJudgedCollector(t, t.TempDir(), j)
	w = h.newWorker(t, j)
	delete(w.Env, "TOUCHSTONE_JUDGE_URL")
	w.runWorker(t)
	h.runBinary(t, "--config", "../config/with-worker.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
	key = h.key(t, "ours")
	h.setup(t, key, "m", []string{"answer-relevancy"}, nil)
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, 1)))
	require.Eventually(t, func() bool {
		left = h.records(t, key, 0)[0]
		return left.Attempts > 0
	}, patience, 10*time.Millisecond)
	return h, w, key, left
}

// A worker without a judge leaves to others what its gateway has promised to a judge,
// though the evaluator could judge by less.
func TestWorkerWithoutAJudgeLeavesWhatIsPromisedToOne(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	h, w, key, left := startWithLackingWorker(t, j)
	require.Equal(t, "deferred", left.Status)
	require.Equal(t, "judge", left.Backend)
	require.Contains(t, left.Reason, "answer-relevancy needs a judge model")
	require.Contains(t, w.Output(), "this process lacks the model")
	require.NoError(t, w.Stop())

	able := &collector{Collector: &testbed.Collector{Dir: w.Dir, GRPC: w.GRPC, Env: w.Env}, settings: w.settings}
	able.Env["TOUCHSTONE_JUDGE_URL"] = j.URL()
	able.runWorker(t)
	h.awaitDone(t, key, "m", 1)
	made := h.records(t, key, 0)[0]
	require.Equal(t, "done", made.Status)
	require.Equal(t, "judge", made.Backend)
	require.NoError(t, h.Stop())
	require.NoError(t, able.Stop())
}

// A worker that is killed, and a worker that is not there, lose nothing.
func TestKilledWorkerLosesNothing(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	h, w := startWithWorker(t, j)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged}, nil)
	j.hold(100)
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, owedAtKill)))
	j.awaitWaiting(t, 4)
	w.Kill()
	j.goOn()
	require.Eventually(t, func() bool { return strings.Contains(h.Output(), "pending evaluations, will retry") }, patience, 10*time.Millisecond)
	require.Positive(t, h.progress(t, key, "m").Owed)

	again := &collector{Collector: &testbed.Collector{Dir: w.Dir, GRPC: w.GRPC, Env: w.Env}, settings: w.settings}
	again.runWorker(t)
	h.requireDoneOnce(t, j, key, owedAtKill, 1)
}

func TestConfigurationsOfWorkersAreValid(t *testing.T) {
	t.Setenv("TOUCHSTONE_WORKER_TOKEN", "secret")
	factories, err := components()
	require.NoError(t, err)
	_, err = otelcoltest.LoadConfigAndValidate("../config/worker.yaml", factories)
	require.NoError(t, err)
	files, err := filepath.Glob("../config/*.yaml")
	require.NoError(t, err)
	require.Equal(t, []string{"../config/backlog-worker.yaml", "../config/gateway.yaml", "../config/sidecar-sampling.yaml", "../config/sidecar.yaml", "../config/with-worker.yaml", "../config/worker.yaml"}, files)
	doc, err := os.ReadFile("../docs/settings.md")
	require.NoError(t, err)
	for _, f := range files {
		config, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NotContains(t, string(config), "0.0.0.0", "%s binds loopback", f)
		require.Contains(t, string(doc), "(../config/"+filepath.Base(f)+")")
		for _, m := range regexp.MustCompile(`\$\{env:(TOUCHSTONE_(?:WORKER|RESULTS)\w*)(?::-([^}]*))?\}`).FindAllStringSubmatch(string(config), -1) {
			row := regexp.MustCompile("(?m)^\\| `" + m[1] + "` \\|.*$").FindString(string(doc))
			require.NotEmpty(t, row, m[1])
			if m[2] != "" {
				require.Contains(t, row, "`"+m[2]+"`", m[1])
			}
		}
	}
	for _, config := range []string{"../config/worker.yaml", "../config/with-worker.yaml"} {
		shared := regexp.MustCompile(`(?s)\n  models:\n    judges:.*?\n\n`)
		main, err := os.ReadFile("../config.yaml")
		require.NoError(t, err)
		own, err := os.ReadFile(config)
		require.NoError(t, err)
		if part := shared.FindString(string(own)); part != "" {
			require.Contains(t, string(main), strings.TrimSpace(part), "%s asks the judge of config.yaml", config)
		}
	}
}

// Without a token neither side starts.
func TestWorkersNeedAToken(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	h := newJudgedCollector(t, t.TempDir(), j)
	w := h.newWorker(t, j)
	delete(h.Env, "TOUCHSTONE_WORKER_TOKEN")
	delete(w.Env, "TOUCHSTONE_WORKER_TOKEN")
	w.run(t, "../config/worker.yaml")
	h.runBinary(t, "--config", "../config/with-worker.yaml")
	for _, p := range []*collector{h, w} {
		select {
		case <-p.Ended():
		case <-time.After(patience):
			require.FailNow(t, "it runs")
		}
		require.NotZero(t, p.ExitCode())
		require.Contains(t, p.Output(), "token")
	}
}
