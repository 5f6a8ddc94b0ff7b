// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// BenchmarkTails measures what a steady load of new spans costs the collector while
// the pages are hidden and while ten pages show what arrives, by turns of many seconds: more
// arrives than a page can show, so each skips to what is new every five. The figures are
// of CPU time, which other work of the machine does not change much; machine-% is the
// share of all processors that the pages take from ingest.
func BenchmarkTails(b *testing.B) {
	const (
		pages, rounds = 10, 3
		turn          = 20 // seconds
		rate          = 5000
	)
	c := start(b)
	keys, err := c.Keys(b.Context(), "Acme", "prd")
	require.NoError(b, err)
	sent := 0
	arrive := func() {
		for range rate / 1000 {
			export(b, c, keys[0], someSpans(sent, sent+1000, func(int) time.Time { return time.Now() }))
			sent += 1000
		}
	}
	arrive() // warm
	for b.Loop() {
		var used [2]time.Duration
		for range rounds {
			for i := range used {
				ctx, stop := context.WithCancel(b.Context())
				var open sync.WaitGroup
				for range pages * i {
					open.Go(func() { tail(ctx, b, c, keys[0]) })
				}
				before := cpuOf(b, c)
				seconds := time.NewTicker(time.Second)
				for range turn {
					arrive()
					<-seconds.C
				}
				seconds.Stop()
				used[i] += cpuOf(b, c) - before
				stop()
				open.Wait()
			}
		}
		const spans = rounds * turn * rate
		b.ReportMetric(1e6*used[0].Seconds()/spans, "µs/span")
		b.ReportMetric(1e6*used[1].Seconds()/spans, "µs/span-tailed")
		b.ReportMetric(100*(used[1]-used[0]).Seconds()/(rounds*turn)/float64(runtime.NumCPU()), "machine-%")
	}
}

// tail asks as a page that shows what arrives: at most once a second and, where more
// arrives than it can show, every five seconds for what is new then.
func tail(ctx context.Context, b *testing.B, c *testbed.Collector, key string) {
	type answer struct {
		Next string `json:"next_cursor"`
		More bool   `json:"more"`
	}
	cursor, pause := "", time.Second
	for ctx.Err() == nil {
		begun := time.Now()
		params := url.Values{"wait_sec": {"20"}, "preview": {"200"}, "fields": {"llm.response.model", "llm.request.model"}}
		if cursor != "" {
			params.Set("cursor", cursor)
		}
		if pause > time.Second {
			params.Set("skip", "true")
		}
		got, err := testbed.Ask[answer](ctx, c, http.MethodGet, "/v2/warehouse/spans/tail?"+params.Encode(), key, nil)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			b.Error(err)
			return
		}
		cursor, pause = got.Next, time.Second
		if got.More {
			pause = 5 * time.Second
		}
		select {
		case <-time.After(time.Until(begun.Add(pause))):
		case <-ctx.Done():
		}
	}
}

// cpuOf returns the CPU time that a collector has used, of which Linux counts
// hundredths of a second.
func cpuOf(b *testing.B, c *testbed.Collector) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Pid()))
	require.NoError(b, err)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // from the third, state, on
	var sum time.Duration
	for _, field := range fields[11:13] { // user and system
		n, err := strconv.Atoi(field)
		require.NoError(b, err)
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}
