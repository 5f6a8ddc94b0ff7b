// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
)

// Config is what config.yaml says of the extension.
type Config struct {
	// Auth is the receiver's authenticator. A gRPC server asks it before it
	// reads a message; an HTTP server does that by itself. Default: none, and a
	// message is received, though not unpacked by gzip or decoded, before the
	// receiver's authenticator is asked.
	Auth component.ID `mapstructure:"auth"`

	// Store is the extension that knows what environments have stored, and their pending evaluations.
	// Default: none, and quotas of these are not held.
	Store component.ID `mapstructure:"store"`

	// RequestMiB is what one request may be unpacked to, in MiB. Default: 64.
	RequestMiB int `mapstructure:"request_mib"`

	// MemoryMiB is what the requests under way may take together, in MiB: as
	// received, unpacked and decoded. One caller has at most half of it while it
	// has several. Default: 256.
	MemoryMiB int `mapstructure:"memory_mib"`

	// Wait is how long a request waits for memory before it is refused. Default: 2s.
	Wait time.Duration `mapstructure:"wait"`

	// RetryAfter is the delay that a client gets whose request was refused because
	// memory is short. Default: 1s.
	RetryAfter time.Duration `mapstructure:"retry_after"`

	// StopWait is how long requests may continue after shutdown begins. Then
	// connections are closed whose request has not been answered, and calls are
	// cancelled whose message is not whole. Default: 3s.
	StopWait time.Duration `mapstructure:"stop_wait"`

	// Limits is what one request may hold.
	Limits Limits `mapstructure:"limits"`

	_ struct{}
}

// Limits is what one request may hold.
type Limits struct {
	// Depth is how deep values may nest; a plain attribute's is 1. At most 64,
	// which is the default.
	Depth int `mapstructure:"depth"`

	// Attributes is how many a resource, scope, span, event, link, log record,
	// data point or map may have. Default: 10000.
	Attributes int `mapstructure:"attributes"`

	// Values is how many a list may have. Default: 100000.
	Values int `mapstructure:"values"`

	// Events is how many a span may have. Default: 10000.
	Events int `mapstructure:"events"`

	// Links is how many a span may have. Default: 10000.
	Links int `mapstructure:"links"`

	// Records is how many spans, log records or data points a request may have,
	// and how many resources, scopes and metrics together. Default: 20000.
	Records int `mapstructure:"records"`

	// KeyBytes is how long the key of an attribute may be. Default: 4096.
	KeyBytes int `mapstructure:"key_bytes"`

	// NameBytes is how long the name of a span, event, scope or metric may be,
	// a trace state and the like. Default: 1048576.
	NameBytes int `mapstructure:"name_bytes"`
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	for _, s := range []struct {
		key   string
		value int64
	}{
		{"request_mib", int64(c.RequestMiB)},
		{"memory_mib", int64(c.MemoryMiB)},
		{"wait", int64(c.Wait)},
		{"retry_after", int64(c.RetryAfter)},
		{"stop_wait", int64(c.StopWait)},
		{"limits::depth", int64(c.Limits.Depth)},
		{"limits::attributes", int64(c.Limits.Attributes)},
		{"limits::values", int64(c.Limits.Values)},
		{"limits::events", int64(c.Limits.Events)},
		{"limits::links", int64(c.Limits.Links)},
		{"limits::records", int64(c.Limits.Records)},
		{"limits::key_bytes", int64(c.Limits.KeyBytes)},
		{"limits::name_bytes", int64(c.Limits.NameBytes)},
	} {
		if s.value <= 0 {
			errs = append(errs, fmt.Errorf("%q must be positive", s.key))
		}
	}
	if c.Limits.Depth > otlpbound.MaxDepth {
		errs = append(errs, fmt.Errorf(`"limits::depth" must be at most %d`, otlpbound.MaxDepth))
	}
	if c.RequestMiB > 1<<10 {
		errs = append(errs, errors.New(`"request_mib" must be at most 1024`))
	}
	if c.MemoryMiB < 2*c.RequestMiB {
		errs = append(errs, errors.New(`"memory_mib" must be at least twice "request_mib"`))
	}
	return errors.Join(errs...)
}

func (c *Config) bounds() otlpbound.Limits {
	l := &c.Limits
	return otlpbound.Limits{
		Depth: l.Depth, Attributes: l.Attributes, Values: l.Values, Events: l.Events, Links: l.Links,
		Records: l.Records, KeyBytes: l.KeyBytes, NameBytes: l.NameBytes,
	}
}
