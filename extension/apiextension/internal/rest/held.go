// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"sync"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Held counts what is under way and how many bytes that holds, by environment. The zero
// value is ready. It is safe for concurrent use.
type Held struct {
	mu   sync.Mutex
	envs map[tenant.EnvironmentID]Share
	all  Share
}

// Share is what is held.
type Share struct{ N, Bytes int }

// Enter has one more of an environment hold so many bytes until leave is called, unless may,
// which is told what the environment and what all of them hold, returns an error.
func (h *Held) Enter(env tenant.EnvironmentID, bytes int, may func(own, all Share) error) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := may(h.envs[env], h.all); err != nil {
		return nil, err
	}
	h.add(env, 1, bytes)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.add(env, -1, -bytes)
	}, nil
}

func (h *Held) add(env tenant.EnvironmentID, n, bytes int) {
	if h.envs == nil {
		h.envs = map[tenant.EnvironmentID]Share{}
	}
	own := h.envs[env]
	own.N, own.Bytes = own.N+n, own.Bytes+bytes
	h.all.N, h.all.Bytes = h.all.N+n, h.all.Bytes+bytes
	h.envs[env] = own
	if own.N == 0 {
		delete(h.envs, env)
	}
}

// All returns what all environments hold, and how many of them hold anything.
func (h *Held) All() (all Share, environments int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all, len(h.envs)
}
