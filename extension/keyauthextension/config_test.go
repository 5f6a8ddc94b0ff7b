// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())

	cfg := createDefaultConfig()
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)

	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, &Config{
		Store:               component.MustNewIDWithName("store", "elsewhere"),
		AccessToken:         "the operator's token",
		PreviousAccessToken: "the token before it",
		AccessTokenFile:     "/var/lib/touchstone/access_token",
	}, cfg)
	require.NotContains(t, fmt.Sprintf("%v %+v %s", cfg, cfg, cfg.(*Config).AccessToken), "operator's")
}

func TestValidateNamesAllProblems(t *testing.T) {
	t.Parallel()
	err := (&Config{}).Validate()
	require.ErrorContains(t, err, `"store" must name`)

	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "none"), createDefaultConfig()), "it is in the control store")
	err = configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig())
	require.ErrorContains(t, err, `"access_token" must be of printable ASCII`)
	require.NotContains(t, err.Error(), "lines")

	cfg := createDefaultConfig().(*Config)
	cfg.PreviousAccessToken = "secret"
	require.ErrorContains(t, cfg.Validate(), `"previous_access_token" needs "access_token"`)

	for _, secret := range []string{" secret", "secret ", "sec\x00ret", "secrét", "sec\tret", "secret" + strings.Repeat("x", maxCredential)} {
		cfg := createDefaultConfig().(*Config)
		cfg.AccessToken = configopaque.String(secret)
		err := cfg.Validate()
		require.ErrorContains(t, err, `"access_token" must`, "%q", secret)
		require.NotContains(t, err.Error(), secret)
	}
}
