// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// Process is one that writes to a store which others write to as well.
type Process interface {
	store.Engine
	// Dead is closed when it was killed: nothing of it gets through any more.
	Dead() <-chan struct{}
}

// Processes are what a store that several of them share is tested by.
type Processes interface {
	// Start starts a process. Of its statements some are lost, the answers of some
	// are, some arrive when their sender has given them up, and some are its last, as r
	// decides.
	Start(t *testing.T, r *rand.Rand) Process
	// Reader starts one whose statements all arrive.
	Reader(t *testing.T) store.Engine
	// Arrive lets what was given up arrive, each with a chance of one in so many.
	Arrive(r *rand.Rand, oneIn int) error
	// Merge has the store bring together what it keeps apart of one row.
	Merge(t *testing.T)
}

// What a crash test is made of: each client has spans of its own, and all write to those
// that they race for.
const (
	crashClients   = 3
	crashProcesses = 3
	crashSteps     = 35
	spansOfClient  = 12
	racedFor       = 4
)

// ExerciseCrashes has clients write spans, repeat and replace them, and say things of
// them, through processes that die between any two statements. A client sends again,
// through another process, until it is answered, and now and then sends something newer
// instead. Whatever arrived, and when, the answers are those of the contract: at every
// moment those of what was acknowledged, in the end all, merged or not.
func ExerciseCrashes(t *testing.T, seed uint64, p Processes) {
	t.Logf("seed %d", seed)
	c := &crashTest{processes: p, env: storetest.Environment("prd"), reader: p.Reader(t), start: func(r *rand.Rand) Process { return p.Start(t, r) }}
	random := func(of uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, of)) }
	for i := range c.slots {
		c.slots[i].random = random(uint64(100 + i))
		c.slots[i].process = c.start(c.slots[i].random)
	}
	for n := range racedFor {
		c.raced = append(c.raced, &racedSpan{n: crashClients*spansOfClient + n})
	}
	var writing sync.WaitGroup
	clients := make([]*crashClient, crashClients)
	for i := range clients {
		x := &crashClient{test: c, r: random(uint64(i))}
		for n := range spansOfClient {
			x.spans = append(x.spans, &crashSpan{n: i*spansOfClient + n})
		}
		clients[i] = x
		writing.Go(func() {
			for step := range crashSteps {
				if err := x.step(t.Context()); err != nil {
					t.Errorf("client %d, step %d: %v", i, step, err)
					return
				}
			}
		})
	}
	writing.Wait()
	require.False(t, t.Failed())
	t.Logf("%d attempts were answered by nothing, %d processes died", c.unanswered.Load(), c.died.Load())
	require.Positive(t, c.died.Load())
	require.Greater(t, c.unanswered.Load(), c.died.Load())

	r := random(1000)
	c.requireAnswers(t, r, clients) // while some of it is still on its way
	require.NoError(t, p.Arrive(r, 1))
	c.requireAnswers(t, r, clients)
	p.Merge(t)
	c.requireAnswers(t, r, clients)
}

// slot is a place for a process, in which another is started when it died.
type slot struct {
	mu      sync.Mutex
	process Process
	random  *rand.Rand
}

// running returns the process in the slot.
func (s *slot) running(c *crashTest) Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.process.Dead():
		c.died.Add(1)
		s.process = c.start(s.random)
	default:
	}
	return s.process
}

// send writes a batch through one process after the other until it is answered. Where
// giveUp says so before it is sent again, it is given up: answered is false then.
func (c *crashTest) send(ctx context.Context, r *rand.Rand, b store.Batch, giveUp func() bool) (answered bool, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		p := c.slots[r.IntN(len(c.slots))].running(c)
		call, cancel := context.WithCancel(ctx)
		stop := make(chan struct{})
		go func() {
			select {
			case <-p.Dead():
				cancel() // a caller of a process that is dead hears of it at once
			case <-stop:
			}
		}()
		_, err := p.Write(call, b)
		close(stop)
		cancel()
		switch {
		case err == nil:
			return true, nil
		case !fault.Is(err, fault.Unavailable) && !errors.Is(err, context.Canceled):
			return false, fmt.Errorf("a refusal that is not to be tried again: %w", err)
		}
		c.unanswered.Add(1)
		if giveUp != nil && giveUp() {
			return false, nil
		}
	}
}
