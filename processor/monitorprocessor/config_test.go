// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, NewFactory().CreateDefaultConfig())

	cfg := defaults()
	require.NoError(t, configtest.Load(t, component.MustNewID("monitor"), cfg))
	require.Equal(t, defaults(), cfg)

	require.NoError(t, configtest.Load(t, component.MustNewIDWithName("monitor", "full"), cfg))
	require.Equal(t, &Config{Store: component.MustNewIDWithName("store", "other"), Budget: 250 * time.Millisecond}, cfg)

	err := (&Config{}).Validate()
	require.ErrorContains(t, err, `"store" must name an extension`)
	require.ErrorContains(t, err, `"budget" must be positive`)
}
