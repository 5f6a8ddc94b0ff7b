// SPDX-License-Identifier: Apache-2.0

// Package testbed runs the shipped config.yaml on ports and a directory of its
// own, for the tests of the whole distribution and the programs that show and measure
// it.
package testbed

import (
	"maps"
	"net"
	"slices"
)

// AccessToken is the operator's in every testbed.
const AccessToken = "the operator's token of this testbed"

// Collector is one collector: where it listens, and as a process, if started.
type Collector struct {
	Dir  string            // its data directory
	API  string            // base URL of the API
	HTTP string            // base URL of OTLP over HTTP
	GRPC string            // host:port of OTLP over gRPC
	Env  map[string]string // variables for config.yaml, as in a deployment

	process
}

// New finds free ports for a collector on the directory. Nothing is started.
func New(dir string) (*Collector, error) {
	var addresses []string
	for range 5 {
		address, err := FreeAddress()
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	_, metricsPort, err := net.SplitHostPort(addresses[4])
	if err != nil {
		return nil, err
	}
	return &Collector{
		Dir: dir, API: "http://" + addresses[0], HTTP: "http://" + addresses[1], GRPC: addresses[2],
		Env: map[string]string{
			"TOUCHSTONE_DATA_DIR":     dir,
			"TOUCHSTONE_API":          addresses[0],
			"TOUCHSTONE_OTLP_HTTP":    addresses[1],
			"TOUCHSTONE_OTLP_GRPC":    addresses[2],
			"TOUCHSTONE_HEALTH":       addresses[3],
			"TOUCHSTONE_METRICS_PORT": metricsPort,
			"TOUCHSTONE_ACCESS_TOKEN": AccessToken,
		},
	}, nil
}

// environ is Env as a process is given it.
func (c *Collector) environ() []string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		list = append(list, k+"="+c.Env[k])
	}
	return list
}
