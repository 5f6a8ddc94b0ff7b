// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
)

func TestAPartitionIsHadAlone(t *testing.T) {
	t.Parallel()
	p := New(t.TempDir(), label.Label{Class: time.Hour, Serial: 1})
	p.pin()
	_, alone := p.shutOut(0)
	require.False(t, alone, "it is in use")
	_, alone = p.shutOut(time.Millisecond)
	require.False(t, alone, "and does not end in time")

	got := make(chan func())
	go func() {
		reopen, ok := p.shutOut(time.Minute)
		if !ok {
			reopen = nil
		}
		got <- reopen
	}()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.drained != nil
	}, time.Minute, time.Millisecond)
	_, alone = p.shutOut(0)
	require.False(t, alone, "another waits for that")
	_, alone = p.shutOut(time.Millisecond)
	require.False(t, alone, "and does not end in time")
	waited := make(chan bool)
	go func() {
		p.pin()
		waited <- true
	}()
	p.Unpin()
	reopen := <-got
	require.NotNil(t, reopen)
	select {
	case <-waited:
		t.Fatal("used by two")
	default:
	}
	reopen()
	require.True(t, <-waited)
	p.Unpin()
	p.Retire()
	_, alone = p.shutOut(time.Minute)
	require.False(t, alone, "it is going away")
}

// A patient caller has a partition to itself after another that had it to itself: a file
// that is just being closed is not in use for long.
func TestAPartitionIsHadByOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New("", label.Label{Class: time.Hour, Serial: 1})
		first, alone := p.shutOut(0)
		require.True(t, alone)
		had := false
		var second func()
		go func() { second, had = p.shutOut(time.Minute) }()
		synctest.Wait()
		require.False(t, had)
		_, alone = p.shutOut(0)
		require.False(t, alone, "who has no patience does not wait")
		first()
		synctest.Wait()
		require.True(t, had)
		_, alone = p.shutOut(time.Minute)
		require.False(t, alone, "the other does not end in time")
		second()
	})
}

// A writer reads what it has pinned, each time with a pin of its own: where it waited for who
// wants the partition alone, and that one waits for it, nothing was stored until it gave up.
func TestAWriterPinsAgainWhatAnotherWaitsFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New("", label.Label{Class: time.Hour, Serial: 1})
		p.pin()
		p.BeginWriting()
		had := false
		var open func()
		go func() { open, had = p.shutOut(time.Minute) }()
		synctest.Wait()
		began := time.Now()
		p.pin()
		require.Zero(t, time.Since(began), "it does not wait")
		p.Unpin()
		require.False(t, had)
		p.EndWriting()
		synctest.Wait()
		require.True(t, had)
		open()
	})
}

// A caller that waits until a partition is unused keeps no other from using it meanwhile.
func TestAPartitionIsUsedUntilItIsIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New("", label.Label{Class: time.Hour, Serial: 1})
		p.pin()
		had := false
		var open func()
		go func() { open, had = p.shutOutIdle(nil, time.Minute) }()
		time.Sleep(time.Second)
		began := time.Now()
		p.pin()
		require.Zero(t, time.Since(began), "it does not wait")
		p.Unpin()
		time.Sleep(time.Second)
		require.False(t, had, "the first still uses it")
		p.Unpin()
		time.Sleep(time.Second)
		require.True(t, had)
		open()
		p.pin()
		_, alone := p.shutOutIdle(nil, time.Minute)
		require.False(t, alone, "it is in use for too long")
		ending := make(chan struct{})
		close(ending)
		began = time.Now()
		_, alone = p.shutOutIdle(ending, time.Hour)
		require.False(t, alone)
		require.Less(t, time.Since(began), time.Hour, "the store is being closed")
	})
}
