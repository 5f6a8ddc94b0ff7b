// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPartitionIsHadAlone(t *testing.T) {
	t.Parallel()
	p := New(t.TempDir(), Label{Class: time.Hour, Serial: 1})
	p.pin()
	_, alone := p.shutOut(0)
	require.False(t, alone, "somebody uses it")
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
	}, 10*time.Second, time.Millisecond)
	_, alone = p.shutOut(0)
	require.False(t, alone, "another waits for that")
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
