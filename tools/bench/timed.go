// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// timing is what a load took.
type timing struct {
	took    latencies
	refused int // requests that were to come again
	wall    time.Duration
	cpu     []time.Duration // of the collector, and of other processes
}

// timed sends a load to a collector. The CPU time, also that of others by their process
// ids, is until caughtUp returns, which may be nil.
func timed(
	ctx context.Context, o options, c *testbed.Collector, g *spangen.Generator, keys map[tenant.EnvironmentID]string, caughtUp func() error, others ...int,
) (r timing, err error) {
	pids := append([]int{c.Pid()}, others...)
	before, err := cpuOf(pids)
	if err != nil {
		return r, err
	}
	begin := time.Now()
	if r.took, r.refused, err = load(ctx, o, c.GRPC, g, keys); err != nil {
		return r, err
	}
	r.wall = time.Since(begin)
	if caughtUp != nil {
		if err := caughtUp(); err != nil {
			return r, err
		}
	}
	if r.cpu, err = cpuOf(pids); err != nil {
		return r, err
	}
	for i := range r.cpu {
		r.cpu[i] -= before[i]
	}
	return r, nil
}

// cpuOf returns the CPU time of processes.
func cpuOf(pids []int) ([]time.Duration, error) {
	list := make([]time.Duration, len(pids))
	for i, pid := range pids {
		used, err := cpu(pid)
		if err != nil {
			return nil, err
		}
		list[i] = used
	}
	return list, nil
}

// perSecond returns how many spans of a run there were in a second of d.
func perSecond(o *options, d time.Duration) float64 { return float64(o.spans) / d.Seconds() }

// each returns how many microseconds of d a span of a run took.
func each(o *options, d time.Duration) float64 { return float64(d.Microseconds()) / float64(o.spans) }

// addIngest adds what the collector did with a load.
func (t *table) addIngest(what, bar string, o *options, used, wall time.Duration) {
	t.add(what, bar, "%.0f spans per CPU-second (%.0f µs each), %.0f spans/s of wall time", perSecond(o, used), each(o, used), perSecond(o, wall))
}

// addRequests adds how long its requests took.
func (t *table) addRequests(bar string, o *options, took latencies) {
	t.add("time of a request of "+fmt.Sprint(o.batch)+" spans, senders always waiting", bar,
		"p50 %.0f ms, p95 %.0f ms, worst %.0f ms", ms(took.at(.5)), ms(took.at(.95)), ms(took.at(1)))
}
