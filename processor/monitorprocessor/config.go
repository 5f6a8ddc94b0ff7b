// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
)

// Config is what config.yaml says of the processor.
type Config struct {
	// Store is the extension that provides the setups. Empty: there is none, and
	// only spans that come from the backlog are judged. Default: store.
	Store component.ID `mapstructure:"store"`

	// Setups is the extension that provides setups where there is no store, at a
	// sidecar: what judges in place does, and all else is left to the gateway. Empty:
	// there is none. It goes without a Store.
	Setups component.ID `mapstructure:"setups"`

	// Models is the extension that provides models to evaluators. Default: none,
	// and what needs a model does not run.
	Models component.ID `mapstructure:"models"`

	// Budget is how long evaluators may run on one batch; what is left then is
	// deferred, reason over_budget. Default: 2s.
	Budget time.Duration `mapstructure:"budget"`

	// ActBudget is how long the texts of one batch may be searched for what a setup's
	// on_verdict asks to be taken out; what is left then counts as a failure. Default:
	// 30s.
	ActBudget time.Duration `mapstructure:"on_verdict_budget"`

	// TraceWait is how long an evaluation is deferred whose input other spans
	// of the trace may bring, so that they can arrive. Default: 10s.
	TraceWait time.Duration `mapstructure:"trace_wait"`

	// Concurrency is how many deferred evaluations of one batch are made at a
	// time. Default: 16.
	Concurrency int `mapstructure:"concurrency"`

	// Retry says when deferred evaluations that failed are made again.
	Retry RetryConfig `mapstructure:"retry"`

	// VerdictMetrics says of which setups the verdicts become metrics.
	VerdictMetrics VerdictMetricsConfig `mapstructure:"verdict_metrics"`

	_ struct{}
}

// RetryConfig says when and how often something is tried again.
type RetryConfig struct {
	// MaxAttempts is how often an evaluation is tried that a model answers with
	// nothing usable. An outage of a model counts, but never ends it. Default: 5.
	MaxAttempts int `mapstructure:"max_attempts"`
	// InitialInterval is how long the first wait is, about; each one after it is
	// twice as long. Default: 5s.
	InitialInterval time.Duration `mapstructure:"initial_interval"`
	// MaxInterval is how long a wait is at most. Default: 5m.
	MaxInterval time.Duration `mapstructure:"max_interval"`
}

func createDefaultConfig() component.Config {
	return &Config{
		Store:       component.MustNewID("store"),
		Budget:      2 * time.Second,
		ActBudget:   30 * time.Second,
		TraceWait:   10 * time.Second,
		Concurrency: 16,
		Retry:       RetryConfig{MaxAttempts: 5, InitialInterval: 5 * time.Second, MaxInterval: 5 * time.Minute},

		VerdictMetrics: VerdictMetricsConfig{MaxSeries: 500},
	}
}

// Unmarshal takes an empty "store", which no ID is otherwise.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	type plain Config // without this method
	all := conf.ToStringMap()
	store, given := all["store"]
	if given && (store == nil || store == "") {
		c.Store = component.ID{}
		delete(all, "store")
	}
	if setups := all["setups"]; !given && setups != nil && setups != "" {
		c.Store = component.ID{}
	}
	return confmap.NewFromStringMap(all).Unmarshal((*plain)(c))
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	require := func(fine bool, problem string) {
		if !fine {
			errs = append(errs, errors.New(problem))
		}
	}
	require(c.Setups == (component.ID{}) || c.Store == (component.ID{}) && c.Models == (component.ID{}), `"setups" goes without "store" and "models"`)
	require(c.Budget > 0, `"budget" must be positive`)
	require(c.ActBudget > 0, `"on_verdict_budget" must be positive`)
	require(c.TraceWait >= 0, `"trace_wait" must not be negative`)
	require(c.Concurrency > 0, `"concurrency" must be positive`)
	require(c.Retry.MaxAttempts > 0, `"retry::max_attempts" must be positive`)
	require(c.Retry.InitialInterval > 0, `"retry::initial_interval" must be positive`)
	require(c.Retry.MaxInterval >= c.Retry.InitialInterval, `"retry::max_interval" must not be shorter than "retry::initial_interval"`)
	require(c.VerdictMetrics.MaxSeries > 0 && c.VerdictMetrics.MaxSeries <= 10_000, `"verdict_metrics::max_series" must be from 1 to 10000`)
	return errors.Join(errs...)
}
