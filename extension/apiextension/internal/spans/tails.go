// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// How many tails may wait at once.
const (
	mostTails            = 500
	mostTailsEnvironment = 50
)

// tails counts those that wait. The zero value is ready.
type tails struct {
	mu            sync.Mutex
	all           int
	byEnvironment map[tenant.EnvironmentID]int
}

// enter takes in one more, unless too many wait.
func (t *tails) enter(env tenant.EnvironmentID) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all >= mostTails || t.byEnvironment[env] >= mostTailsEnvironment {
		return nil, fault.Limit(time.Second, "at most %d callers of an environment and %d of all may wait for spans at once", mostTailsEnvironment, mostTails)
	}
	if t.byEnvironment == nil {
		t.byEnvironment = map[tenant.EnvironmentID]int{}
	}
	t.all++
	t.byEnvironment[env]++
	return func() { t.leave(env) }, nil
}

func (t *tails) leave(env tenant.EnvironmentID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.byEnvironment[env]--; t.byEnvironment[env] == 0 {
		delete(t.byEnvironment, env)
	}
}
