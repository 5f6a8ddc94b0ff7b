// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// scopedKey makes a key of the environment that a key is of.
func (h *collector) scopedKey(t *testing.T, key, scope string) string {
	t.Helper()
	made, err := h.ScopedKey(t.Context(), key, scope)
	require.NoError(t, err)
	return made
}

// newSidecar is a sidecar of a gateway with the key of an environment. It is not
// started.
func (h *collector) newSidecar(t *testing.T, key string, settings ...string) *collector {
	t.Helper()
	s, err := h.NewSidecar(t.TempDir(), h.scopedKey(t, key, "sidecar"))
	require.NoError(t, err)
	return &collector{Collector: s, settings: settings, stop: func() {}}
}

// slim is the build for sidecars as it is released: the one that TOUCHSTONE_SLIM names, or
// one that is built once.
var slim = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("TOUCHSTONE_SLIM"); file != "" {
		return file, nil
	}
	whole, err := binary()
	if err != nil {
		return "", err
	}
	file := filepath.Join(filepath.Dir(whole), "touchstone-slim")
	out, err := exec.Command("make", "-C", "..", "build-slim", "SLIM="+file).CombinedOutput()
	if err != nil {
		return "", &buildError{err: err, out: out}
	}
	return file, nil
})

// startSidecar starts a sidecar, of the slim build, and waits until it listens.
func (h *collector) startSidecar(t *testing.T) {
	t.Helper()
	file, err := slim()
	require.NoError(t, err)
	var args []string
	for _, s := range h.settings {
		args = append(args, "--config", "yaml:"+s)
	}
	require.NoError(t, h.Start(file, "../config/sidecar.yaml", args...))
	t.Cleanup(h.Kill)
	require.NoError(t, h.AwaitReady(t.Context()))
}

// startLoadedSidecar starts a sidecar that has loaded what its evaluators need before it
// takes spans, since it knows the setups when it starts: what came before, the gateway
// would judge.
func (h *collector) startLoadedSidecar(t *testing.T) {
	t.Helper()
	h.startSidecar(t)
	h.killWithSetups(t)
	h.startSidecar(t)
	h.awaitNumber(t, `touchstone_sidecar_setups_polls\{.*outcome="unchanged".*`, 1)
}

// killWithSetups ends a sidecar that was just started, as soon as the setups that it
// heard of are on disk. It is not asked to stop: a collector that has just become ready
// listens to signals a moment later.
func (h *collector) killWithSetups(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(h.Dir, "setups.json"))
		return err == nil
	}, patience, 5*time.Millisecond)
	h.Kill()
}

// awaitNumber waits until a metric has a value of at least so much.
func (h *collector) awaitNumber(t *testing.T, name string, least float64) {
	t.Helper()
	require.Eventually(t, func() bool { return h.numbers(t, name)[0] >= least }, patience, 20*time.Millisecond, name)
}

// awaitSent waits until a sidecar owes its gateway nothing. It may owe more than it
// acknowledged: what was in its queue when the caller went away.
func (h *collector) awaitSent(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return h.numbers(t, `otelcol_exporter_queue_size.*`)[0] == 0 }, patience, 50*time.Millisecond)
}

type spanRecords struct {
	Evaluations []struct {
		Evaluator, Status, Source, Origin string
		ExternalID                        string `json:"external_id"`
		Generation                        int64  `json:"generation"`
	} `json:"evaluations"`
}

// recordsOf returns the evaluations of a span.
func (h *collector) recordsOf(t *testing.T, key string, s *testbed.Span) spanRecords {
	t.Helper()
	return must[spanRecords](t, h, http.MethodGet, "/v2/warehouse/spans/"+s.TraceID+"/"+s.SpanID+"/evaluations", key, nil)
}

var fiveLocal = []string{"char-count", "word-count", "pii-detector", "secrets-detector", "tone-detection"}

// The gateway is away while applications send, and the sidecar is killed meanwhile: every
// span that it took is there exactly once, with the verdicts that it made. A setup that
// it never heard of judges all of them as well.
func TestASidecarJudgesWhileTheGatewayIsAway(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	key := h.key(t, "ours")
	h.setup(t, key, "local", fiveLocal, nil)
	s := h.newSidecar(t, key, "extensions::setups: {interval: 1h, max_interval: 1h}",
		"exporters::otlp_grpc::retry_on_failure: {initial_interval: 100ms, max_interval: 500ms}")
	s.startLoadedSidecar(t)
	h.setup(t, key, "late", []string{"char-count", "json-validator"}, nil)
	h.Kill()

	var load killLoad
	load.run(t, s, "none is needed", 40)
	s.startSidecar(t) // without a gateway, with what is on disk
	require.Equal(t, 2, strings.Count(s.Output(), "setups were read from disk"))
	load.during(t, s, "none is needed", 40, func() {})

	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	acked := load.acked()
	require.GreaterOrEqual(t, len(acked), 80*killPerBatch)
	s.awaitSent(t)

	seen := map[string]int{}
	spans := h.spans(t, key)
	for i := range spans {
		seen[spans[i].SpanID]++
		require.Equal(t, "17", spans[i].SpanAttributes["evaluation.char-count.char_count"])
		require.Contains(t, spans[i].SpanAttributes, "evaluation.tone-detection.tone")
		if i%500 > 0 {
			continue
		}
		byOrigin := map[string]int{}
		for _, e := range h.recordsOf(t, key, &spans[i]).Evaluations {
			require.Equal(t, "touchstone", e.Source)
			require.EqualValues(t, 1, e.Generation)
			byOrigin[e.ExternalID+" "+e.Origin]++
		}
		require.Equal(t, 5, byOrigin["local sidecar"], byOrigin)
		require.Equal(t, 2, byOrigin["late sidecar"]+byOrigin["late "], byOrigin)
	}
	for _, id := range acked {
		require.Equal(t, 1, seen[id], "span %s", id)
	}
	for id, n := range seen {
		require.Equal(t, 1, n, "span %s", id)
	}
	taken := h.numbers(t, "touchstone_sidecar_evaluations_taken", "touchstone_sidecar_evaluations_refused")
	require.GreaterOrEqual(t, taken[0], float64(len(acked)*len(fiveLocal)))
	require.Zero(t, taken[1])

	info, err := os.Stat(filepath.Join(s.Dir, "setups.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, s.Stop())
	require.NotContains(t, s.Output(), s.Env["TOUCHSTONE_SIDECAR_KEY"])
	require.NotContains(t, s.Output(), "panic")
	require.NoError(t, h.Stop())
}

// A sidecar that must have setups accepts nothing before a gateway has sent them: its first
// answer is one to try again on.
func TestASidecarWaitsForSetupsThatAreRequired(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	key := h.key(t, "ours")
	s := h.newSidecar(t, key, "extensions::setups: {required: true, interval: 100ms, max_interval: 100ms}")
	h.Kill()
	s.startSidecar(t)
	body, err := ptraceotlp.NewExportRequestFromTraces(someTraces(1, 1)).MarshalProto()
	require.NoError(t, err)
	code, header, _ := s.postOTLP(t, "/v1/traces", "none is needed", "application/x-protobuf", "", body)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.NotEmpty(t, header.Get("Retry-After"))
	require.Equal(t, codes.Unavailable, status.Code(s.exportGRPC(t, "none is needed", someTraces(1, 1))))

	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	require.Eventually(t, func() bool { return s.exportGRPC(t, "none is needed", someTraces(1, 1)) == nil }, patience, 50*time.Millisecond)
	require.NoError(t, s.Stop())
	require.NoError(t, h.Stop())
}

// The configuration is valid, listens on loopback, and the documentation has what it
// reads.
func TestConfigurationOfASidecar(t *testing.T) {
	t.Setenv("TOUCHSTONE_SIDECAR_KEY", "tl_x")
	factories, err := components()
	require.NoError(t, err)
	_, err = otelcoltest.LoadConfigAndValidate("../config/sidecar.yaml", factories)
	require.NoError(t, err)
	config, err := os.ReadFile("../config/sidecar.yaml")
	require.NoError(t, err)
	require.NotContains(t, string(config), "0.0.0.0")
	doc, err := os.ReadFile("../docs/settings.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`\$\{env:(TOUCHSTONE_(?:GATEWAY|SIDECAR|QUEUE)\w*)(?::-([^}]*))?\}`).FindAllStringSubmatch(string(config), -1) {
		row := regexp.MustCompile("(?m)^\\| `" + m[1] + "` \\|.*$").FindString(string(doc))
		require.NotEmpty(t, row, m[1])
		if m[2] != "" {
			require.Contains(t, row, "`"+m[2]+"`", m[1])
		}
	}
	t.Setenv("TOUCHSTONE_SIDECAR_KEY", "")
	_, err = otelcoltest.LoadConfigAndValidate("../config/sidecar.yaml", factories)
	require.ErrorContains(t, err, `"api_key" is required`)
}
