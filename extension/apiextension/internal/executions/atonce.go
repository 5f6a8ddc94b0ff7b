// SPDX-License-Identifier: Apache-2.0

package executions

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// waitedFor is how many executions of one environment may have a request that waits
// for them.
const waitedFor = 64

// atOnce counts the executions that requests wait for, by environment. The zero value
// is ready.
type atOnce struct {
	mu   sync.Mutex
	envs map[tenant.EnvironmentID]int
}

// enter begins one, or refuses it as Limited.
func (a *atOnce) enter(env tenant.EnvironmentID) (leave func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.envs[env] >= waitedFor {
		return nil, fault.Limit(time.Second, "the environment has %d executions under way: try again when one is over", waitedFor)
	}
	if a.envs == nil {
		a.envs = map[tenant.EnvironmentID]int{}
	}
	a.envs[env]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.envs[env]--; a.envs[env] == 0 {
			delete(a.envs, env)
		}
	}, nil
}
