// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// beginRequest begins a request, unless as many are under way as the environment's quota
// allows. Without a bound nothing is counted.
func (s *Server) beginRequest(env *tenant.Environment) (leave func(), err error) {
	most := env.Quota.ConcurrentQueries
	if most == 0 {
		return func() {}, nil
	}
	return s.underWay.Enter(env.ID, 0, func(own, _ Share) error {
		if int64(own.N) >= most {
			return fault.Limit(time.Second, "the environment may have %d requests under way at once: try again when one is answered", most)
		}
		return nil
	})
}
