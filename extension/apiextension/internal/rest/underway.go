// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// underWay counts the requests that are being worked on, by environment. The
// zero value is ready.
type underWay struct {
	mu            sync.Mutex
	byEnvironment map[tenant.EnvironmentID]int64
}

// enter begins a request, unless as many are under way as the environment's
// quota allows. Without a bound nothing is counted.
func (u *underWay) enter(env *tenant.Environment) (leave func(), err error) {
	most := env.Quota.ConcurrentQueries
	if most == 0 {
		return func() {}, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byEnvironment[env.ID] >= most {
		return nil, fault.Limit(time.Second, "the environment may have %d requests under way at once: try again when one is answered", most)
	}
	if u.byEnvironment == nil {
		u.byEnvironment = map[tenant.EnvironmentID]int64{}
	}
	u.byEnvironment[env.ID]++
	return func() { u.leave(env.ID) }, nil
}

func (u *underWay) leave(id tenant.EnvironmentID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byEnvironment[id]--; u.byEnvironment[id] == 0 {
		delete(u.byEnvironment, id)
	}
}
