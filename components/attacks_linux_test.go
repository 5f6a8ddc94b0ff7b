// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// Bodies that unpack to a quarter of a gigabyte, in each encoding but gzip, which
// TestHostileInput has, ten at once with a key and without, are refused, take little memory,
// and leave a neighbour its service.
func TestZipBombs(t *testing.T) {
	t.Parallel()
	h := startLimited(t, 1024)
	hostile, modest := h.key(t, "hostile"), h.key(t, "modest")
	pack := func(encoder func(io.Writer) io.WriteCloser) []byte {
		var out bytes.Buffer
		w := encoder(&out)
		for range 256 {
			_, err := w.Write(make([]byte, 1<<20))
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	bombs := map[string][]byte{
		"deflate": pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"zstd": pack(func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			require.NoError(t, err)
			return z
		}),
		"x-snappy-framed": pack(func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) }),
		"lz4":             pack(func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }),
		"snappy":          append([]byte("\xff\xff\xff\xff\x0f"), make([]byte, 100)...), // a block that says so
	}
	for encoding, bomb := range bombs {
		h.forgetPeak(t)
		stop := h.beside(t, modest)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if code, _, _ := h.postOTLP(t, "/v1/traces", "", "application/x-protobuf", encoding, bomb); code != http.StatusUnauthorized {
					t.Errorf("%s without a key: %d", encoding, code)
				}
				code, _, answer := h.postOTLP(t, "/v1/traces", hostile, "application/x-protobuf", encoding, bomb)
				if code != http.StatusRequestEntityTooLarge && code != http.StatusTooManyRequests {
					t.Errorf("%s: %d %s", encoding, code, answer)
				}
			})
		}
		all.Wait()
		taken, refused := stop()
		t.Logf("%s of %d KiB: peak %d MiB, neighbour %d taken, %d refused", encoding, len(bomb)>>10, h.peakMiB(t), taken, refused)
		require.GreaterOrEqual(t, taken, 4*refused, "four of five of the neighbour's")
		require.Less(t, h.peakMiB(t), 600)
	}
	require.NoError(t, h.Stop())
}

// Many callers at once of each question that an environment can ask are answered or asked to
// retry, and a neighbour's spans are accepted meanwhile. TOUCHSTONE_READERS is how many
// callers there are, 8 unless it is set, TOUCHSTONE_READ_SPANS how many spans, 4,000.
func TestCallersOfEveryQuestion(t *testing.T) {
	t.Parallel()
	readers, spans := int(steadySetting("TOUCHSTONE_READERS", 8)), int(steadySetting("TOUCHSTONE_READ_SPANS", 4000))
	const batch = 1000
	h := startLimited(t, 1024)
	greedy, modest := h.key(t, "greedy"), h.key(t, "modest")
	h.setup(t, greedy, "s", []string{"word-count", "char-count", "pii-detector", "json-validator"}, nil)
	for i := range spans / batch {
		td := someTraces(byte(i), batch)
		for n, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.Attributes().PutStr("traceloop.association.properties.user", fmt.Sprint("u", n%50))
			s.Attributes().PutStr("gen_ai.completion.0.content", fmt.Sprint("The answer is ", n, strings.Repeat(" and so on", 20)))
		}
		require.Eventually(t, func() bool { return h.exportGRPC(t, greedy, td) == nil }, patience, patience/1000)
	}
	first := h.page(t, greedy, "limit", "1").Spans.Data[0]
	now := time.Now().Unix()
	from := now - 3600
	within := func(more map[string]any) map[string]any {
		more["from_timestamp_sec"] = from
		return more
	}
	for _, ask := range []struct {
		method, path string
		body         map[string]any
	}{
		{http.MethodGet, "/v2/traces/" + first.TraceID, nil},
		{http.MethodGet, fmt.Sprintf("/v2/warehouse/spans/%s/%s/explain", first.TraceID, first.SpanID), nil},
		{http.MethodGet, fmt.Sprintf("/v2/warehouse/spans?from_timestamp_sec=%d&limit=1000", from), nil},
		{http.MethodGet, fmt.Sprintf("/v2/warehouse/fields?from_timestamp_sec=%d", from), nil},
		{http.MethodPost, "/v2/metrics", within(map[string]any{"limit": 1000})},
		{http.MethodPost, "/v2/evaluations/search", within(map[string]any{"limit": 1000})},
		{http.MethodPost, "/v2/warehouse/spans/aggregate", within(map[string]any{"measures": []string{"count"}, "group_by": []string{"span_attributes.traceloop.association.properties.user"}})},
		{http.MethodPost, "/v2/evaluations/aggregate", within(map[string]any{"measures": []string{"count"}})},
		{http.MethodPost, "/v2/auto-monitor-setups/preview", within(map[string]any{
			"selector":   []map[string]any{{"key": "llm.vendor", "source": "span_attributes", "operator": "contains", "value": "zzz"}},
			"evaluators": []string{"word-count"},
		})},
		{http.MethodGet, fmt.Sprintf("/v2/auto-monitor-setups/s/funnel?from_timestamp_sec=%d", from), nil},
		{http.MethodGet, "/v2/auto-monitor-setups/s/status", nil},
		{http.MethodGet, fmt.Sprintf("/v2/costs/by-association-property?property_name=user&start_time=%s&end_time=%s", time.Unix(from, 0).UTC().Format(time.RFC3339), time.Unix(now+60, 0).UTC().Format(time.RFC3339)), nil},
		{http.MethodPost, "/v2/projects/default/traces/root-spans", within(map[string]any{"limit": 1000})},
		{http.MethodPost, "/v2/projects/default/spans", within(map[string]any{"limit": 1000})},
		{http.MethodGet, fmt.Sprintf("/v2/projects/default/traces/%s/spans", first.TraceID), nil},
	} {
		h.forgetPeak(t)
		stop := h.beside(t, modest)
		var body any
		if ask.body != nil {
			body = ask.body
		}
		var mu sync.Mutex
		answers := map[int]int{}
		var all sync.WaitGroup
		for range readers {
			all.Go(func() {
				status, answer, err := h.Call(t.Context(), ask.method, ask.path, greedy, body)
				if err != nil || status != http.StatusOK && status != http.StatusTooManyRequests {
					t.Errorf("%s %s: %d %v %.200s", ask.method, ask.path, status, err, answer)
				}
				mu.Lock()
				defer mu.Unlock()
				answers[status]++
			})
		}
		all.Wait()
		taken, refused := stop()
		t.Logf("%s %s: answers %v, peak %d MiB, neighbour %d taken, %d refused", ask.method, ask.path, answers, h.peakMiB(t), taken, refused)
		require.NotZero(t, answers[http.StatusOK])
		require.GreaterOrEqual(t, taken, 4*refused, "four of five of the neighbour's")
		require.Less(t, h.peakMiB(t), 600)
	}
	require.NoError(t, h.Stop())
}

// Senders of small spans keep their rate while one sends texts of 60 MB again and
// again. TOUCHSTONE_TEXT_SECONDS is how long the rate is measured, a second unless it is set,
// which is too short to hold it against a bound. No other test runs at the same time.
func TestRateBesideLargeTexts(t *testing.T) {
	period := time.Duration(steadySetting("TOUCHSTONE_TEXT_SECONDS", 1) * float64(time.Second))
	h := startLimited(t, 1024)
	greedy, modest := h.key(t, "greedy"), h.key(t, "modest")
	td := someTraces(1, 1)
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("gen_ai.output.messages",
		`[{"role":"assistant","parts":[{"type":"text","content":"`+strings.Repeat("a", 60<<20)+`"}]}]`)
	large, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(t, err)
	var batches [][]byte
	for i := range 4 {
		b, err := ptraceotlp.NewExportRequestFromTraces(someTraces(byte(i+2), 50)).MarshalProto()
		require.NoError(t, err)
		batches = append(batches, b)
	}
	rate := func() (perSecond float64, refused int) {
		var mu sync.Mutex
		var taken int
		begun := time.Now()
		var all sync.WaitGroup
		for _, b := range batches {
			all.Go(func() {
				for time.Since(begun) < period {
					ok := h.sends(t.Context(), modest, b)
					mu.Lock()
					if ok {
						taken += 50
					} else {
						refused += 50
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return float64(taken) / time.Since(begun).Seconds(), refused
	}
	rate() // what is slow at first
	alone, _ := rate()
	ended := make(chan struct{})
	answers := map[int]int{}
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		for {
			code, _, _ := h.postOTLP(t, "/v1/traces", greedy, "application/x-protobuf", "", large)
			answers[code]++
			select {
			case <-ended:
				return
			case <-tick.C:
			}
		}
	})
	beside, refused := rate()
	close(ended)
	all.Wait()
	t.Logf("%.0f spans/s alone, %.0f during texts of 60 MB: %.0f %%, %d refused; answers to these %v, peak %d MiB", alone, beside, 100*beside/alone, refused, answers, h.peakMiB(t))
	if period >= 10*time.Second {
		require.Greater(t, beside, 0.8*alone)
	}
	require.NotZero(t, must[testbed.Page](t, h, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0", modest, nil).Spans.TotalResults)
	require.NoError(t, h.Stop())
}
