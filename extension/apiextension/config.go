// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/operations"
	"github.com/touchstone-otel/touchstone/internal/connbound"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Config is what config.yaml says about the API.
type Config struct {
	// HTTP is the server: endpoint (default 127.0.0.1:8080), tls,
	// max_request_body_size (default 4 MiB), timeouts and all else that the
	// collector's HTTP servers know, but for auth.
	HTTP confighttp.ServerConfig `mapstructure:"http"`

	// Connections bound who may be connected at once.
	Connections connbound.Config `mapstructure:"connections"`

	// Store is the extension that provides the stores. Default: store.
	Store component.ID `mapstructure:"store"`

	// Auth is the extension that turns a credential into a principal.
	// Default: keyauth.
	Auth component.ID `mapstructure:"auth"`

	// Admission is the extension whose memory_mib requests to the API share with those
	// of OTLP. Default: none, and requests to the API have 128 MiB of their own.
	Admission component.ID `mapstructure:"admission"`

	// Models is the extension that provides models to evaluators. Default: none,
	// and what needs a model is answered with 503.
	Models component.ID `mapstructure:"models"`

	// RequestTimeout is how long one request may take before it is answered
	// with 503; shorter than http::write_timeout. Default: 25s.
	RequestTimeout time.Duration `mapstructure:"request_timeout"`

	// ExecutionTimeout is how long an execution may take, and how long one
	// request may wait for its result, whatever http::write_timeout is.
	// Default: 110s, a little less than what clients wait.
	ExecutionTimeout time.Duration `mapstructure:"execution_timeout"`

	// Monitoring says what /v2/monitoring/status takes for well.
	Monitoring operations.MonitoringConfig `mapstructure:"monitoring"`

	// ChangesPerSecond is how many changes of setups, evaluators, backfills and data the
	// keys of one environment may make per second, on average, 1,000 at once. Default: 20.
	ChangesPerSecond float64 `mapstructure:"changes_per_second"`

	// Audit says where it is kept who changed organizations, keys, setups and
	// evaluators.
	Audit AuditConfig `mapstructure:"audit"`

	// AnnotationTasks are the association properties in which spans have the ids that
	// annotations of a task are about, by the task's name, where it is none of those
	// that are looked for anyway.
	AnnotationTasks map[string]string `mapstructure:"annotation_tasks"`

	// OTLP are the addresses of the receivers of spans, which /v2/me reports. Default:
	// none.
	OTLP operations.OTLP `mapstructure:"otlp"`

	// TrustedProxies are the addresses or networks of proxies whose X-Forwarded-Host and
	// X-Forwarded-Proto count. Default: this machine, from which the receiver's port for
	// spans hands requests on.
	TrustedProxies []string `mapstructure:"trusted_proxies"`

	// Alerts is about alerts of users.
	Alerts AlertsConfig `mapstructure:"alerts"`

	// Warm are evaluators that load what they need in the background at start,
	// instead of when they are first asked for. Default: prompt-perplexity.
	Warm []string `mapstructure:"warm"`

	_ struct{}
}

// AlertsConfig is about alerts.
type AlertsConfig struct {
	// Enabled says that this process evaluates alerts and sends their notifications. Processes
	// that share a control store share the work. Default: true.
	Enabled bool `mapstructure:"enabled"`

	// AllowPrivateTargets lets notifications go to private and loopback addresses, too. Link-local
	// addresses and metadata services stay refused. Default: false.
	AllowPrivateTargets bool `mapstructure:"allow_private_targets"`

	_ struct{}
}

// changesAtOnce are as many changes as an environment can have setups, so that all of them
// can be applied at once.
const changesAtOnce = store.MaxSetups

// maxChanges is more than any process makes per second.
const maxChanges = 1_000_000

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.HTTP.Auth.HasValue() {
		errs = append(errs, errors.New(`"http::auth" must not be set: the authenticator is named by "auth"`))
	}
	if c.Store == (component.ID{}) {
		errs = append(errs, errors.New(`"store" must name an extension`))
	}
	if c.Auth == (component.ID{}) {
		errs = append(errs, errors.New(`"auth" must name an extension`))
	}
	switch {
	case c.RequestTimeout <= 0:
		errs = append(errs, errors.New(`"request_timeout" must be positive`))
	case c.HTTP.WriteTimeout > 0 && c.RequestTimeout >= c.HTTP.WriteTimeout:
		errs = append(errs, errors.New(`"request_timeout" must be shorter than "http::write_timeout"`))
	}
	if c.HTTP.MaxRequestBodySize <= 0 {
		errs = append(errs, errors.New(`"http::max_request_body_size" must be positive`))
	}
	if c.ExecutionTimeout <= 0 {
		errs = append(errs, errors.New(`"execution_timeout" must be positive`))
	}
	switch {
	case c.Monitoring.DegradedAfter <= 0:
		errs = append(errs, errors.New(`"monitoring::degraded_after" must be positive`))
	case c.Monitoring.ErrorAfter < c.Monitoring.DegradedAfter:
		errs = append(errs, errors.New(`"monitoring::error_after" must not be shorter than "monitoring::degraded_after"`))
	}
	if err := c.Connections.Check("connections"); err != nil {
		errs = append(errs, err)
	}
	// So written that it refuses what is no number.
	if !(c.ChangesPerSecond > 0 && c.ChangesPerSecond <= maxChanges) {
		errs = append(errs, fmt.Errorf(`"changes_per_second" must be positive and at most %d`, maxChanges))
	}
	if err := c.Audit.validate(); err != nil {
		errs = append(errs, err)
	}
	for task, property := range c.AnnotationTasks {
		if task == "" || property == "" {
			errs = append(errs, fmt.Errorf(`"annotation_tasks::%s" must name a task and its association property`, task))
		}
	}
	for _, text := range c.TrustedProxies {
		if _, err := parseNetwork(text); err != nil {
			errs = append(errs, fmt.Errorf(`"trusted_proxies" must have addresses or networks such as 10.0.0.0/8, got %q`, text))
		}
	}
	for _, slug := range c.Warm {
		if _, found := evaluators.Catalog().Get(slug); !found {
			errs = append(errs, fmt.Errorf(`"warm" names an unknown evaluator: %q`, slug))
		}
	}
	return errors.Join(errs...)
}

// parseNetwork reads a network, or an address, which is a network of one.
func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.Unmap().Prefix(a.Unmap().BitLen())
	}
	return netip.ParsePrefix(text)
}

// proxies returns the networks of a valid configuration's proxies.
func (c *Config) proxies() (list []netip.Prefix) {
	for _, text := range c.TrustedProxies {
		if p, err := parseNetwork(text); err == nil {
			list = append(list, p)
		}
	}
	return list
}
