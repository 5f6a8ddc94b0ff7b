// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
)

// Config is what config.yaml says of the extension.
type Config struct {
	// Store is the extension that lends the keys. Default: store.
	Store component.ID `mapstructure:"store"`

	// AccessToken is the operator's credential, which may create organizations.
	// Default: none, which means the one in AccessTokenFile.
	AccessToken configopaque.String `mapstructure:"access_token"`

	// AccessTokenFile holds the operator's credential when AccessToken is empty.
	// A file that is not there is made, with a new credential. Default:
	// ./data/access_token.
	AccessTokenFile string `mapstructure:"access_token_file"`

	_ struct{}
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.Store == (component.ID{}) {
		errs = append(errs, errors.New(`"store" must name an extension`))
	}
	if c.AccessToken == "" && c.AccessTokenFile == "" {
		errs = append(errs, errors.New(`"access_token" or "access_token_file" is required`))
	}
	if c.AccessToken != "" {
		if err := checkToken(string(c.AccessToken)); err != nil {
			errs = append(errs, fmt.Errorf(`"access_token" %w`, err))
		}
	}
	return errors.Join(errs...)
}
