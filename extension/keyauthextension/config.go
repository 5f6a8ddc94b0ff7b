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
	// Store is the extension that provides the keys. Default: store.
	Store component.ID `mapstructure:"store"`

	// AccessToken is the operator's credential, which may create organizations.
	// Default: none, which means the one in AccessTokenFile or, without one, those whose
	// digests the control store keeps.
	AccessToken configopaque.String `mapstructure:"access_token"`

	// PreviousAccessToken is valid besides AccessToken, for as long as an operator
	// still has it after a change. Default: none.
	PreviousAccessToken configopaque.String `mapstructure:"previous_access_token"`

	// AccessTokenFile holds the operator's credential when AccessToken is empty:
	// one line, or two while the one before it is still valid. A file that is not
	// there is made, with a new credential. Default: ./data/access_token.
	AccessTokenFile string `mapstructure:"access_token_file"`

	_ struct{}
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.Store == (component.ID{}) {
		errs = append(errs, errors.New(`"store" must name an extension`))
	}
	for _, t := range []struct {
		key   string
		token configopaque.String
	}{{"access_token", c.AccessToken}, {"previous_access_token", c.PreviousAccessToken}} {
		if t.token == "" {
			continue
		}
		if err := checkToken(string(t.token)); err != nil {
			errs = append(errs, fmt.Errorf("%q %w", t.key, err))
		}
	}
	if c.PreviousAccessToken != "" && c.AccessToken == "" {
		errs = append(errs, errors.New(`"previous_access_token" needs "access_token": with "access_token_file" it is the second line of the file`))
	}
	return errors.Join(errs...)
}
