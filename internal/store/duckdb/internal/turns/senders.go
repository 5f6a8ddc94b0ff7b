// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"maps"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// sendersMemory is for how long it is remembered what an environment sent: who waits
// for answers is not in line all the time.
const sendersMemory = time.Second

// From heavyBytes in line on an environment sends much, up to modestBytes it sends little.
const (
	heavyBytes  = 1 << 20
	modestBytes = 256 << 10
)

// senders knows what environments sent lately.
type senders struct {
	recent fair.Recent[tenant.EnvironmentID]
	heavy  map[tenant.EnvironmentID]time.Time // when they last sent much
	modest time.Time                          // when an environment last sent little who had not sent much
}

// note notes requests in line.
func (s *senders) note(waiting []*Request, now time.Time) {
	bytes := map[tenant.EnvironmentID]int{}
	for _, r := range waiting {
		env := r.Environment()
		s.recent.Note(env, now)
		bytes[env] += r.Bytes
	}
	maps.DeleteFunc(s.heavy, func(_ tenant.EnvironmentID, at time.Time) bool { return now.Sub(at) >= sendersMemory })
	for env, n := range bytes {
		switch _, was := s.heavy[env]; {
		case n >= heavyBytes:
			if s.heavy == nil {
				s.heavy = map[tenant.EnvironmentID]time.Time{}
			}
			s.heavy[env] = now
		case n <= modestBytes && !was:
			s.modest = now
		}
	}
}

// several reports whether more than one environment has sent lately.
func (s *senders) several(now time.Time) bool { return s.recent.Several(now, sendersMemory) }

// unequal reports whether some have sent much lately and others little.
func (s *senders) unequal(now time.Time) bool {
	return len(s.heavy) > 0 && now.Sub(s.modest) < sendersMemory
}
