// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// samplingSidecar is what a sidecar that samples has besides config/sidecar.yaml.
func samplingSidecar(t *testing.T, s *collector) {
	t.Helper()
	address, err := testbed.FreeAddress()
	require.NoError(t, err)
	s.Env["TOUCHSTONE_JUDGED"] = address
	config, err := os.ReadFile("../config/sidecar-sampling.yaml")
	require.NoError(t, err)
	s.settings = append(s.settings, string(config))
}

// randomTrace is a trace id as SDKs make them.
func randomTrace(r *rand.Rand) (id pcommon.TraceID) {
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	return id
}

// twoSpanTraces are traces of two spans, every twentieth of which has personal data in its
// second one.
func twoSpanTraces(r *rand.Rand, n int) (ptrace.Traces, []string) {
	td := ptrace.NewTraces()
	var failures []string
	for i := range n {
		pair := someTraces(1, 2)
		id := randomTrace(r)
		for j, s := range pair.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.SetTraceID(id)
			span := pcommon.SpanID(id[:8])
			span[7] = byte(j)
			s.SetSpanID(span)
			text := harmless
			if i%20 == 0 && j == 1 {
				text = personal
			}
			if i%20 == 0 {
				failures = append(failures, span.String())
			}
			s.Attributes().PutStr("gen_ai.completion.0.content", text)
		}
		pair.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	return td, failures
}

// A sidecar that samples by verdict loses no failure that it answered, killed while spans
// wait for decisions or not. What it hands on is a small part, and tells of all.
func TestASidecarSamplesByVerdict(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	key := h.key(t, "ours")
	h.setup(t, key, "local", []string{"pii-detector", "char-count"}, nil)
	s := h.newSidecar(t, key)
	samplingSidecar(t, s)
	s.Env["TOUCHSTONE_DECISION_WAIT"] = "10m" // nothing is decided before the process is killed
	s.startLoadedSidecar(t)

	r := rand.New(rand.NewPCG(5, 6))
	var failures []string
	const batches, each = 40, 100
	send := func() {
		for range batches {
			td, failing := twoSpanTraces(r, each)
			require.NoError(t, s.exportGRPC(t, "none is needed", td))
			failures = append(failures, failing...)
		}
	}
	send()
	s.awaitNumber(t, "touchstone_verdict_sampling_held_traces", 1)
	s.Kill()
	s.Env["TOUCHSTONE_DECISION_WAIT"] = "2s"
	s.startSidecar(t)
	send()
	// Each request has such traces, and is handed on at once: when these are there, all is.
	failing := filters(t, map[string]any{"id": "evaluation.pii-detector.has_pii", "operator": "equals", "value": true})
	require.Eventually(t, func() bool {
		return h.page(t, key, "limit", "1", "filters", failing).Spans.TotalResults >= int64(len(failures)/2)
	}, patience, 100*time.Millisecond, "all failures are there")
	require.NoError(t, s.Stop())

	const all = 2 * 2 * batches * each
	var found, variance float64
	seen := map[string]bool{}
	spans := h.spans(t, key)
	for i := range spans {
		require.False(t, seen[spans[i].SpanID], "once")
		seen[spans[i].SpanID] = true
		w := weightOfState(t, spans[i].TraceState)
		found += w
		variance += 2 * w * (w - 1) // both spans of a trace are kept, or neither
	}
	for _, id := range failures {
		require.True(t, seen[id], "a trace with a failure is kept whole: span %s", id)
	}
	require.Less(t, len(spans), all/5)
	require.InDelta(t, all, found, 4*math.Sqrt(variance))
	for _, e := range h.recordsOf(t, key, &spans[0]).Evaluations {
		require.Equal(t, "sidecar", e.Origin)
	}
	require.NotContains(t, s.Output(), s.Env["TOUCHSTONE_SIDECAR_KEY"])
	require.NoError(t, h.Stop())
}

// weightOfState returns how many spans one with a trace state stands for, as
// docs/opentelemetry.md says.
func weightOfState(t *testing.T, state string) float64 {
	t.Helper()
	var digits string
	_, err := fmt.Sscanf(state, "ot=th:%s", &digits)
	require.NoError(t, err, state)
	rejected, err := strconv.ParseUint((digits + strings.Repeat("0", 14))[:14], 16, 64)
	require.NoError(t, err)
	return math.Exp2(56) / (math.Exp2(56) - float64(rejected))
}

// The configuration listens on loopback, and the documentation has what it reads.
func TestConfigurationOfASidecarThatSamples(t *testing.T) {
	t.Parallel()
	config, err := os.ReadFile("../config/sidecar-sampling.yaml")
	require.NoError(t, err)
	require.NotContains(t, string(config), "0.0.0.0")
	doc, err := os.ReadFile("../docs/settings.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`\$\{env:(TOUCHSTONE_(?:JUDGED|DECISION|SHARE)\w*):-([^}]*)\}`).FindAllStringSubmatch(string(config), -1) {
		row := regexp.MustCompile("(?m)^\\| `" + m[1] + "` \\|.*$").FindString(string(doc))
		require.Contains(t, row, "`"+m[2]+"`", m[1])
	}
}
