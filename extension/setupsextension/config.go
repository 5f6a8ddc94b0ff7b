// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
)

// Config is what config.yaml says of the extension.
type Config struct {
	// HTTP is the client; its endpoint is the base URL of a gateway's API.
	HTTP confighttp.ClientConfig `mapstructure:"http"`

	// APIKey is that of the environment, of scope sidecar.
	APIKey configopaque.String `mapstructure:"api_key"`

	// File is where the setups are kept. Default: ./data/setups.json.
	File string `mapstructure:"file"`

	// Interval is how often the gateway is asked. Default: 5s.
	Interval time.Duration `mapstructure:"interval"`

	// MaxInterval is how long is waited at most after failures, which is twice as
	// long after each. Default: 1m.
	MaxInterval time.Duration `mapstructure:"max_interval"`

	// Required has spans refused, to be sent again, until there are setups, on disk or
	// from the gateway. Default: false, they are taken and left to the gateway.
	Required bool `mapstructure:"required"`

	_ struct{}
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	require := func(fine bool, problem string) {
		if !fine {
			errs = append(errs, errors.New(problem))
		}
	}
	base, err := url.Parse(c.HTTP.Endpoint)
	require(err == nil && (base.Scheme == "http" || base.Scheme == "https") && base.Host != "" && base.RawQuery == "" && base.User == nil,
		`"http::endpoint" must be the URL of a gateway's API, as https://gateway.example:8080`)
	require(c.APIKey != "" && !strings.ContainsFunc(string(c.APIKey), func(r rune) bool { return r <= ' ' || r > '~' }),
		`"api_key" is required, of printable characters: the key of an environment of scope sidecar`)
	require(c.File != "", `"file" is required`)
	require(c.Interval >= 100*time.Millisecond, `"interval" must be at least 100ms`)
	require(c.MaxInterval >= c.Interval, `"max_interval" must not be shorter than "interval"`)
	return errors.Join(errs...)
}
