// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestScopesAllowWhatTheySay(t *testing.T) {
	t.Parallel()
	env := Environment{ID: "1"}
	for scope, allowed := range map[Scope]string{
		Full: "ingesting accompanying following reading writing", Ingest: "ingesting accompanying", Read: "accompanying following reading", Sidecar: "ingesting accompanying following", "": "", "FULL": "", "admin": "",
	} {
		for _, a := range []Access{Ingesting, Accompanying, Following, Reading, Writing} {
			p := &Principal{Environment: env, Scope: scope}
			err := p.Check(a)
			if slices.Contains(strings.Fields(allowed), string(a)) {
				require.NoError(t, err, "%s %s", scope, a)
				continue
			}
			require.True(t, fault.Is(err, fault.Forbidden), "%s %s", scope, a)
			if allowed != "" {
				require.Contains(t, err.Error(), "the scope of this key is "+string(scope))
			}
			require.Error(t, (&Principal{Operator: true, Environment: env, Scope: Full}).Check(a))
			require.Error(t, (&Principal{Scope: Full}).Check(a))
		}
		require.Equal(t, allowed != "", scope.CheckNew() == nil, "%s", scope)
	}
}

func TestKeysWorkUntilTheyEnd(t *testing.T) {
	t.Parallel()
	now := time.Now()
	k, credential := NewKey(Environment{ID: "1"}, "ci", Read, now)
	require.Equal(t, DigestOf(credential), k.Digest)
	require.Len(t, k.ID, 36)
	require.NotContains(t, credential, k.ID)
	require.True(t, k.Works(now.Add(1000*time.Hour)))
	k.ExpiresAt = now.Add(time.Second)
	require.True(t, k.Works(now))
	require.False(t, k.Works(now.Add(time.Second)))
	k.RevokedAt = now
	require.False(t, k.Works(now))
}

func TestQuotasFallBackFieldByField(t *testing.T) {
	t.Parallel()
	defaults := Quota{SpansPerSecond: 1, BytesPerSecond: 2, ConcurrentQueries: 3}
	require.Equal(t, defaults, Quota{}.Or(defaults))
	require.Equal(t, Quota{SpansPerSecond: 9, BytesPerSecond: 2, ConcurrentQueries: 3}, Quota{SpansPerSecond: 9}.Or(defaults))
	require.Equal(t, Quota{BytesPerSecond: 9}, Quota{BytesPerSecond: 9}.Or(Quota{}))
}
