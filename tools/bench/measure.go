// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// monitors run on every span of the load.
var monitors = []string{"char-count", "word-count", "json-validator"}

func measure(ctx context.Context, o options, binary, dir string, t *table) error {
	c, err := start(ctx, o, binary, dir)
	if err != nil {
		return err
	}
	defer c.Kill()
	g := spangen.New(spangen.Options{Seed: 1, Start: time.Now()})
	keys, err := tenants(ctx, c, g, one)
	if err != nil {
		return err
	}
	const ordered = "OTLP/gRPC to durable in DuckDB, 3 monitors on every span"
	if err := ingest(ctx, o, c, g, keys, t, ordered, "≥ 12,000 spans per CPU-second"); err != nil {
		return err
	}
	largest := keys[g.Environments()[0].ID]
	if err := reading(ctx, c, largest, t, "p50 < 30 ms", "< 150 ms"); err != nil {
		return err
	}
	if err := freshness(ctx, c, g, largest, t); err != nil {
		return err
	}
	if err := few(ctx, o, c, g, keys, t); err != nil {
		return err
	}
	n, err := lateLoads(ctx, o, c, g, keys, t)
	if err != nil {
		return err
	}
	stored := o.spans + n + fewSpans()
	n, err = steadyMemory(ctx, o, c, g, keys, t)
	if err != nil {
		return err
	}
	stored += n
	if err := c.Stop(); err != nil {
		return err
	}
	disk, err := diskUse(dir)
	if err != nil {
		return err
	}
	t.add("disk", "< 800 B per 3.4 KB span", "%d B per span, verdicts included", disk/int64(stored))

	begin := time.Now()
	again, err := start(ctx, o, binary, dir)
	if err != nil {
		return err
	}
	t.add("restart until ready", "< 2 s", "%.1f s", time.Since(begin).Seconds())
	idle, err := anonymousMemory(again.Pid())
	if err != nil {
		return err
	}
	select {
	case <-time.After(30 * time.Second):
	case <-ctx.Done():
		return ctx.Err()
	}
	later, err := anonymousMemory(again.Pid())
	if err != nil {
		return err
	}
	t.add("anonymous memory after the restart, and half a minute later", "< 60 MB", "%d MB, %d MB", idle/1_000_000, later/1_000_000)
	again.Kill() // a signal to end finds no handler this early
	return crowded(ctx, o, binary, filepath.Join(dir, "crowded"), t)
}

func start(ctx context.Context, o options, binary, dir string, args ...string) (*testbed.Collector, error) {
	c, err := testbed.New(dir)
	if err != nil {
		return nil, err
	}
	if err := c.Start(binary, o.config, args...); err != nil {
		return nil, err
	}
	return c, c.AwaitReady(ctx)
}

// one returns each monitor a setup.
func one() (setups [][]string) {
	for _, slug := range monitors {
		setups = append(setups, []string{slug})
	}
	return setups
}

// ten returns each of ten setups all monitors.
func ten() [][]string { return slices.Repeat([][]string{monitors}, 10) }

// crowded measures ingest into a collector of its own with many setups, of a
// tenth of the spans.
func crowded(ctx context.Context, o options, binary, dir string, t *table) error {
	c, err := start(ctx, o, binary, dir)
	if err != nil {
		return err
	}
	defer c.Kill()
	o.spans /= 10
	g := spangen.New(spangen.Options{Seed: 2, Start: time.Now()})
	keys, err := tenants(ctx, c, g, ten)
	if err != nil {
		return err
	}
	return ingest(ctx, o, c, g, keys, t, fmt.Sprintf("the same with 10 setups of 3 evaluators each, %d spans", o.spans), "≥ 8,000 spans per CPU-second")
}

// tenants makes the generator's environments with a setup for each list of
// evaluators, and gives the key of each environment.
func tenants(ctx context.Context, c *testbed.Collector, g *spangen.Generator, setups func() [][]string) (map[tenant.EnvironmentID]string, error) {
	var slugs []string
	for _, e := range g.Environments() {
		slugs = append(slugs, e.Slug)
	}
	made, err := c.Keys(ctx, "bench", slugs...)
	if err != nil {
		return nil, err
	}
	keys := map[tenant.EnvironmentID]string{}
	for i, e := range g.Environments() {
		keys[e.ID] = made[i]
		for n, evaluators := range setups() {
			_, err := testbed.Ask[any](ctx, c, http.MethodPost, "/v2/auto-monitor-setups", made[i],
				map[string]any{"external_id": fmt.Sprintf("bench-%d", n), "evaluators": evaluators})
			if err != nil {
				return nil, err
			}
		}
	}
	return keys, nil
}

// lateLoads measures spans that do not come in the order of their start, a tenth as many
// of each kind, and returns how many it sent.
func lateLoads(
	ctx context.Context, o options, c *testbed.Collector, g *spangen.Generator, keys map[tenant.EnvironmentID]string, t *table,
) (sent int, err error) {
	o.spans /= 10
	for _, x := range []struct {
		what              string
		late, ahead, back time.Duration
	}{
		{what: "starts spread over 25 minutes", late: 25 * time.Minute},
		{what: "the clock of one sender an hour ahead", ahead: time.Hour},
		{what: "an import of the last 30 days", back: 30*24*time.Hour - time.Hour},
	} {
		o.late, o.ahead, o.back = x.late, x.ahead, x.back
		what := fmt.Sprintf("%d more spans, %s", o.spans, x.what)
		if err := ingest(ctx, o, c, g, keys, t, what, "≥ 80 % of the rate in order, no refusal"); err != nil {
			return sent, err
		}
		sent += o.spans
	}
	return sent, nil
}

// steadyRate is how many spans a second steadyMemory sends.
const steadyRate = 2000

// steadyMemory measures the peak of memory in the first sixth of o.minutes of a steady load
// and in the last, and returns how many spans it sent.
func steadyMemory(
	ctx context.Context, o options, c *testbed.Collector, g *spangen.Generator, keys map[tenant.EnvironmentID]string, t *table,
) (sent int, err error) {
	if o.minutes == 0 {
		return 0, nil
	}
	const parts = 6
	o.every = time.Second * time.Duration(o.batch) / steadyRate
	o.spans = steadyRate * o.minutes * 60 / parts
	var peaks [parts]int64
	for i := range peaks {
		if err := forgetPeak(c.Pid()); err != nil {
			return sent, err
		}
		if _, err := timed(ctx, o, c, g, keys, nil); err != nil {
			return sent, err
		}
		sent += o.spans
		if peaks[i], err = peakMemory(c.Pid()); err != nil {
			return sent, err
		}
	}
	t.add(fmt.Sprintf("peak memory at %d spans a second for %d minutes, in the first sixth and in the last", steadyRate, o.minutes), "the same",
		"%d MB, %d MB", peaks[0]/1_000_000, peaks[parts-1]/1_000_000)
	return sent, nil
}

func ingest(
	ctx context.Context, o options, c *testbed.Collector, g *spangen.Generator, keys map[tenant.EnvironmentID]string, t *table, what, bar string,
) error {
	if err := forgetPeak(c.Pid()); err != nil {
		return err
	}
	watched := watchAnonymous(c.Pid())
	r, err := timed(ctx, o, c, g, keys, nil)
	anonymous, failed := watched()
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	memory, err := peakMemory(c.Pid())
	if err != nil {
		return err
	}
	t.addIngest(what, bar, &o, r.cpu[0], r.wall)
	t.addRequests("worst < 1.5 s", &o, r.took)
	t.add("of these were refused first", "none", "%d", r.refused)
	t.add("peak memory while ingesting; of it anonymous, the rest are pages of the binary", "< 450 MB", "%d MB; %d MB", memory/1_000_000, anonymous/1_000_000)
	return nil
}

// fewLoads are loads of small requests, with the share of a core that they may take at
// fewRate requests a second.
var fewLoads = []struct {
	spans   int
	several bool // environments
	bar     string
}{
	{1, false, "≤ 20 % of a core, p50 < 60 ms"},
	{5, false, "≤ 25 % of a core"},
	{1, true, ""},
	{5, true, ""},
}

const (
	fewRate = 200
	fewFor  = 10 * time.Second
)

// fewSpans returns how many spans few sends.
func fewSpans() (n int) {
	for _, x := range fewLoads {
		n += x.spans * fewRate * int(fewFor/time.Second)
	}
	return n
}

// few measures small requests of a steady rate, those of one environment and of all.
func few(ctx context.Context, o options, c *testbed.Collector, g *spangen.Generator, keys map[tenant.EnvironmentID]string, t *table) error {
	for _, x := range fewLoads {
		o.batch, o.every, o.environment = x.spans, time.Second/fewRate, ""
		of := fmt.Sprintf("%d environments", len(keys))
		if !x.several {
			o.environment, of = g.Environments()[0].ID, "one environment"
		}
		o.spans = x.spans * fewRate * int(fewFor/time.Second)
		r, err := timed(ctx, o, c, g, keys, nil)
		if err != nil {
			return err
		}
		t.add(fmt.Sprintf("%.0f requests/s of %d spans each, %d senders of %s", float64(len(r.took))/r.wall.Seconds(), x.spans, o.clients, of), x.bar,
			"%.0f %% of a core, p50 %.0f ms", 100*r.cpu[0].Seconds()/r.wall.Seconds(), ms(r.took.at(.5)))
	}
	return nil
}

// reading asks the largest environment for pages and totals, of which the first page and
// the total by an attribute have these bars.
func reading(ctx context.Context, c *testbed.Collector, key string, t *table, firstPage, total string) error {
	newest := url.Values{"from_timestamp_sec": {"0"}, "sort_order": {"DESC"}}
	page, took, err := ask(ctx, c, key, newest, 40)
	if err != nil {
		return err
	}
	t.add(fmt.Sprintf("first page of 50, newest first, of %d spans, exact total included", page.Spans.TotalResults),
		firstPage, "p50 %.1f ms, p95 %.1f ms", ms(took.at(.5)), ms(took.at(.95)))

	customer := page.Spans.Data[0].SpanAttributes[spangen.Unpromoted]
	byAttribute := url.Values{"from_timestamp_sec": {"0"}, "limit": {"1"}, spangen.Unpromoted: {customer}}
	page, took, err = ask(ctx, c, key, byAttribute, 20)
	if err != nil {
		return err
	}
	t.add(fmt.Sprintf("exact total by an attribute (%d match), with a page of 1", page.Spans.TotalResults),
		total, "p50 %.0f ms, p95 %.0f ms", ms(took.at(.5)), ms(took.at(.95)))

	byVerdict := url.Values{
		"from_timestamp_sec": {"0"}, "limit": {"50"},
		"filters": {`[{"id":"evaluation.word-count.word_count","operator":"greater_than","value":100}]`},
	}
	page, took, err = ask(ctx, c, key, byVerdict, 10)
	if err != nil {
		return err
	}
	t.add(fmt.Sprintf("page of 50 by a verdict (%d match)", page.Spans.TotalResults), "< 150 ms", "p50 %.0f ms", ms(took.at(.5)))
	hour := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	for _, x := range []struct {
		what, bar string
		q         url.Values
	}{
		{"page of 50 in the order of a verdict", "< 300 ms", url.Values{"from_timestamp_sec": {"0"}, "sort_by": {"evaluation.word-count.word_count"}, "sort_order": {"DESC"}}},
		{"page of 50 in the order of tokens", "< 300 ms", url.Values{"from_timestamp_sec": {"0"}, "sort_by": {"total_tokens"}, "sort_order": {"DESC"}}},
		{"page of 50 whose completions contain a word, of an hour", "< 400 ms", url.Values{
			"from_timestamp_sec": {hour}, "filters": {`[{"id":"completions","operator":"contains","value":"zuzu"}]`},
		}},
	} {
		_, took, err := ask(ctx, c, key, x.q, 10)
		if err != nil {
			return err
		}
		t.add(x.what, x.bar, "p50 %.0f ms", ms(took.at(.5)))
	}
	return figures(ctx, c, key, t)
}

// figures measures aggregations, and a list of evaluations, of all that there is.
func figures(ctx context.Context, c *testbed.Collector, key string, t *table) error {
	const day = 86_400
	since := time.Now().Unix() - 300*day
	for _, x := range []struct {
		name, path string
		body       map[string]any // nil to get what is there
	}{
		{"figures of spans by day", "/v2/warehouse/spans/aggregate", map[string]any{"measures": []string{"count", "errors"}, "step_sec": day}},
		{"figures of spans by service, with percentiles", "/v2/warehouse/spans/aggregate", map[string]any{"measures": []string{"count", "duration_p90"}, "group_by": []string{"service_name"}}},
		{"figures of an output by day", "/v2/metrics/aggregate", map[string]any{"measures": []string{"count", "avg"}, "step_sec": day, "evaluator": "word-count"}},
		{"figures of evaluations by status", "/v2/evaluations/aggregate", map[string]any{"measures": []string{"count"}, "group_by": []string{"evaluator", "status"}}},
		{"figures of all setups", "/v2/monitoring/setups", nil},
		{"page of 50 evaluations of an evaluator", "/v2/evaluations/search", map[string]any{"evaluator": "word-count", "status": "done"}},
	} {
		method, body := http.MethodGet, any(nil)
		if x.body != nil {
			x.body["from_timestamp_sec"] = since
			method, body = http.MethodPost, x.body
		}
		var took latencies
		for range 10 {
			begin := time.Now()
			if _, err := testbed.Ask[any](ctx, c, method, x.path, key, body); err != nil {
				return err
			}
			took = append(took, time.Since(begin))
		}
		slices.Sort(took)
		t.add(x.name, "< 300 ms", "p50 %.0f ms, p95 %.0f ms", ms(took.at(.5)), ms(took.at(.95)))
	}
	return nil
}

func ask(ctx context.Context, c *testbed.Collector, key string, q url.Values, times int) (page testbed.Page, took latencies, err error) {
	for range times {
		begin := time.Now()
		page, err = testbed.Ask[testbed.Page](ctx, c, http.MethodGet, "/v2/warehouse/spans?"+q.Encode(), key, nil)
		if err != nil {
			return page, nil, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return page, took, nil
}

// steadily sends rate spans a second of one environment, in ten requests, until
// ctx ends.
func steadily(ctx context.Context, c *testbed.Collector, key string, rate int) error {
	client, conn, err := dial(c.GRPC)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the end of a run
	g := spangen.New(spangen.Options{Seed: 3, Start: time.Now()})
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	for {
		spans := make([]span.Span, rate/10)
		for i := range spans {
			_, spans[i] = g.Next()
			spans[i].Start = time.Now().UnixNano() - spans[i].Duration
		}
		if _, err := send(ctx, client, key, request{traces: spangen.Traces(spans), spans: len(spans)}); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // it was to end
			}
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// freshness measures from before a span is sent until its verdict is read,
// while a thousand others come each second.
func freshness(ctx context.Context, c *testbed.Collector, g *spangen.Generator, key string, t *table) error {
	env := g.Environments()[0].ID
	var took latencies
	steady, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- steadily(steady, c, key, 1000) }()
	defer stop()
	for range 20 {
		owner, s := g.Next()
		for owner.ID != env || s.Vendor == "" {
			owner, s = g.Next()
		}
		s.Start = time.Now().UnixNano()
		begin := time.Now()
		if err := sendOne(ctx, c.GRPC, key, s); err != nil {
			return err
		}
		q := url.Values{"from_timestamp_sec": {fmt.Sprint(s.Start / 1e9)}, "span_id": {s.SpanID.String()}}
		err := c.Await(ctx, "the verdict", func() (bool, error) {
			page, _, err := ask(ctx, c, key, q, 1)
			return err == nil && page.Spans.TotalResults == 1 &&
				page.Spans.Data[0].SpanAttributes["evaluation.char-count.char_count"] != "", err
		})
		if err != nil {
			return err
		}
		took = append(took, time.Since(begin))
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	slices.Sort(took)
	t.add("span sent to its verdict read over the API, at 1,000 spans/s", "< 1 s", "p50 %.0f ms, worst %.0f ms", ms(took.at(.5)), ms(took.at(1)))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func sendOne(ctx context.Context, address, key string, s span.Span) error {
	client, conn, err := dial(address)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the end of a call
	_, err = send(ctx, client, key, request{traces: spangen.Traces([]span.Span{s}), spans: 1})
	return err
}
