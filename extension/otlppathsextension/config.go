// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"errors"
	"net/url"
)

// Config is what config.yaml says of the extension.
type Config struct {
	// API is the base URL of the /v2 API. Requests to paths under /v2 are handed
	// to it, for SDKs that know one base URL for all they do. Default: none, and
	// such paths are not known here.
	API string `mapstructure:"api"`

	_ struct{}
}

// Validate names what is wrong.
func (c *Config) Validate() error {
	if c.API == "" {
		return nil
	}
	_, err := c.base()
	return err
}

func (c *Config) base() (*url.URL, error) {
	u, err := url.Parse(c.API)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return nil, errors.New(`"api" must be a base URL, such as http://127.0.0.1:8080`)
	}
	return u, nil
}
