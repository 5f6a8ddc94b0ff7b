// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"sync"
	"time"
)

// maxEndedEach is how many sessions of one environment may be remembered as
// signed out: who has one key cannot fill the memory of all.
const maxEndedEach = 1000

// ended remembers sessions that were signed out, until they would have ended by
// themselves.
type ended struct {
	now func() time.Time

	mu       sync.Mutex
	sessions map[string]endedSession // by the id of the session
	counts   map[string]int          // by environment
}

type endedSession struct {
	until int64 // Unix seconds
	owner string
}

func newEnded(now func() time.Time) *ended {
	return &ended{now: now, sessions: map[string]endedSession{}, counts: map[string]int{}}
}

// add remembers a session.
func (e *ended) add(x *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget()
	if _, known := e.sessions[x.ID]; known || len(x.Credentials) == 0 {
		return
	}
	owner := x.Credentials[0].Environment
	e.sessions[x.ID] = endedSession{until: x.Ends, owner: owner}
	e.counts[owner]++
}

// has reports whether a session was signed out.
func (e *ended) has(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.sessions[id]
	return known
}

// full reports whether so many sessions of an environment are remembered that
// it cannot have another one.
func (e *ended) full(owner string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.counts[owner] < maxEndedEach {
		return false
	}
	e.forget()
	return e.counts[owner] >= maxEndedEach
}

// forget leaves out what has ended by itself. Caller holds mu.
func (e *ended) forget() {
	now := e.now().Unix()
	for id, s := range e.sessions {
		if now < s.until {
			continue
		}
		delete(e.sessions, id)
		if e.counts[s.owner]--; e.counts[s.owner] == 0 {
			delete(e.counts, s.owner)
		}
	}
}
