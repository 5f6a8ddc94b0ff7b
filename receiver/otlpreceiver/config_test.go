// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	collector "go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/connbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConfig(t *testing.T) {
	t.Parallel()
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	ours := slices.DeleteFunc(configtest.Settings(createDefaultConfig()), func(s configtest.Setting) bool { return strings.HasPrefix(s.Key, "protocols::") })
	require.Equal(t, ours, configtest.Table(string(readme)))

	cfg := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.True(t, cfg.Protocols.GRPC.HasValue())
	require.False(t, cfg.Protocols.HTTP.HasValue())
	require.Equal(t, readBuffer, cfg.Protocols.GRPC.Get().ReadBufferSize)
	require.Equal(t, connbound.Config{Max: 2048, PerAddress: 1024}, cfg.Connections)

	cfg = createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, connbound.Config{Max: 64, PerAddress: 8}, cfg.Connections)
	require.Equal(t, collector.SanitizedURLPath("/v9/traces"), cfg.Protocols.HTTP.Get().TracesURLPath)
	require.Equal(t, "127.0.0.1:1", cfg.Protocols.GRPC.Get().NetAddr.Endpoint)

	require.ErrorContains(t, configtest.Load(t, component.NewIDWithName(Type, "none"), createDefaultConfig()), `"protocols"`)
	require.ErrorContains(t, configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig()), `"connections::max"`)
}

// What is not said is as the collector's own receiver has it, but for the buffer.
func TestDefaultsAreTheCollectors(t *testing.T) {
	t.Parallel()
	theirs := collector.NewFactory().CreateDefaultConfig().(*collector.Config).Protocols
	ours := createDefaultConfig().(*Config).Protocols
	require.Equal(t, theirs.HTTP, ours.HTTP)
	grpc := ours.GRPC.GetOrInsertDefault()
	grpc.ReadBufferSize = theirs.GRPC.GetOrInsertDefault().ReadBufferSize
	require.Equal(t, theirs.GRPC, ours.GRPC)
}
