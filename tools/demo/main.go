// SPDX-License-Identifier: Apache-2.0

// Program demo shows the main job: it starts the built collector on a
// directory of its own, makes an organization and an auto monitor, sends what
// real SDKs sent, waits until it can be read, and prints spans and verdicts.
// With -stay it has the traffic of a day and a judge of its own for the web UI, and
// keeps sending until it is interrupted. It leaves nothing running and nothing
// behind.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func main() {
	binary := flag.String("binary", "bin/touchstone", "the built collector")
	config := flag.String("config", "config.yaml", "its configuration")
	stay := flag.Bool("stay", false, "keep sending until Ctrl-C, for a look at the web UI")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, *config, *stay); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func run(ctx context.Context, binary, config string, stay bool) error {
	dir, err := os.MkdirTemp("", "touchstone-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	c, err := testbed.New(dir)
	if err != nil {
		return err
	}
	var settings []string
	var caughtUp atomic.Int64 // when the judge has judged what was before
	if stay {
		judge, err := newJudge(func(now time.Time) bool { return isDown(caughtUp.Load(), now) })
		if err != nil {
			return err
		}
		defer judge.close()
		settings = judge.settings()
	}
	if err := c.Start(binary, config, settings...); err != nil {
		return err
	}
	defer c.Kill()
	if err := c.AwaitReady(ctx); err != nil {
		return err
	}
	fmt.Printf("collector ready: OTLP/gRPC %s, OTLP/HTTP %s, API %s\n", c.GRPC, c.HTTP, c.API)

	keys, err := c.Keys(ctx, "Demo")
	if err != nil {
		return err
	}
	key := keys[0]
	if stay {
		return remain(ctx, c, key, func() { caughtUp.Store(time.Now().UnixNano()) })
	}
	evaluators := []string{"char-count", "word-count-ratio", "pii-detector", "perplexity"}
	if _, err := testbed.Ask[any](ctx, c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "llm-calls",
		"evaluators":  evaluators,
		"selector":    []map[string]any{{"key": "span_type", "source": "span_attributes", "operator": "equals", "value": "llm"}},
	}); err != nil {
		return err
	}
	fmt.Println(`organization "Demo" and auto monitor "llm-calls" made: every span of a model call is judged`)

	begin := time.Now()
	sent, err := replay(ctx, c, key)
	if err != nil {
		return err
	}
	fmt.Printf("%d requests recorded from real SDKs sent: %d over HTTP, %d over gRPC, %d with log records\n\n",
		sent.http+sent.grpc, sent.http, sent.grpc, sent.logs)

	page, err := await(ctx, c, key, begin, int64(len(sent.spans)))
	if err != nil {
		return err
	}
	show(page, evaluators)
	commands(page)
	return c.Stop()
}

// await reads until every span that was sent is there.
func await(ctx context.Context, c *testbed.Collector, key string, begin time.Time, want int64) (page testbed.Page, err error) {
	q := url.Values{"from_timestamp_sec": {fmt.Sprint(begin.Add(-time.Hour).Unix())}, "limit": {"1000"}}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = c.Await(ctx, "the spans", func() (bool, error) {
		page, err = testbed.Ask[testbed.Page](ctx, c, http.MethodGet, "/v2/warehouse/spans?"+q.Encode(), key, nil)
		return err == nil && page.Spans.TotalResults >= want, err
	})
	return page, err
}
