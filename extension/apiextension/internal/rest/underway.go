// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A request for which there is no place is refused only after refusalDelay, in which one
// may become free: a caller that asks again without a pause takes few processors from others.
// At most refusalsDelayed of an environment wait; more of them are refused at once.
const (
	refusalDelay    = 250 * time.Millisecond
	refusalsDelayed = 256
)

// beginRequest begins a request, unless as many are under way as the environment's quota
// allows. Without a bound nothing is counted.
func (s *Server) beginRequest(ctx context.Context, env *tenant.Environment) (leave func(), err error) {
	if env.Quota.ConcurrentQueries == 0 {
		return func() {}, nil
	}
	leave, err = s.waitToEnter(ctx, env)
	if fault.Is(err, fault.Limited) && s.OverQuota != nil {
		s.OverQuota()
	}
	return leave, err
}

// waitToEnter begins a request, if there is a place for it soon.
func (s *Server) waitToEnter(ctx context.Context, env *tenant.Environment) (leave func(), err error) {
	if leave, err = s.enter(env); err == nil {
		return leave, nil
	}
	end, err := s.refused.Enter(env.ID, 0, func(own, _ fair.Share) error {
		if own.N >= refusalsDelayed {
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer end()
	if err := pace.Sleep(ctx, refusalDelay); err != nil {
		return nil, err
	}
	return s.enter(env)
}

// enter begins a request if there is a place for it.
func (s *Server) enter(env *tenant.Environment) (leave func(), err error) {
	most := env.Quota.ConcurrentQueries
	return s.underWay.Enter(env.ID, 0, func(own, _ fair.Share) error {
		if int64(own.N) >= most {
			return fault.Limit(time.Second, "the environment may have %d requests under way at once: try again when one is answered", most)
		}
		return nil
	})
}
