// SPDX-License-Identifier: Apache-2.0

package fair

import "sync"

// Held counts requests under way and the bytes that they hold, by caller. It never waits:
// its user says what a caller may hold. The zero value is ready. It is safe for concurrent use.
type Held[K comparable] struct {
	mu      sync.Mutex
	callers map[K]Share
	all     Share
}

// Share is how many requests are under way, and how many bytes they hold.
type Share struct{ N, Bytes int }

// Enter has one more request of a caller hold so many bytes until leave is called. It fails
// with the error of may, which gets what the caller and what all callers hold.
func (h *Held[K]) Enter(who K, bytes int, may func(own, all Share) error) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := may(h.callers[who], h.all); err != nil {
		return nil, err
	}
	h.add(who, 1, bytes)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.add(who, -1, -bytes)
	}, nil
}

func (h *Held[K]) add(who K, n, bytes int) {
	if h.callers == nil {
		h.callers = map[K]Share{}
	}
	own := h.callers[who]
	own.N, own.Bytes = own.N+n, own.Bytes+bytes
	h.all.N, h.all.Bytes = h.all.N+n, h.all.Bytes+bytes
	h.callers[who] = own
	if own.N == 0 {
		delete(h.callers, who)
	}
}

// All returns what all callers hold, and how many of them hold anything.
func (h *Held[K]) All() (all Share, callers int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all, len(h.callers)
}
