// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"testing"
	"time"

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
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, &Config{
		Directory:       "/var/lib/touchstone",
		BackupDirectory: "/mnt/backups",
		Spans:           SpansConfig{MemoryLimitMiB: 1024, Threads: 4, CheckpointMiB: 128, AttachedFiles: 24},
		ExpireInterval:  time.Minute,
		RefreshInterval: 250 * time.Millisecond,
		Queries: QueriesConfig{
			Timeout: 5 * time.Second, MaxSpans: 1_000_000, MaxMiB: 1024, ExpensiveMiB: 64, MiBPerSecond: 128,
			AtOnce: 2, ExpensiveAtOnce: 3, Waiting: 8, Wait: time.Second,
		},
		Quotas: QuotasConfig{
			SpansPerSecond: 1000, BytesPerSecond: 1048576, ConcurrentQueries: 8,
			StoredBytes: 1 << 30, OwedEvaluations: 10_000, DollarsPerDay: 2.5,
		},
	}, cfg)

	err := configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig())
	for _, s := range configtest.Settings(createDefaultConfig()) {
		require.ErrorContains(t, err, `"`+s.Key+`"`)
	}
}
