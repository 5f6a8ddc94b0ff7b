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
)

// release is a program, and the one for sidecars, with the checkout that they were built
// from.
type release struct{ name, program, slim, root string }

// sidecar returns the release whose program is the one for sidecars.
func (r release) sidecar() release {
	r.program = r.slim
	return r
}

// releases returns the release before this one and this one. TOUCHSTONE_BEFORE names the
// checkout of the one before, in which it was built; make test-upgrade sets it. Without
// it both are this one: a process that is exchanged for another of the same release.
func releases(t *testing.T) (before, now release) {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	beside, err := slim()
	require.NoError(t, err)
	now = release{"this", program, beside, ".."}
	root := os.Getenv("TOUCHSTONE_BEFORE")
	if root == "" {
		return now, now
	}
	bin := filepath.Join(root, "bin")
	return release{"the one before", filepath.Join(bin, "touchstone"), filepath.Join(bin, "touchstone-slim"), root}, now
}

// start starts a release with a configuration of its own.
func (r release) start(t *testing.T, h *collector, config string, args ...string) error {
	t.Helper()
	for _, s := range h.settings {
		args = append(args, "--config", "yaml:"+s)
	}
	require.NoError(t, h.Start(r.program, filepath.Join(r.root, config), args...))
	t.Cleanup(h.Kill)
	return h.AwaitReady(t.Context())
}

// requireSpans expects so many spans, each once with its verdict, and that nothing of the
// setup is lost.
func (h *collector) requireSpans(t *testing.T, key string, want int) {
	t.Helper()
	require.Eventually(t, func() bool { return h.page(t, key, "limit", "1").Spans.TotalResults >= int64(want) }, patience, 50*time.Millisecond)
	seen := map[string]bool{}
	for _, s := range h.spans(t, key) {
		id := s.TraceID + s.SpanID
		require.False(t, seen[id], id)
		seen[id] = true
		require.Equal(t, "17", s.SpanAttributes["evaluation.char-count.char_count"], id)
		require.Equal(t, "shop", s.Service)
	}
	require.Len(t, seen, want)
}

// What a release stored, its successor has; and what that one stored, the release before
// has, or refuses in one sentence and leaves as it is.
func TestUpgradeAndDowngradeOfADataDirectory(t *testing.T) {
	t.Parallel()
	before, now := releases(t)
	h := newCollector(t, t.TempDir())
	require.NoError(t, before.start(t, h, "config.yaml"))
	key := h.key(t, "ours")
	h.setup(t, key, "early", []string{"char-count"}, nil)
	require.NoError(t, h.exportGRPC(t, key, someTraces(1, 100)))
	h.requireSpans(t, key, 100)
	require.NoError(t, h.Stop())

	require.NoError(t, now.start(t, h, "config.yaml"))
	h.requireSpans(t, key, 100)
	h.setup(t, key, "late", []string{"word-count"}, nil)
	require.NoError(t, h.exportGRPC(t, key, someTraces(2, 100)))
	h.requireSpans(t, key, 200)
	require.NoError(t, h.Stop())

	if err := before.start(t, h, "config.yaml"); err != nil {
		<-h.Ended()
		require.NotZero(t, h.ExitCode())
		requireOneSentence(t, h.Output())
		t.Logf("the release before refuses what this one stored")
		require.NoError(t, now.start(t, h, "config.yaml"), "it left everything as it is")
	}
	h.requireSpans(t, key, 200)
	require.NoError(t, h.exportGRPC(t, key, someTraces(3, 100)))
	h.requireSpans(t, key, 300)
	require.NoError(t, h.Stop())

	require.NoError(t, now.start(t, h, "config.yaml"))
	h.requireSpans(t, key, 300)
	require.NoError(t, h.Stop())
}

// requireOneSentence expects that a process said in one sentence that what is stored is of
// a newer release.
func requireOneSentence(t *testing.T, output string) {
	t.Helper()
	require.NotContains(t, output, "panic:")
	said := 0
	for line := range strings.Lines(output) {
		if regexp.MustCompile(`^(Error|error|touchstone): .*newer release`).MatchString(line) {
			said++
		}
	}
	require.Equal(t, 1, said, output)
}

// Sidecars and gateways are not upgraded together: whichever is older, spans arrive once,
// with the verdicts that setups ask for.
func TestCarriersOfTwoReleases(t *testing.T) {
	t.Parallel()
	before, now := releases(t)
	for _, pair := range [][2]release{{before, now}, {now, before}} {
		sidecar, gateway := pair[0].sidecar(), pair[1]
		h := newCollector(t, t.TempDir())
		require.NoError(t, gateway.start(t, h, "config.yaml"))
		key := h.key(t, "ours")
		h.setup(t, key, "local", fiveLocal, nil)
		s := h.newSidecar(t, key)
		require.NoError(t, sidecar.start(t, s, "config/sidecar.yaml"))
		s.killWithSetups(t)
		require.NoError(t, sidecar.start(t, s, "config/sidecar.yaml")) // which loads its evaluators first
		require.NoError(t, s.exportGRPC(t, "none is needed", someTraces(1, 100)))
		h.requireSpans(t, key, 100)
		spans := h.spans(t, key)
		made := map[string]int{}
		for _, e := range h.recordsOf(t, key, &spans[0]).Evaluations {
			require.Equal(t, "done", e.Status, e.Evaluator)
			made[e.Evaluator]++
		}
		require.Len(t, made, len(fiveLocal))
		for slug, n := range made {
			require.Equal(t, 1, n, slug)
		}
		require.NoError(t, s.Stop(), "the sidecar is %s", sidecar.name)
		require.NoError(t, h.Stop(), "the gateway is %s", gateway.name)
	}
}
