// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
)

// Config is what config.yaml says of the processor.
type Config struct {
	// Store is the extension that lends the setups. Default: store.
	Store component.ID `mapstructure:"store"`

	// Budget is how long evaluators may run on one batch; what is left then is
	// recorded as skipped, reason over_budget. Default: 2s.
	Budget time.Duration `mapstructure:"budget"`

	_ struct{}
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.Store == (component.ID{}) {
		errs = append(errs, errors.New(`"store" must name an extension`))
	}
	if c.Budget <= 0 {
		errs = append(errs, errors.New(`"budget" must be positive`))
	}
	return errors.Join(errs...)
}
