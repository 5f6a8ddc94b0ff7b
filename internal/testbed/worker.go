// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"maps"
	"net"
)

// workerToken is what collectors and their workers show one another in every
// testbed.
const workerToken = "the-token-of-the-workers-of-this-testbed"

// NewWorker finds free ports for a worker of the collector, and tells each where
// the other is. The collector is to run with config/with-worker.yaml, the worker
// with config/worker.yaml. Nothing is started.
func (c *Collector) NewWorker() (*Collector, error) {
	// What was found is taken for as long as more is looked for, or it might be
	// found again.
	ours, err := c.hold()
	defer ours()
	if err != nil {
		return nil, err
	}
	w, err := New(c.Dir) // which a worker leaves alone
	if err != nil {
		return nil, err
	}
	theirs, err := w.hold()
	defer theirs()
	if err != nil {
		return nil, err
	}
	results, err := listen()
	if err != nil {
		return nil, err
	}
	defer results.Close() //nolint:errcheck // it only kept the port from being found twice
	maps.Copy(c.Env, map[string]string{
		"TOUCHSTONE_WORKER_TOKEN": workerToken,
		"TOUCHSTONE_WORKERS_URL":  "http://" + w.GRPC,
		"TOUCHSTONE_RESULTS":      results.Addr().String(),
	})
	maps.Copy(w.Env, map[string]string{
		"TOUCHSTONE_WORKER_TOKEN": workerToken,
		"TOUCHSTONE_WORKER":       w.GRPC,
		"TOUCHSTONE_RESULTS_URL":  "http://" + results.Addr().String(),
	})
	return w, nil
}

// hold takes the ports of a collector that is not started, until release.
func (c *Collector) hold() (release func(), err error) {
	var held []net.Listener
	release = func() {
		for _, l := range held {
			_ = l.Close()
		}
	}
	for _, address := range []string{
		c.Env["TOUCHSTONE_API"], c.Env["TOUCHSTONE_OTLP_HTTP"], c.Env["TOUCHSTONE_OTLP_GRPC"], c.Env["TOUCHSTONE_HEALTH"],
		net.JoinHostPort("127.0.0.1", c.Env["TOUCHSTONE_METRICS_PORT"]),
	} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return release, err
		}
		held = append(held, l)
	}
	return release, nil
}
