// SPDX-License-Identifier: Apache-2.0

package operations

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

// Usage says what an environment used of its quotas.
type Usage interface {
	Of(ctx context.Context, env tenant.Environment) (usage.Usage, error)
}

// Models says which models evaluators may be given.
type Models struct {
	Judge      bool `json:"judge" doc:"Evaluators may ask a language model."`
	Embedding  bool `json:"embedding" doc:"Evaluators may ask for embeddings."`
	Classifier bool `json:"classifier" doc:"Evaluators may ask a classifier."`
}

// MeAPI serves who is calling.
type MeAPI struct {
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
// is unknown. A host that means all interfaces of the machine stands for the one by
// which the API is called.
type OTLP struct {
	HTTP string `json:"http,omitempty" mapstructure:"http"`
	GRPC string `json:"grpc,omitempty" mapstructure:"grpc"`
}

// from returns the addresses as URLs for a caller of the API at this host.
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
func (a *MeAPI) Routes() []rest.Route {
	return []rest.Route{GetMe.Serve(a.get)}
}

// Me is who is calling.
type Me struct {
	Kind         string          `json:"kind" doc:"What the credential is: of an environment, or the access token." enum:"environment,operator"`
	Organization *MyOrganization `json:"organization,omitempty"`
	Environment  *MyEnvironment  `json:"environment,omitempty"`
	Scope        tenant.Scope    `json:"scope,omitempty" doc:"That of the key." enum:"full,ingest,read,sidecar"`
	KeyID        string          `json:"key_id,omitempty" doc:"The id of the key."`
	Models       Models          `json:"models" doc:"Which models are configured."`
	Version      string          `json:"version" doc:"That of the collector."`
	OTLP         *OTLP           `json:"otlp,omitempty" doc:"Where spans are sent to, as far as it is configured."`
}

// MyOrganization owns the key.
type MyOrganization struct {
	ID   string `json:"id" doc:"Identifies the organization."`
	Name string `json:"name" doc:"Its name."`
}

// MyEnvironment is what the key is of.
type MyEnvironment struct {
	ID             tenant.EnvironmentID `json:"id" doc:"Identifies the environment."`
	Slug           string               `json:"slug" doc:"Its name within the organization."`
	RetentionHours int64                `json:"retention_hours" doc:"How long spans stay readable." schema:"minimum=0"`
	Quota          tenant.Quota         `json:"quota"`
	Usage          *usage.Usage         `json:"usage,omitempty"` // nil while it cannot be measured
}

// get answers who is calling: the quota is the one that holds, defaults
// included.
func (a *MeAPI) get(r *http.Request, p *tenant.Principal) (rest.Response, error) {
	shown := Me{Kind: "operator", Models: a.Models(), Version: a.Version, OTLP: a.OTLP.from(r.Host)}
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
	shown.Organization = &MyOrganization{ID: owners[0].ID, Name: owners[0].Name}
	shown.Environment = &MyEnvironment{
		ID: env.ID, Slug: env.Slug, RetentionHours: int64(env.Retention / time.Hour), Quota: env.Quota, Usage: a.used(r.Context(), env),
	}
	return rest.OK(shown), nil
}

// used returns what the environment has, nil where that takes long or fails:
// the caller is known all the same.
func (a *MeAPI) used(ctx context.Context, env tenant.Environment) *usage.Usage {
	const long = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	used, err := a.Usage.Of(ctx, env)
	if err != nil {
		return nil
	}
	return &used
}
