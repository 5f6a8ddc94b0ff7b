// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())
	cfg := createDefaultConfig()
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "short"), cfg))
	require.Equal(t, &Config{MaxValueBytes: 64}, cfg)
	require.ErrorContains(t, (&Config{MaxValueBytes: 63}).Validate(), `"max_value_bytes"`)
	require.NoError(t, (&Config{}).Validate())
}
