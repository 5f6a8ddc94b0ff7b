// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openControl(tb testing.TB) store.Control {
	tb.Helper()
	c, err := sqldb.Open(tb.Context(), sqldb.Config{Path: filepath.Join(tb.TempDir(), "control.db")})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.Close()) })
	return c
}

func newLive(tb testing.TB, c store.Control) *store.Live {
	tb.Helper()
	l, err := store.NewLive(tb.Context(), c)
	require.NoError(tb, err)
	return l
}

func createOrganization(tb testing.TB, l *store.Live, name string, slugs ...string) []tenant.Key {
	tb.Helper()
	org, keys := storetest.NewOrganization(name, slugs...)
	require.NoError(tb, l.CreateOrganization(tb.Context(), org, keys))
	return keys
}

// requireAgreement holds memory against what a new process would load.
func requireAgreement(tb testing.TB, l *store.Live, c store.Control, envs ...tenant.EnvironmentID) {
	tb.Helper()
	fresh := newLive(tb, c)
	for _, env := range envs {
		require.Equal(tb, fresh.Setups().Of(env), l.Setups().Of(env))
		want, known := fresh.Environment(env)
		got, alsoKnown := l.Environment(env)
		require.Equal(tb, known, alsoKnown)
		require.Equal(tb, want, got)
		listed, err := l.ListSetups(tb.Context(), env, store.SetupFilter{})
		require.NoError(tb, err)
		stored, err := c.ListSetups(tb.Context(), env, store.SetupFilter{})
		require.NoError(tb, err)
		require.Equal(tb, stored, listed)
	}
	require.ElementsMatch(tb, slices.Collect(values(fresh.Setups())), slices.Collect(values(l.Setups())))
}

func values(s *store.Snapshot) func(func(monitor.Setup) bool) {
	return func(yield func(monitor.Setup) bool) {
		for setup := range s.All() {
			if !yield(*setup) {
				return
			}
		}
	}
}

func TestKeysWorkAtOnceAndAfterRestart(t *testing.T) {
	t.Parallel()
	c := openControl(t)
	l := newLive(t, c)
	keys := createOrganization(t, l, "acme", "prd", "dev")
	for _, l := range []*store.Live{l, newLive(t, c)} {
		for _, want := range keys {
			got, err := l.Key(t.Context(), want.Digest)
			require.NoError(t, err)
			require.Equal(t, want, got)
			env, ok := l.Environment(want.Environment.ID)
			require.True(t, ok)
			require.Equal(t, want.Environment, env)
		}
		_, err := l.Key(t.Context(), tenant.DigestOf("guess"))
		require.True(t, fault.Is(err, fault.NotFound))
		_, ok := l.Environment("nowhere")
		require.False(t, ok)
	}
}

func TestUnknownKeysCostNoQuery(t *testing.T) {
	t.Parallel()
	broken := &troubled{Control: openControl(t)}
	l := newLive(t, broken)
	broken.before = func() error { return errors.New("must not be asked") }
	for range 1000 {
		_, err := l.Key(t.Context(), tenant.DigestOf(tenant.NewCredential()))
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
}

func TestSetupsAreLiveWhenTheCallReturns(t *testing.T) {
	t.Parallel()
	l := newLive(t, openControl(t))
	keys := createOrganization(t, l, "acme", "prd", "dev")
	prd, dev := keys[0].Environment, keys[1].Environment
	empty := l.Setups()
	require.Empty(t, empty.Of(prd.ID))

	s := storetest.NewSetup(prd, "quality")
	require.NoError(t, l.CreateSetup(t.Context(), s))
	created := l.Setups()
	require.Equal(t, []monitor.Setup{s}, created.Of(prd.ID))
	require.Empty(t, created.Of(dev.ID))
	require.Empty(t, empty.Of(prd.ID), "a snapshot never changes")

	next := s
	next.Status = monitor.InProgress
	stored, err := l.ReplaceSetup(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, int64(2), stored.Revision)
	require.Equal(t, []monitor.Setup{stored}, l.Setups().Of(prd.ID))
	require.Equal(t, []monitor.Setup{s}, created.Of(prd.ID))

	got, err := l.Setup(t.Context(), prd.ID, s.ID)
	require.NoError(t, err)
	require.Equal(t, stored, got)
	require.NoError(t, l.DeleteSetup(t.Context(), prd.ID, s.ExternalID))
	require.Empty(t, l.Setups().Of(prd.ID))
	_, err = l.Setup(t.Context(), prd.ID, s.ExternalID)
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestSnapshotChangesOnlyWithASetup(t *testing.T) {
	t.Parallel()
	l := newLive(t, openControl(t))
	keys := createOrganization(t, l, "acme", "prd", "dev")
	prd, dev := keys[0].Environment, keys[1].Environment
	s := storetest.NewSetup(prd, "quality")
	require.NoError(t, l.CreateSetup(t.Context(), s))

	before := l.Setups()
	require.True(t, fault.Is(l.CreateSetup(t.Context(), s), fault.Conflict))
	stale := s
	stale.Revision = 7
	_, err := l.ReplaceSetup(t.Context(), stale)
	require.True(t, fault.Is(err, fault.Conflict))
	require.True(t, fault.Is(l.DeleteSetup(t.Context(), dev.ID, s.ID), fault.NotFound))
	_, err = l.ListSetups(t.Context(), prd.ID, store.SetupFilter{})
	require.NoError(t, err)
	createOrganization(t, l, "blue", "prd")
	require.NoError(t, l.Refresh(t.Context()))
	require.Same(t, before, l.Setups())

	require.NoError(t, l.CreateSetup(t.Context(), storetest.NewSetup(dev, "other")))
	require.NotSame(t, before, l.Setups())
	require.Same(t, &before.Of(prd.ID)[0], &l.Setups().Of(prd.ID)[0], "another environment's slice stays the same")
}

func TestWhatLiveGivesOutIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	c := openControl(t)
	l := newLive(t, c)
	env := createOrganization(t, l, "acme", "prd")[0].Environment
	s := storetest.NewSetup(env, "quality")
	s.Selector[0].Values = []string{"a"}
	s.Evaluators[0].Config = []byte(`{"threshold": 1}`)
	s.Evaluators[0].Inputs = map[string]monitor.InputSource{"text": {Origin: monitor.Span, Key: "input"}}
	require.NoError(t, l.CreateSetup(t.Context(), s))
	spoil := func(s monitor.Setup) {
		*s.Selector[0].Value, s.Selector[0].Values[0] = "spoiled", "spoiled"
		s.Selector[0].Key, s.Evaluators[0].Slug = "spoiled", "spoiled"
		s.Evaluators[0].Config[2], s.Evaluators[0].Inputs["text"] = 'X', monitor.InputSource{}
		s.Evaluators[0].Inputs["spoiled"] = monitor.InputSource{}
	}
	got, err := l.Setup(t.Context(), env.ID, s.ID)
	require.NoError(t, err)
	stored, err := l.ReplaceSetup(t.Context(), got)
	require.NoError(t, err)
	list, err := l.ListSetups(t.Context(), env.ID, store.SetupFilter{})
	require.NoError(t, err)
	for _, s := range []monitor.Setup{s, got, stored, list[0]} {
		spoil(s)
	}
	requireAgreement(t, l, c, env.ID)
	require.Equal(t, "char-count", l.Setups().Of(env.ID)[0].Evaluators[0].Slug)
}

// TestMemoryFollowsTheDatabase does what callers may do, many at a time, some
// of it wrong, and then compares.
func TestMemoryFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	c := openControl(t)
	l := newLive(t, c)
	keys := createOrganization(t, l, "acme", "prd", "dev", "stg")
	var refused atomic.Int64
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 60 {
				env := keys[dice.IntN(len(keys))].Environment
				name := fmt.Sprint("s", dice.IntN(8))
				ctx, cancel := context.WithCancel(t.Context())
				if dice.IntN(10) == 0 {
					go cancel() // somewhere on the way
				}
				if err := anyCall(ctx, l, dice, env, name); err != nil {
					refused.Add(1)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	require.Positive(t, refused.Load())
	requireAgreement(t, l, c, keys[0].Environment.ID, keys[1].Environment.ID, keys[2].Environment.ID)
}

func anyCall(ctx context.Context, l *store.Live, dice *rand.Rand, env tenant.Environment, name string) error {
	switch dice.IntN(4) {
	case 0:
		s := storetest.NewSetup(env, name)
		s.ID = fmt.Sprint(dice.Uint64())
		s.CreatedAt = time.Now().Add(-time.Duration(dice.IntN(3)) * time.Hour) // local, monotonic
		return l.CreateSetup(ctx, s)
	case 1:
		return l.DeleteSetup(ctx, env.ID, name)
	}
	s, err := l.Setup(ctx, env.ID, name)
	if err != nil {
		return err
	}
	s.UpdatedAt = time.Now()
	s.Evaluators = append(s.Evaluators, monitor.SetupEvaluator{
		Slug: name, ProcessedAt: time.Now(), Config: []byte{}, Inputs: map[string]monitor.InputSource{},
	})
	_, err = l.ReplaceSetup(ctx, s)
	return err
}

func TestNewLiveSaysWhatItCouldNotLoad(t *testing.T) {
	t.Parallel()
	down := fault.New(fault.Unavailable, "down")
	for failing := range 3 {
		calls := 0
		c := &troubled{Control: openControl(t), before: func() error {
			calls++
			if calls > failing {
				return down
			}
			return nil
		}}
		_, err := store.NewLive(t.Context(), c)
		require.ErrorIs(t, err, down)
	}
}

func TestSecretIsTheControlStores(t *testing.T) {
	t.Parallel()
	c := openControl(t)
	want, err := c.Secret(t.Context(), "cursor")
	require.NoError(t, err)
	got, err := newLive(t, c).Secret(t.Context(), "cursor")
	require.NoError(t, err)
	require.Equal(t, want, got)
}
