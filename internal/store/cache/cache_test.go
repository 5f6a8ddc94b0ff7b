// SPDX-License-Identifier: Apache-2.0

package cache_test

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
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main(m)) }

func open(tb testing.TB, c store.Control) *cache.Cache {
	tb.Helper()
	l, err := cache.New(tb.Context(), c)
	require.NoError(tb, err)
	return l
}

// line is a handle of a control store on a line that may be bad: before fails
// calls that are not made, after hides that one was made.
type line struct {
	store.Control
	before, after func() error
	calls         atomic.Int64
}

// lines returns handles of one new database, as several processes have them.
func lines(tb testing.TB, n int) []*line {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "control.db")
	list := make([]*line, n)
	for i := range list {
		c, err := sqldb.Open(tb.Context(), sqldb.Config{Path: path})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, c.Close()) })
		list[i] = &line{Control: c}
	}
	return list
}

// opener opens a new database as lines does.
type opener func(tb testing.TB, n int) []*line

// everywhere runs a test on SQLite, and on each server of PostgreSQL.
func everywhere(t *testing.T, run func(t *testing.T, lines opener)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { run(t, lines) })
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		run(t, func(tb testing.TB, n int) []*line {
			tb.Helper()
			dsn := s.Schema(tb)
			list := make([]*line, n)
			for i := range list {
				list[i] = &line{Control: openPostgres(tb, dsn)}
			}
			return list
		})
	})
}

func openPostgres(tb testing.TB, dsn string) *sqldb.DB {
	tb.Helper()
	c, err := sqldb.OpenPostgres(tb.Context(), sqldb.Postgres{DSN: dsn})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.Close()) })
	return c
}

func (c *line) call(do func() error) error {
	c.calls.Add(1)
	if c.before != nil {
		if err := c.before(); err != nil {
			return err
		}
	}
	err := do()
	if c.after != nil && err == nil {
		err = c.after()
	}
	return err
}

func (c *line) CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error {
	return c.call(func() error { return c.Control.CreateOrganization(ctx, org, keys) })
}

func (c *line) Keys(ctx context.Context, of ...tenant.EnvironmentID) (keys []tenant.Key, err error) {
	err = c.call(func() error { keys, err = c.Control.Keys(ctx, of...); return err })
	return keys, err
}

func (c *line) ChangeKeys(ctx context.Context, of []tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error {
	return c.call(func() error { return c.Control.ChangeKeys(ctx, of, change) })
}

func (c *line) ChangeOrganization(ctx context.Context, id string, change func(*tenant.Organization) error) (org tenant.Organization, err error) {
	err = c.call(func() error { org, err = c.Control.ChangeOrganization(ctx, id, change); return err })
	return org, err
}

func (c *line) Put(ctx context.Context, d store.Document) (stored store.Document, err error) {
	err = c.call(func() error { stored, err = c.Control.Put(ctx, d); return err })
	return stored, err
}

func (c *line) List(ctx context.Context, f store.DocumentFilter) (list []store.Document, err error) {
	err = c.call(func() error { list, err = c.Control.List(ctx, f); return err })
	return list, err
}

func (c *line) Delete(ctx context.Context, of store.Kind, env tenant.EnvironmentID, name string) error {
	return c.call(func() error { return c.Control.Delete(ctx, of, env, name) })
}

func (c *line) Changes(ctx context.Context, after int64) (changes store.Changes, err error) {
	err = c.call(func() error { changes, err = c.Control.Changes(ctx, after); return err })
	return changes, err
}

func createOrganization(tb testing.TB, l *cache.Cache, name string, slugs ...string) []tenant.Key {
	tb.Helper()
	org, keys := storetest.NewOrganization(name, slugs...)
	require.NoError(tb, l.CreateOrganization(tb.Context(), org, keys))
	return keys
}

// requireAgreement holds memory against what the control store has.
func requireAgreement(tb testing.TB, l *cache.Cache, c store.Control) {
	tb.Helper()
	keys, err := c.Keys(tb.Context())
	require.NoError(tb, err)
	for _, k := range keys {
		got, err := l.Key(tb.Context(), k.Digest)
		require.NoError(tb, err)
		require.Equal(tb, k, got)
		env, known := l.Environment(k.Environment.ID)
		require.True(tb, known)
		require.Equal(tb, k.Environment, env)
	}
	all, err := store.Setups(c).Filter(tb.Context(), store.DocumentFilter{})
	require.NoError(tb, err)
	var known []monitor.Setup
	for s := range l.All() {
		known = append(known, *s)
	}
	require.ElementsMatch(tb, all, known)
	for _, k := range keys {
		require.True(tb, slices.IsSortedFunc(l.Setups(k.Environment.ID), func(a, b monitor.Setup) int { return a.CreatedAt.Compare(b.CreatedAt) }))
	}
}

func TestKeysWorkAtOnceAndAfterRestart(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	l := open(t, c)
	keys := createOrganization(t, l, "acme", "prd", "dev")
	for _, l := range []*cache.Cache{l, open(t, c)} {
		requireAgreement(t, l, c)
		_, err := l.Key(t.Context(), tenant.DigestOf("an unknown key"))
		require.True(t, fault.Is(err, fault.NotFound))
		_, known := l.Environment("nowhere")
		require.False(t, known)
	}
	require.Len(t, keys, 2)
}

func TestMemoryCostsNoQuery(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	l := open(t, c)
	key := createOrganization(t, l, "acme", "prd")[0]
	require.NoError(t, store.Setups(l).Create(t.Context(), storetest.NewSetup(key.Environment, "m")))
	_, err := l.Key(t.Context(), tenant.DigestOf("guessed"))
	require.True(t, fault.Is(err, fault.NotFound))
	before := c.calls.Load()
	for range 100 {
		_, err := l.Key(t.Context(), key.Digest)
		require.NoError(t, err)
		_, err = l.Key(t.Context(), tenant.DigestOf("guessed"))
		require.Error(t, err)
		l.Environment(key.Environment.ID)
		require.Len(t, l.Setups(key.Environment.ID), 1)
		for range l.All() {
			break
		}
	}
	require.Equal(t, before, c.calls.Load())
	require.NoError(t, l.Refresh(t.Context()))
	require.Equal(t, before+1, c.calls.Load(), "where nothing changed a refresh is one query")
	e := storetest.NewEvaluator(key.Environment, "ours")
	require.NoError(t, store.Evaluators(l).Create(t.Context(), e))
	require.Equal(t, before+2, c.calls.Load(), "and nothing follows what memory does not hold")
}

// The slice of an environment stays the same one until a setup in it changes,
// so that what was compiled from it may be kept.
func TestSetupsAreTheSameUntilOneChanges(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 2)
		l, other := open(t, c[0]), open(t, c[1])
		keys := createOrganization(t, l, "acme", "prd", "dev")
		prd, dev := keys[0].Environment, keys[1].Environment
		require.NoError(t, other.Refresh(t.Context()))
		require.NoError(t, store.Setups(l).Create(t.Context(), storetest.NewSetup(prd, "m")))
		require.NoError(t, store.Setups(l).Create(t.Context(), storetest.NewSetup(dev, "m")))
		was, version := l.Setups(prd.ID), l.Version()

		s := l.Setups(dev.ID)[0]
		s.Status = monitor.Completed
		stored, err := store.Setups(other).Replace(t.Context(), s)
		require.NoError(t, err)
		require.NoError(t, l.Refresh(t.Context()))
		require.Equal(t, []monitor.Setup{stored}, l.Setups(dev.ID))
		require.Same(t, &was[0], &l.Setups(prd.ID)[0])
		require.Greater(t, l.Version(), version)

		version = l.Version()
		_, err = store.Setups(l).Replace(t.Context(), s) // of a revision that is gone
		require.True(t, fault.Is(err, fault.Conflict))
		require.NoError(t, l.Refresh(t.Context()))
		_, err = store.Setups(l).List(t.Context(), prd.ID)
		require.NoError(t, err)
		require.Equal(t, version, l.Version())
		require.Same(t, &was[0], &l.Setups(prd.ID)[0])

		require.NoError(t, store.Setups(l).Delete(t.Context(), prd.ID, "m"))
		require.Empty(t, l.Setups(prd.ID))
		require.Greater(t, l.Version(), version)
		require.Len(t, was, 1, "what was given out stays as it was")
	})
}

// A caller that got a setup, by an answer or a refusal, finds memory there.
func TestAnswersAreInMemory(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(ctx context.Context, l *cache.Cache, s monitor.Setup) error{
		"a read": func(ctx context.Context, l *cache.Cache, s monitor.Setup) error {
			_, err := store.Setups(l).Get(ctx, s.EnvironmentID, "m")
			return err
		},
		"a list": func(ctx context.Context, l *cache.Cache, s monitor.Setup) error {
			_, err := store.Setups(l).List(ctx, s.EnvironmentID)
			return err
		},
		"a lost race": func(ctx context.Context, l *cache.Cache, s monitor.Setup) error {
			if _, err := store.Setups(l).Replace(ctx, s); !fault.Is(err, fault.Conflict) {
				return fmt.Errorf("not refused: %w", err)
			}
			return nil
		},
		"a name that is taken": func(ctx context.Context, l *cache.Cache, s monitor.Setup) error {
			s.ID = "another"
			if err := store.Setups(l).Create(ctx, s); !fault.Is(err, fault.Conflict) {
				return fmt.Errorf("not refused: %w", err)
			}
			return nil
		},
		"a deletion of nothing": func(ctx context.Context, l *cache.Cache, s monitor.Setup) error {
			if err := store.Setups(l).Delete(ctx, s.EnvironmentID, "nothing"); !fault.Is(err, fault.NotFound) {
				return fmt.Errorf("not refused: %w", err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := lines(t, 2)
			l, other := open(t, c[0]), open(t, c[1])
			env := createOrganization(t, l, "acme", "prd")[0].Environment
			s := storetest.NewSetup(env, "m")
			require.NoError(t, store.Setups(l).Create(t.Context(), s))
			changed := s
			changed.Status = monitor.Completed
			_, err := store.Setups(other).Replace(t.Context(), changed)
			require.NoError(t, err)
			require.NoError(t, store.Setups(other).Create(t.Context(), storetest.NewSetup(env, "new")))
			require.NoError(t, ask(t.Context(), l, s))
			requireAgreement(t, l, c[0])
		})
	}
}

// writes are all calls that change something, in an order in which they work.
func writes(l *cache.Cache, org tenant.Organization, keys []tenant.Key) []func(context.Context) error {
	s := storetest.NewSetup(keys[0].Environment, "m")
	return []func(context.Context) error{
		func(ctx context.Context) error { return l.CreateOrganization(ctx, org, keys) },
		func(ctx context.Context) error { return store.Setups(l).Create(ctx, s) },
		func(ctx context.Context) error { _, err := store.Setups(l).Replace(ctx, s); return err },
		func(ctx context.Context) error { return store.Setups(l).Delete(ctx, s.EnvironmentID, s.ID) },
		func(ctx context.Context) error {
			return l.ChangeKeys(ctx, []tenant.EnvironmentID{keys[0].Environment.ID}, func([]tenant.Key) ([]tenant.Key, error) {
				return []tenant.Key{storetest.NewKey(keys[0].Environment, "next")}, nil
			})
		},
		func(ctx context.Context) error {
			_, err := l.ChangeOrganization(ctx, org.ID, func(o *tenant.Organization) error {
				o.Projects[0].Environments[0].Retention = time.Minute
				return nil
			})
			return err
		},
	}
}

var errLine = errors.New("no line")

// A write may have been done that answers with an error, and one that was done
// may not be read back: in each case memory holds what is stored, at once or as
// soon as the store can be asked.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 1)[0]
		l := open(t, c)
		org, keys := storetest.NewOrganization("acme", "prd")
		for i, write := range writes(l, org, keys) {
			lost := false
			c.after = func() error { // of this write
				if lost {
					return nil
				}
				lost = true
				return errLine
			}
			require.ErrorIs(t, write(t.Context()), errLine, i)
			c.after = nil
			requireAgreement(t, l, c)
		}
		org, keys = storetest.NewOrganization("blue", "prd")
		for i, write := range writes(l, org, keys) {
			answered := false
			c.before = func() error { // of the write, and of no call that follows
				if answered {
					return errLine
				}
				answered = true
				return nil
			}
			require.ErrorIs(t, write(t.Context()), errLine, "%d: it is not in memory", i)
			c.before = nil
			require.NoError(t, l.Refresh(t.Context()))
			requireAgreement(t, l, c)
		}
	})
}

// A write is not begun for a caller who has left, and is finished, here too, for
// one who leaves.
func TestCallersMayLeave(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 1)[0]
		l := open(t, c)
		org, keys := storetest.NewOrganization("acme", "prd")
		for i, write := range writes(l, org, keys) {
			ctx, cancel := context.WithCancel(t.Context())
			c.before = func() error { cancel(); return nil }
			require.NoError(t, write(ctx), i)
			c.before = nil
			requireAgreement(t, l, c)
			calls := c.calls.Load()
			require.True(t, fault.Is(write(ctx), fault.Unavailable))
			require.Equal(t, calls, c.calls.Load())
		}
	})
}

// A failure of a refresh is reported, and made good by the next.
func TestRefreshGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 2)
		l, other := open(t, c[0]), open(t, c[1])
		for failing := range 3 { // the changes, the keys, the setups
			env := createOrganization(t, other, fmt.Sprint("acme ", failing), "prd")[0].Environment
			require.NoError(t, store.Setups(other).Create(t.Context(), storetest.NewSetup(env, "m")))
			left := failing
			c[0].before = func() error {
				if left == 0 {
					return errLine
				}
				left--
				return nil
			}
			require.ErrorIs(t, l.Refresh(t.Context()), errLine)
			c[0].before = nil
			require.NoError(t, l.Refresh(t.Context()))
			requireAgreement(t, l, c[0])
		}
	})
}

// A process for which everything may be different reads everything, and what is
// gone goes.
func TestEverythingIsReadAnewWhereChangesWereForgotten(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 2)
		l, other := open(t, c[0]), open(t, c[1])
		keys := createOrganization(t, l, "acme", "prd", "dev")
		for _, k := range keys {
			require.NoError(t, store.Setups(l).Create(t.Context(), storetest.NewSetup(k.Environment, "m")))
		}
		kept := l.Setups(keys[0].Environment.ID)
		slugs := make([]string, store.KeptChanges)
		for i := range slugs {
			slugs[i] = fmt.Sprint("env-", i)
		}
		createOrganization(t, other, "large", slugs...)
		require.NoError(t, store.Setups(other).Delete(t.Context(), keys[1].Environment.ID, "m"))
		require.NoError(t, l.Refresh(t.Context()))
		requireAgreement(t, l, c[0])
		require.Empty(t, l.Setups(keys[1].Environment.ID))
		require.Same(t, &kept[0], &l.Setups(keys[0].Environment.ID)[0])
	})
}

// Processes do what their callers may do, many at a time, some of it wrong, on
// bad lines, while they refresh: a caller that stored a setup finds it
// in memory or finds a newer one, and in the end all agree.
func TestProcessesConverge(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		const processes, callers, calls = 2, 4, 30
		c := lines(t, processes)
		caches := make([]*cache.Cache, processes)
		for i := range caches {
			caches[i] = open(t, c[i])
		}
		envs := createOrganization(t, caches[0], "acme", "prd", "dev")
		for i := range c {
			fails := func() error {
				if rand.IntN(20) == 0 {
					return errLine
				}
				return nil
			}
			c[i].before, c[i].after = fails, fails
		}
		var wg sync.WaitGroup
		var wrong atomic.Value
		for process, l := range caches {
			for caller := range callers {
				wg.Go(func() {
					dice := rand.New(rand.NewPCG(uint64(caller), uint64(process))) // no id is made twice
					for range calls {
						env := envs[dice.IntN(len(envs))].Environment
						if problem := anyCall(t.Context(), l, dice, env); problem != "" {
							wrong.Store(problem)
						}
					}
				})
			}
		}
		wg.Wait()
		require.Nil(t, wrong.Load())
		for i, l := range caches {
			c[i].before, c[i].after = nil, nil
			require.NoError(t, l.Refresh(t.Context()))
			requireAgreement(t, l, c[i])
		}
	})
}

// anyCall does one call, and says what is wrong with memory after it.
func anyCall(ctx context.Context, l *cache.Cache, dice *rand.Rand, env tenant.Environment) string {
	name := fmt.Sprint("m", dice.IntN(4))
	s := storetest.NewSetup(env, name)
	stored := func(revision int64, err error) string {
		if err != nil {
			return ""
		}
		for _, known := range l.Setups(env.ID) {
			if known.ID == s.ID && known.Revision < revision {
				return fmt.Sprintf("%s is stored in revision %d, and known in %d", s.ID, revision, known.Revision)
			}
		}
		return ""
	}
	switch dice.IntN(5) {
	case 0:
		s.ID += fmt.Sprint(" ", dice.Int())                                    // one that is created again is another
		s.CreatedAt = time.Now().Add(-time.Duration(dice.IntN(3)) * time.Hour) // local, monotonic
		return stored(1, store.Setups(l).Create(ctx, s))
	case 1:
		_ = store.Setups(l).Delete(ctx, env.ID, name)
	case 2:
		_ = l.Refresh(ctx)
	default:
		for _, known := range l.Setups(env.ID) {
			if known.ExternalID == name {
				known.EntityValue, known.UpdatedAt = fmt.Sprint(dice.Int()), time.Now()
				next, err := store.Setups(l).Replace(ctx, known)
				s.ID = known.ID
				return stored(next.Revision, err)
			}
		}
	}
	return ""
}

func TestNewSaysWhatItCouldNotLoad(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	for failing := range 3 {
		left := failing
		c.before = func() error {
			if left == 0 {
				return errLine
			}
			left--
			return nil
		}
		_, err := cache.New(t.Context(), c)
		require.ErrorIs(t, err, errLine)
	}
}

func TestSecretIsTheControlStores(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	mine, err := open(t, c).Secret(t.Context(), "cursors")
	require.NoError(t, err)
	stored, err := c.Secret(t.Context(), "cursors")
	require.NoError(t, err)
	require.Equal(t, stored, mine)
}
