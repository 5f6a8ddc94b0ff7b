// SPDX-License-Identifier: Apache-2.0

package executions

import (
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of the executions that have a request which waits for them: how many of one
// environment there are, and how many bytes of inputs they have, of one and of all. An evaluator
// may take seven times its inputs in memory, which who sends spans lacks.
const (
	waitedFor      = 64
	waitedForBytes = 12 << 20
	waitedForByAll = 32 << 20
)

// atOnce counts the executions that requests wait for. The zero value is ready.
type atOnce struct{ held rest.Held }

// enter begins one with so many bytes of inputs. Who has others under way is refused as
// Limited where there would be too much of his own, and as Unavailable where there
// would be of all.
func (a *atOnce) enter(env tenant.EnvironmentID, bytes int) (leave func(), err error) {
	return a.held.Enter(env, bytes, func(own, all rest.Share) error {
		switch {
		case own.N >= waitedFor:
			return fault.Limit(time.Second, "the environment has %d executions under way: try again when one is over", waitedFor)
		case own.N > 0 && own.Bytes+bytes > waitedForBytes:
			return fault.Limit(time.Second, "the environment has executions of %d MiB under way: try again when one is over", own.Bytes>>20)
		case all.Bytes > 0 && all.Bytes+bytes > waitedForByAll:
			return fault.New(fault.Unavailable, "too many executions are under way; try again later")
		}
		return nil
	})
}
