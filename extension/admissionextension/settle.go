// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"runtime/debug"
	"sync"
	"time"
)

// settleAfter is how long after large requests their memory is given back.
const settleAfter = 20 * time.Second

// settling gives memory back to the system some time after requests held much of
// the budget. By itself Go does that over minutes, and collects what they left
// only when as much again has been allocated.
type settling struct {
	after time.Duration
	free  func() // debug.FreeOSMemory but in tests

	mu    sync.Mutex
	timer *time.Timer // nil while there is nothing to give back
	over  bool
}

func newSettling() *settling {
	return &settling{after: settleAfter, free: debug.FreeOSMemory}
}

// used hears that requests hold that much of the total. It is asked under the
// budget's mutex and does not wait.
func (s *settling) used(held, total int64) {
	if held < total/4 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
	case s.timer == nil:
		s.timer = time.AfterFunc(s.after, s.settle)
	default:
		s.timer.Reset(s.after) // not while large requests come
	}
}

func (s *settling) settle() {
	s.mu.Lock()
	s.timer = nil
	over := s.over
	s.mu.Unlock()
	if !over {
		s.free()
	}
}

// end gives nothing back from now on.
func (s *settling) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.timer != nil {
		s.timer.Stop()
	}
}
