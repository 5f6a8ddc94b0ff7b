// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// customEvaluators looks up the evaluators that users defined, once for each
// environment.
type customEvaluators struct {
	live *cache.Cache
	all  map[tenant.EnvironmentID][]eval.CustomEvaluator
}

// of returns those that the setups of an environment use.
func (c *customEvaluators) of(ctx context.Context, env tenant.EnvironmentID, setups []*monitor.Setup) ([]eval.CustomEvaluator, error) {
	wanted := map[string]bool{}
	for _, s := range setups {
		for i := range s.Evaluators {
			if id := s.Evaluators[i].CustomID; id != "" {
				wanted[id] = true
			}
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	all, asked := c.all[env]
	if !asked {
		var err error
		if all, err = store.Evaluators(c.live).List(ctx, env); err != nil {
			return nil, err
		}
		if c.all == nil {
			c.all = map[tenant.EnvironmentID][]eval.CustomEvaluator{}
		}
		c.all[env] = all
	}
	var list []eval.CustomEvaluator
	for i := range all {
		if wanted[all[i].ID] {
			list = append(list, all[i])
		}
	}
	return list, nil
}
