// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	own := slices.DeleteFunc(configtest.Settings(createDefaultConfig()), func(s configtest.Setting) bool { return strings.HasPrefix(s.Key, "http::") })
	table := slices.DeleteFunc(configtest.Table(string(readme)), func(s configtest.Setting) bool { return s.Key == "http" })
	require.Equal(t, own, table)
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.MustNewID("setups"), cfg))
	require.Equal(t, "https://gateway.example:8080", cfg.HTTP.Endpoint)
	require.Equal(t, 10*time.Second, cfg.HTTP.Timeout)
	require.NotContains(t, cfg.APIKey.String(), "tl_")

	full := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.MustNewIDWithName("setups", "full"), full))
	require.Equal(t, []any{"/var/lib/touchstone/setups.json", time.Second, 10 * time.Second, true}, []any{full.File, full.Interval, full.MaxInterval, full.Required})

	wrong := createDefaultConfig().(*Config)
	err = configtest.Load(t, component.MustNewIDWithName("setups", "wrong"), wrong)
	if err == nil {
		err = wrong.Validate()
	}
	for _, field := range []string{"http::endpoint", "api_key", "file", "interval", "max_interval"} {
		require.ErrorContains(t, err, `"`+field+`"`)
	}
	require.NotContains(t, err.Error(), "hidden")
}
