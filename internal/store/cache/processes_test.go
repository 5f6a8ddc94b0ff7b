// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// additions is how many each process makes to one setup.
const additions = 20

// sharedDSN tells TestOtherProcess which database it shares.
const sharedDSN = "CACHE_TEST_DSN"

// listeningCache returns a cache that follows what it is woken for, and nothing else.
func listeningCache(t *testing.T, dsn string) *cache.Cache {
	t.Helper()
	c := openPostgres(t, dsn)
	l := open(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	wake := make(chan struct{}, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		c.Listen(ctx, func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
	})
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-wake:
				_ = l.Refresh(ctx)
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return l
}

// inMemoryOf returns the one setup that memory has.
func inMemoryOf(l *cache.Cache) (s monitor.Setup) {
	for each := range l.All() {
		s = *each
	}
	return s
}

// addThere adds to the setup in memory, until it has been the one who did so often.
func addThere(ctx context.Context, l *cache.Cache) error {
	for done := 0; done < additions; {
		s := inMemoryOf(l)
		s.EntityValue += "+"
		_, err := store.Setups(l).Replace(ctx, s)
		switch {
		case err == nil:
			done++
		case !fault.Is(err, fault.Conflict):
			return err
		}
	}
	return nil
}

// TestOtherProcess is the other process of the test below, and nothing without it.
func TestOtherProcess(t *testing.T) {
	dsn := os.Getenv(sharedDSN)
	if dsn == "" {
		return
	}
	l := listeningCache(t, dsn)
	fmt.Println("ready")
	require.NoError(t, addThere(t.Context(), l))
	require.Eventually(t, func() bool { return len(inMemoryOf(l).EntityValue) == 2*additions }, 5*time.Minute, time.Millisecond)
	require.Eventually(t, func() bool {
		_, known := l.Environment("late/prd")
		return known
	}, 5*time.Minute, time.Millisecond, "it hears of that")
	fmt.Println("agrees")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// Two processes have one database: what one writes is in the memory of the other,
// which learns of it, and no addition is lost.
func TestTwoProcessesHaveOneMemory(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	l := listeningCache(t, dsn)
	env := createOrganization(t, l, "acme", "prd")[0].Environment
	s := storetest.NewSetup(env, "quality")
	s.EntityValue = ""
	require.NoError(t, store.Setups(l).Create(t.Context(), s))

	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOtherProcess$")
	other.Env = append(os.Environ(), sharedDSN+"="+dsn)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	in, err := other.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	said := bufio.NewScanner(out)
	require.True(t, said.Scan())
	require.Equal(t, "ready", said.Text())

	require.NoError(t, addThere(t.Context(), l))
	require.Eventually(t, func() bool { return len(inMemoryOf(l).EntityValue) == 2*additions }, 5*time.Minute, time.Millisecond)
	org, keys := storetest.NewOrganization("late", "prd")
	require.NoError(t, l.CreateOrganization(t.Context(), org, keys))
	require.True(t, said.Scan())
	require.Equal(t, "agrees", said.Text())
	_, err = l.Key(t.Context(), keys[0].Digest)
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, other.Wait())
}
