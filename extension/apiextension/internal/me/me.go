// SPDX-License-Identifier: Apache-2.0

// Package me serves who is calling.
package me

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Control is the part of store.Control that is needed here.
type Control interface {
	Organizations(ctx context.Context, ids ...string) ([]tenant.Organization, error)
}

// Usage says what an environment used of its quotas.
type Usage interface {
	Of(ctx context.Context, env tenant.Environment) (usage.Usage, error)
}

// Models says which models evaluators may be given.
type Models struct {
	Judge      bool `json:"judge"`
	Embedding  bool `json:"embedding"`
	Classifier bool `json:"classifier"`
}

// API serves who is calling.
type API struct {
	Control Control
	// Usage measures what environments have of what their quotas bound.
	Usage Usage
	// Models says what is configured now.
	Models func() Models
	// Version is that of the collector.
	Version string
	// OTLP is where spans are sent to.
	OTLP OTLP
}

// OTLP are the addresses of the receivers, as host and port or as URLs, "" for one that
// is not told. A host that means all interfaces of the machine stands for the one by
// which the API is called.
type OTLP struct {
	HTTP string `json:"http,omitempty" mapstructure:"http"`
	GRPC string `json:"grpc,omitempty" mapstructure:"grpc"`
}

// from returns the addresses as URLs for whoever called the API by this host.
func (o OTLP) from(host string) *OTLP {
	if o == (OTLP{}) {
		return nil
	}
	return &OTLP{HTTP: reached(o.HTTP, host), GRPC: reached(o.GRPC, host)}
}

func reached(address, host string) string {
	if address == "" || strings.Contains(address, "://") {
		return address
	}
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = host
		if only, _, err := net.SplitHostPort(host); err == nil {
			name = only
		}
		name = strings.Trim(name, "[]")
	}
	return "http://" + net.JoinHostPort(name, port)
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{rest.Caller(http.MethodGet, "/v2/me", a.get)}
}

type response struct {
	Kind         string        `json:"kind"`
	Organization *organization `json:"organization,omitempty"`
	Environment  *environment  `json:"environment,omitempty"`
	Scope        tenant.Scope  `json:"scope,omitempty"`
	KeyID        string        `json:"key_id,omitempty"`
	Models       Models        `json:"models"`
	Version      string        `json:"version"`
	OTLP         *OTLP         `json:"otlp,omitempty"`
}

type organization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type environment struct {
	ID             tenant.EnvironmentID `json:"id"`
	Slug           string               `json:"slug"`
	RetentionHours int64                `json:"retention_hours"`
	Quota          tenant.Quota         `json:"quota"`
	Usage          *usage.Usage         `json:"usage,omitempty"` // nil while it cannot be measured
}

// get answers who is calling: the quota is the one that holds, defaults
// included.
func (a *API) get(r *http.Request, p *tenant.Principal) (rest.Response, error) {
	shown := response{Kind: "operator", Models: a.Models(), Version: a.Version, OTLP: a.OTLP.from(r.Host)}
	if p.Operator {
		return rest.OK(shown), nil
	}
	env := p.Environment
	owners, err := a.Control.Organizations(r.Context(), env.OrganizationID)
	if err != nil {
		return rest.Response{}, err
	}
	if len(owners) == 0 || !owners[0].DeletedAt.IsZero() { // it was deleted this moment
		return rest.Response{}, fault.New(fault.Unauthorized, "Unauthorized")
	}
	shown.Kind, shown.Scope, shown.KeyID = "environment", p.Scope, p.KeyID
	shown.Organization = &organization{ID: owners[0].ID, Name: owners[0].Name}
	shown.Environment = &environment{
		ID: env.ID, Slug: env.Slug, RetentionHours: int64(env.Retention / time.Hour), Quota: env.Quota, Usage: a.used(r.Context(), env),
	}
	return rest.OK(shown), nil
}

// used returns what the environment has, nil where that takes long or cannot be told:
// who is calling is known all the same.
func (a *API) used(ctx context.Context, env tenant.Environment) *usage.Usage {
	const long = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	used, err := a.Usage.Of(ctx, env)
	if err != nil {
		return nil
	}
	return &used
}
