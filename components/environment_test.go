// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// environment answers ${env:NAME:-default} of a configuration from its map in place
// of the process's environment, which the collectors of one process would share.
type environment map[string]string

func newEnvironment(env map[string]string) confmap.ProviderFactory {
	return confmap.NewProviderFactory(func(confmap.ProviderSettings) confmap.Provider { return environment(env) })
}

// Scheme implements confmap.Provider.
func (environment) Scheme() string { return "env" }

// Retrieve implements confmap.Provider.
func (e environment) Retrieve(_ context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	rest, ok := strings.CutPrefix(uri, "env:")
	if !ok {
		return nil, fmt.Errorf("%q is not of the environment", uri)
	}
	name, otherwise, _ := strings.Cut(rest, ":-")
	value, there := e[name]
	if !there {
		value = otherwise
	}
	return confmap.NewRetrievedFromYAML([]byte(value))
}

// Shutdown implements confmap.Provider.
func (environment) Shutdown(context.Context) error { return nil }
