// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import "errors"

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

func (c *Config) cutter() *cutter {
	if c.MaxValueBytes == 0 {
		return nil
	}
	return &cutter{most: c.MaxValueBytes}
}
