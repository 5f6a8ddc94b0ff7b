// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"errors"

	"go.opentelemetry.io/collector/component"
)

// Config is what config.yaml says of the exporter.
type Config struct {
	// Store is the extension that provides the span store. Default: store.
	Store component.ID `mapstructure:"store"`

	_ struct{}
}

// Validate names what is wrong.
func (c *Config) Validate() error {
	if c.Store == (component.ID{}) {
		return errors.New(`"store" must name an extension`)
	}
	return nil
}
