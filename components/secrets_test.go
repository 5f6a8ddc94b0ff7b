// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// echo answers with everything that it was sent, in one way after the other.
func echo(asked *atomic.Int64) modeltest.Step {
	return func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		text := r.Header.Get("Authorization") + " " + string(got.Body)
		refused := func(status int) modeltest.Step {
			return modeltest.Body(status, map[string]any{"error": map[string]any{"message": text, "code": text, "param": text, "type": text}})
		}
		steps := []modeltest.Step{
			refused(http.StatusUnauthorized), refused(http.StatusBadRequest), refused(http.StatusInternalServerError),
			modeltest.Content(text), modeltest.Raw(http.StatusOK, "text/html", text), modeltest.Refusal(text),
			modeltest.Header("Location", "http://"+strings.NewReplacer(" ", "", `"`, "").Replace(text[:40]), modeltest.Raw(http.StatusFound, "", text)),
		}
		steps[int(asked.Add(1))%len(steps)](w, r, got)
	}
}

// Whatever senders, callers and judges do, no text of users and no credential is
// in the log, at any level, and no file can be read by others.
func TestLogsOfHostileRunsHoldNoSecret(t *testing.T) {
	t.Parallel()
	const judgeKey = "judge-key-SESAME"
	var asked atomic.Int64
	judge := modeltest.NewServer(t, echo(&asked))
	dir := filepath.Join(t.TempDir(), "data")
	h := newCollector(t, dir)
	h.Env["TOUCHSTONE_JUDGE_URL"], h.Env["TOUCHSTONE_JUDGE_API_KEY"], h.Env["TOUCHSTONE_JUDGE_MODEL"] = judge.URL(), judgeKey, "judge-1"
	h.runBinary(t, "--set", "service::telemetry::logs::level=debug")
	require.NoError(t, h.AwaitReady(t.Context()))
	key := h.key(t, "acme")

	h.setup(t, key, "m", []string{judged, "json-validator", "pii-detector"}, nil)
	td := judgedTraces(0, 1)
	firstSpan(td).SetName("SESAME")
	firstSpan(td).Attributes().PutStr("SESAME", "SESAME")
	firstSpan(td).Attributes().PutStr("gen_ai.completion.0.content", "SESAME says {")
	require.NoError(t, h.exportGRPC(t, key, td))
	for range 8 {
		h.call(t, http.MethodPost, "/v2/evaluators/"+judged+"/execute", key, map[string]any{"input": map[string]any{
			"trajectory_prompts": `["SESAME"]`, "trajectory_completions": `["SESAME"]`,
		}})
	}
	for _, body := range []string{`{"resourceSpans":"SESAME"}`, `{"SESAME`, "\x0a\xff\xffSESAME", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"SESAME"}]}]}]}`} {
		for _, kind := range []string{"application/json", "application/x-protobuf", "text/SESAME"} {
			for _, credential := range []string{key, "tl_SESAME"} {
				for _, encoding := range []string{"", "gzip", "SESAME"} {
					_, _, _ = h.postOTLP(t, "/v1/traces", credential, kind, encoding, []byte(body))
				}
			}
		}
	}
	for _, path := range []string{
		"/v2/SESAME", "/v2/evaluators/SESAME/execute", "/v2/warehouse/spans?from_timestamp_sec=1&filters=SESAME", "/v2/warehouse/spans?from_timestamp_sec=1&cursor=SESAME",
		"/v2/warehouse/spans?from_timestamp_sec=1&SESAME=%00", "/v2/auto-monitor-setups/SESAME", "/v2/auto-monitor-setups/m/backfill/SESAME", "/v2/executions/SESAME/stream",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
			for _, credential := range []string{key, "tl_SESAME", accessToken} {
				h.call(t, method, path, credential, map[string]any{"SESAME": "SESAME"})
			}
		}
	}
	require.Eventually(t, func() bool { return asked.Load() > 8 }, patience, 10*time.Millisecond, "the judge was asked about the span too")
	halfHTTP(t, h.HTTP, "/v1/SESAME", key)
	halfGRPC(t, h.GRPC, key)
	require.NoError(t, h.Stop())

	log := h.Output()
	for _, secret := range []string{"SESAME", key, accessToken} {
		if at := strings.Index(log, secret); at >= 0 {
			require.Fail(t, "a secret is in the log", "%s", log[max(0, at-300):min(len(log), at+100)])
		}
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	}))
}

// What shows the inside of the process is part of no shipped configuration, and
// listens on the loopback interface alone where a configuration enables it.
func TestNothingShowsTheInside(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../config/*.yaml")
	require.NoError(t, err)
	for _, file := range append(files, "../config.yaml") {
		conf, err := confmaptest.LoadConf(file)
		require.NoError(t, err)
		named, err := conf.Sub("extensions")
		require.NoError(t, err)
		for name := range named.ToStringMap() {
			require.NotContains(t, name, "pprof", file)
			require.NotContains(t, name, "zpages", file)
		}
	}
	factories, err := components()
	require.NoError(t, err)
	found := 0
	for kind, f := range factories.Extensions {
		if kind.String() != "pprof" && kind.String() != "zpages" {
			continue
		}
		found++
		conf := confmap.New()
		require.NoError(t, conf.Marshal(f.CreateDefaultConfig()))
		require.Contains(t, conf.Get("endpoint"), "localhost:", kind)
	}
	require.Equal(t, 2, found)
}
