// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"errors"
	"fmt"
	"math"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// Config is what config.yaml says of the receiver.
type Config struct {
	// Store is the extension that provides the stores. Default: store.
	Store component.ID `mapstructure:"store"`

	// Workers is how many leases are in the pipeline at a time. Default: 4.
	Workers int `mapstructure:"workers"`

	// Batch is how many spans one lease is about at most. Default: 32.
	Batch int `mapstructure:"batch"`

	// PollInterval is how long to wait before looking again when nothing was
	// pending and nothing came that this process stores. Default: 250ms.
	PollInterval time.Duration `mapstructure:"poll_interval"`

	// Lease is how long pending evaluations stay with a process that no longer
	// renews their lease, because it was killed. Default: 30s.
	Lease time.Duration `mapstructure:"lease"`

	// Timeout is how long the pipeline may work on one lease, which is renewed
	// meanwhile. Then the requests are canceled and the lease ends, so it has to
	// be longer than any send takes. Default: 5m.
	Timeout time.Duration `mapstructure:"timeout"`

	// Rate is how many evaluations are handed out per second, on average. 0 is
	// no limit. Default: 0.
	Rate float64 `mapstructure:"rate"`

	// Siblings is how many other spans of a trace come along, at most, where an
	// evaluator takes an input from them. Default: 1000.
	Siblings int `mapstructure:"siblings"`

	// ShutdownGrace is how long a shutdown waits for what is in the pipeline
	// before it is cancelled. Default: 10s.
	ShutdownGrace time.Duration `mapstructure:"shutdown_grace"`

	// Backfill says how stored spans are judged again.
	Backfill BackfillConfig `mapstructure:"backfill"`

	_ struct{}
}

// BackfillConfig bounds what backfills take from the rest.
type BackfillConfig struct {
	// Share is the part of the time, 0.001 to 1, in which a backfill works; it
	// pauses in the rest. Default: 0.25.
	Share float64 `mapstructure:"share"`

	// Page is how many spans are looked at between two pauses. Default: 100.
	Page int `mapstructure:"page"`
}

func createDefaultConfig() component.Config {
	return &Config{
		Store:         component.MustNewID("store"),
		Workers:       4,
		Batch:         32,
		PollInterval:  250 * time.Millisecond,
		Lease:         30 * time.Second,
		Timeout:       5 * time.Minute,
		Siblings:      1000,
		ShutdownGrace: 10 * time.Second,
		Backfill:      BackfillConfig{Share: 0.25, Page: 100},
	}
}

// Bounds of a configuration, far beyond what is of use.
const (
	maxWorkers  = 1024
	minLease    = time.Second
	maxTimeout  = 24 * time.Hour
	maxSiblings = 100_000
	minShare    = 0.001
)

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	require := func(fine bool, problem string, args ...any) {
		if !fine {
			errs = append(errs, fmt.Errorf(problem, args...))
		}
	}
	require(c.Store != (component.ID{}), `"store" must name an extension`)
	require(c.Workers >= 1 && c.Workers <= maxWorkers, `"workers" must be between 1 and %d`, maxWorkers)
	require(c.Batch >= 1 && c.Batch <= query.MaxLimit, `"batch" must be between 1 and %d`, query.MaxLimit)
	require(c.PollInterval > 0, `"poll_interval" must be positive`)
	require(c.Lease >= minLease && c.Lease <= maxTimeout, `"lease" must be between %s and %s`, minLease, maxTimeout)
	require(c.Timeout > 0 && c.Timeout <= maxTimeout, `"timeout" must be positive and at most %s`, maxTimeout)
	// So written that they refuse what is no number.
	require(c.Rate >= 0 && !math.IsInf(c.Rate, 1), `"rate" must be a number and not negative`)
	require(c.Siblings >= 0 && c.Siblings <= maxSiblings, `"siblings" must be between 0 and %d`, maxSiblings)
	require(c.ShutdownGrace >= 0, `"shutdown_grace" must not be negative`)
	require(c.Backfill.Share >= minShare && c.Backfill.Share <= 1, `"backfill::share" must be between %v and 1`, minShare)
	require(c.Backfill.Page >= 1 && c.Backfill.Page <= query.MaxLimit, `"backfill::page" must be between 1 and %d`, query.MaxLimit)
	return errors.Join(errs...)
}
