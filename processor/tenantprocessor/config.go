// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"
	"errors"
	"math"

	"go.opentelemetry.io/otel/metric"
)

// scope is the name under which the processor measures.
const scope = "github.com/touchstone-otel/touchstone/processor/tenantprocessor"

// Config is what config.yaml says of the processor. There is no way to let data
// pass without a tenant, and no way to choose one.
type Config struct {
	// MaxValueBytes is how long a value of a span or log record may be; what is
	// longer is cut, with a mark. Default: 1048576, 1 MiB. 0: nothing is cut.
	MaxValueBytes int `mapstructure:"max_value_bytes"`

	_ struct{}
}

// Validate names what is wrong.
func (c *Config) Validate() error {
	if c.MaxValueBytes != 0 && c.MaxValueBytes < 64 {
		return errors.New(`"max_value_bytes" must be 0 or at least 64`)
	}
	return nil
}

// cutter returns what cleans data as the configuration says, and counts.
func (c *Config) cutter(meters metric.MeterProvider) (*cutter, error) {
	counts, err := meters.Meter(scope).Int64Counter("touchstone_tenant_forged_attributes",
		metric.WithDescription("Attributes that only we may write, such as the environment or a verdict of ours, that clients sent and that were removed."),
		metric.WithUnit("{attribute}"))
	if err != nil {
		return nil, err
	}
	counts.Add(context.Background(), 0) // so that the series is there before anything happens
	most := c.MaxValueBytes
	if most == 0 {
		most = math.MaxInt
	}
	return &cutter{most: most, counts: counts}, nil
}
