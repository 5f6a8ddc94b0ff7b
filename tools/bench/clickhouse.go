// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// benchClickHouse measures the collector with its spans in ClickHouse, and writes a section
// of its own.
func benchClickHouse(ctx context.Context, o options, binary, dir string, t *table) error {
	if err := measureClickHouse(ctx, o, binary, dir, t); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\nWritten by `make bench ENGINE=clickhouse`: " + o.conditions() +
		".\nThe engine is ClickHouse's own, as a library in a process that speaks the HTTP interface and keeps memory for a minute (`MALLOC_CONF=dirty_decay_ms:60000`), on the same cores; everything else is in SQLite. CPU time of the engine has what it merged after the load. Nothing was optimised by hand.\n\n")
	t.writeRows(&b)
	return o.writeSection(clickHouseHeading, b.String())
}

func measureClickHouse(ctx context.Context, o options, binary, dir string, t *table) error {
	server, err := clickhousetest.Run(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	c, err := start(ctx, o, binary, dir, "--config", `yaml:extensions::store::spans::clickhouse::dsn: "`+server.DSN()+`"`)
	if err != nil {
		return err
	}
	defer c.Kill()
	g := spangen.New(spangen.Options{Seed: 1, Start: time.Now()})
	keys, err := tenants(ctx, c, g, one)
	if err != nil {
		return err
	}
	pids := []int{c.Pid(), server.Process().Pid}
	r, err := timed(ctx, o, c, g, keys, func() error { return merged(ctx, pids[1]) }, pids[1])
	if err != nil {
		return err
	}
	gateway, engine := r.cpu[0], r.cpu[1]
	t.addIngest("OTLP/gRPC to stored in ClickHouse, 3 monitors on every span: the collector", "≥ 15,000 spans per CPU-second", &o, gateway, r.wall)
	t.add("the collector and the engine together", "≥ 6,500 spans per CPU-second",
		"%.0f spans per CPU-second (%.0f µs each, of which the engine %.0f µs)", perSecond(&o, gateway+engine), each(&o, gateway+engine), each(&o, engine))
	t.addRequests("", &o, r.took)
	for i, what := range []string{"collector", "engine"} {
		memory, err := peakMemory(pids[i])
		if err != nil {
			return err
		}
		t.add("peak memory of the "+what+" while ingesting", "", "%d MB", memory/1_000_000)
	}
	stored, err := server.Stored(ctx)
	if err != nil {
		return err
	}
	t.add("merges by the time that the engine was idle", "", "each row was merged %.2f times; %d parts are left", float64(stored.Merged)/float64(stored.Inserted), stored.Parts)
	t.add("disk", "< 1,250 B per 3.4 KB span", "%d B per span, verdicts included", stored.Bytes/int64(o.spans))
	largest := keys[g.Environments()[0].ID]
	if err := reading(ctx, c, largest, t, "p50 < 60 ms", "< 100 ms"); err != nil {
		return err
	}
	return freshness(ctx, c, g, largest, t)
}

// merged waits until a process does little: what a load left to merge is done.
func merged(ctx context.Context, pid int) error {
	const pause, quiet, longest = 2 * time.Second, 0.1, 2 * time.Minute
	for begin := time.Now(); time.Since(begin) < longest; {
		before, err := cpu(pid)
		if err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		after, err := cpu(pid)
		if err != nil {
			return err
		}
		if (after - before).Seconds() < quiet*pause.Seconds() {
			return nil
		}
	}
	return nil
}
