// SPDX-License-Identifier: Apache-2.0

package testbed

import "maps"

// workerToken is what collectors and their workers show one another in every
// testbed.
const workerToken = "the-token-of-the-workers-of-this-testbed"

// NewWorker finds free ports for a worker of the collector, and tells each where
// the other is. The collector is to run with config/with-worker.yaml, the worker
// with config/worker.yaml. Nothing is started.
func (c *Collector) NewWorker() (*Collector, error) {
	w, err := New(c.Dir) // which a worker leaves alone
	if err != nil {
		return nil, err
	}
	results, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	maps.Copy(c.Env, map[string]string{
		"TOUCHSTONE_WORKER_TOKEN": workerToken,
		"TOUCHSTONE_WORKERS_URL":  "http://" + w.GRPC,
		"TOUCHSTONE_RESULTS":      results,
	})
	maps.Copy(w.Env, map[string]string{
		"TOUCHSTONE_WORKER_TOKEN": workerToken,
		"TOUCHSTONE_WORKER":       w.GRPC,
		"TOUCHSTONE_RESULTS_URL":  "http://" + results,
	})
	return w, nil
}
