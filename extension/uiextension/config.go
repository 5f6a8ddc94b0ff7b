// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"errors"
	"regexp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
)

// Config is what config.yaml says of the extension.
type Config struct {
	// Store is the extension that provides the stores. Default: store.
	Store component.ID `mapstructure:"store"`

	// Auth is the extension that turns a credential into a principal.
	// Default: keyauth.
	Auth component.ID `mapstructure:"auth"`

	// Path is where the UI is served. Default: /ui.
	Path string `mapstructure:"path"`

	// PublicPath is what a proxy in front takes off the paths that browsers ask
	// for. Default: nothing.
	PublicPath string `mapstructure:"public_path"`

	// SessionLifetime is how long a session lasts, from signing in on.
	// Default: 12h.
	SessionLifetime time.Duration `mapstructure:"session_lifetime"`

	// SecureCookie says when browsers send the cookie over TLS only:
	// auto, when the request came over TLS, or always, for a proxy in front that
	// ends TLS. Default: auto.
	SecureCookie string `mapstructure:"secure_cookie"`

	_ struct{}
}

// The values of secure_cookie.
const (
	secureAuto   = "auto"
	secureAlways = "always"
)

const (
	minLifetime = time.Minute
	maxLifetime = 30 * 24 * time.Hour
)

// pathForm is one or more segments of characters that mean themselves in a URL.
var pathForm = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$`)

// taken are paths of the API.
var taken = []string{"/v2", "/mcp", "/health", "/openapi.json"}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.Store == (component.ID{}) {
		errs = append(errs, errors.New(`"store" must name an extension`))
	}
	if c.Auth == (component.ID{}) {
		errs = append(errs, errors.New(`"auth" must name an extension`))
	}
	switch {
	case !pathForm.MatchString(c.Path):
		errs = append(errs, errors.New(`"path" must be a path such as /ui, without a slash at the end`))
	case slices.Contains(taken, "/"+firstSegment(c.Path)):
		errs = append(errs, errors.New(`"path" must not begin as the paths of the API do`))
	}
	if c.PublicPath != "" && !pathForm.MatchString(c.PublicPath) {
		errs = append(errs, errors.New(`"public_path" must be a path such as /tools/touchstone, without a slash at the end`))
	}
	if c.SessionLifetime < minLifetime || c.SessionLifetime > maxLifetime {
		errs = append(errs, errors.New(`"session_lifetime" must be between 1m and 720h`))
	}
	if c.SecureCookie != secureAuto && c.SecureCookie != secureAlways {
		errs = append(errs, errors.New(`"secure_cookie" must be one of auto, always`))
	}
	return errors.Join(errs...)
}
