// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, &Config{
		Store: component.MustNewIDWithName("store", "main"), Auth: component.MustNewIDWithName("keyauth", "main"),
		Path: "/touchstone", PublicPath: "/tools", SessionLifetime: time.Hour, SecureCookie: "always",
	}, cfg)
	for name, wrong := range map[string]func(*Config){
		`"store"`:            func(c *Config) { c.Store = component.ID{} },
		`"auth"`:             func(c *Config) { c.Auth = component.ID{} },
		`"path" must be`:     func(c *Config) { c.Path = "/ui/" },
		`"path" must not`:    func(c *Config) { c.Path = "/v2/ui" },
		`"public_path"`:      func(c *Config) { c.PublicPath = `/"><script>` },
		`"session_lifetime"`: func(c *Config) { c.SessionLifetime = time.Second },
		`"secure_cookie"`:    func(c *Config) { c.SecureCookie = "never" },
	} {
		cfg := createDefaultConfig().(*Config)
		wrong(cfg)
		require.ErrorContains(t, cfg.Validate(), name)
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	ext, err := f.Create(t.Context(), extensiontest.NewNopSettings(Type), f.CreateDefaultConfig())
	require.NoError(t, err)
	require.Equal(t, []component.ID{component.MustNewID("store"), component.MustNewID("keyauth")}, ext.(*uiExtension).Dependencies())
	_, err = ext.(*uiExtension).GetHTTPHandler(t.Context())
	require.ErrorContains(t, err, "has not started")
	require.ErrorContains(t, ext.Start(t.Context(), componenttest.NewNopHost()), `"auth": extension "keyauth" is not listed`)
	require.NoError(t, ext.Shutdown(t.Context()))
}
