// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"slices"
	"sync"
	"time"
)

// maxEndedEach is how many sessions of one environment are remembered as signed
// out: who has one key cannot fill the memory of all. Where there would be more, the
// oldest is forgotten, and what its environments had before it counts no more.
const maxEndedEach = 1000

// forgetEvery is how often it is looked for what has ended by itself.
const forgetEvery = time.Minute

// ended remembers sessions that were signed out, until they would have ended by
// themselves.
type ended struct {
	now func() time.Time

	mu       sync.Mutex
	sessions map[string]*endedSession   // by the id of the session
	owners   map[string][]*endedSession // by environment, in the order in which they were signed out
	before   map[string]*endedSession   // by environment: what was made no later than this is signed out
	next     time.Time                  // before then nothing is forgotten
}

type endedSession struct {
	id           string
	made, until  int64 // Unix seconds
	owner        string
	environments []string
}

func newEnded(now func() time.Time) *ended {
	return &ended{now: now, sessions: map[string]*endedSession{}, owners: map[string][]*endedSession{}, before: map[string]*endedSession{}}
}

// add remembers a session.
func (e *ended) add(x *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget()
	if _, known := e.sessions[x.ID]; known || len(x.Credentials) == 0 {
		return
	}
	s := &endedSession{id: x.ID, made: x.Made, until: x.Ends, owner: x.Credentials[0].Environment}
	for _, c := range x.Credentials {
		s.environments = append(s.environments, c.Environment)
	}
	if len(e.owners[s.owner]) >= maxEndedEach {
		e.drop(s.owner)
	}
	e.sessions[s.id] = s
	e.owners[s.owner] = append(e.owners[s.owner], s)
}

// drop forgets the session of an environment that was made first. Caller holds mu.
func (e *ended) drop(owner string) {
	all := e.owners[owner]
	first := slices.MinFunc(all, func(a, b *endedSession) int { return int(a.made - b.made) })
	e.owners[owner] = slices.DeleteFunc(all, func(s *endedSession) bool { return s == first })
	delete(e.sessions, first.id)
	for _, env := range first.environments {
		if known := e.before[env]; known == nil || known.made <= first.made {
			e.before[env] = first
		}
	}
}

// has reports whether a session was signed out.
func (e *ended) has(x *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.sessions[x.ID]; known {
		return true
	}
	return slices.ContainsFunc(x.Credentials, func(c credential) bool {
		last := e.before[c.Environment]
		return last != nil && x.Made <= last.made
	})
}

// full reports whether so many sessions of an environment are remembered that
// it cannot have another one.
func (e *ended) full(owner string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget()
	return len(e.owners[owner]) >= maxEndedEach
}

// forget leaves out what has ended by itself. Caller holds mu.
func (e *ended) forget() {
	now := e.now()
	if now.Before(e.next) {
		return
	}
	e.next = now.Add(forgetEvery)
	over := func(s *endedSession) bool { return now.Unix() >= s.until }
	for owner, all := range e.owners {
		if all = slices.DeleteFunc(all, over); len(all) > 0 {
			e.owners[owner] = all
		} else {
			delete(e.owners, owner)
		}
	}
	for id, s := range e.sessions {
		if over(s) {
			delete(e.sessions, id)
		}
	}
	for env, s := range e.before {
		if over(s) {
			delete(e.before, env)
		}
	}
}
