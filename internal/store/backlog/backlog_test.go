// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/backlogtest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/fake"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// watched is a fake engine whose backlog follows what is written to it.
type watched struct {
	*fake.Engine
	backlog *Backlog
}

// Write implements backlogtest.Engine.
func (w watched) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	return w.backlog.Write(ctx, b)
}

// Delete implements backlogtest.Engine.
func (w watched) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	if of.Everything {
		w.backlog.forget(env)
	}
	return w.Engine.Delete(ctx, env, of)
}

// Close implements backlogtest.Engine.
func (w watched) Close() error {
	w.backlog.Close()
	return w.Engine.Close()
}

// opener opens fake engines that keep what they have by their directory.
func opener(kept int) backlogtest.Open {
	var mu sync.Mutex
	engines := map[string]*fake.Engine{}
	return func(t *testing.T, dir string, now func() time.Time) (backlogtest.Engine, store.Backlog) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		e := engines[dir]
		if e == nil {
			e = fake.New(now)
			engines[dir] = e
		}
		e.Reopen()
		b, err := open(t.Context(), e, now, kept)
		require.NoError(t, err)
		return watched{Engine: e, backlog: b}, b
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	backlogtest.Exercise(t, opener(keptDue))
}

// TestContractWithLittleMemory keeps next to nothing in memory.
func TestContractWithLittleMemory(t *testing.T) {
	t.Parallel()
	backlogtest.Exercise(t, opener(3))
}
