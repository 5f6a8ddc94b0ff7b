// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"context"
	"fmt"
	"maps"
	"net/http"
)

// NewSidecar finds free ports for a sidecar of the collector, which sends with a key. It
// is to run with config/sidecar.yaml, on a directory of its own. Nothing is started.
func (c *Collector) NewSidecar(dir, key string) (*Collector, error) {
	s, err := New(dir)
	if err != nil {
		return nil, err
	}
	maps.Copy(s.Env, map[string]string{
		"TOUCHSTONE_GATEWAY_API":  c.API,
		"TOUCHSTONE_GATEWAY_OTLP": "http://" + c.GRPC,
		"TOUCHSTONE_SIDECAR_KEY":  key,
	})
	return s, nil
}

// ScopedKey makes another key of the environment that a key of it, which reads, is of.
func (c *Collector) ScopedKey(ctx context.Context, key, scope string) (string, error) {
	me, err := Ask[struct {
		Organization struct{ ID string }
		Environment  struct{ Slug string }
	}](ctx, c, http.MethodGet, "/v2/me", key, nil)
	if err != nil {
		return "", err
	}
	made, err := Ask[struct {
		APIKey string `json:"api_key"`
	}](ctx, c, http.MethodPost, fmt.Sprintf("/v2/organizations/%s/environments/%s/keys", me.Organization.ID, me.Environment.Slug), AccessToken,
		map[string]any{"name": scope, "scope": scope})
	return made.APIKey, err
}
