// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// item is one span with the evaluations that are to be made of it.
type item struct {
	store.Evaluated
	environment tenant.Environment
	setups      []*monitor.Setup // those that the evaluations belong to, each once
}

// add adds the setup of one of the evaluations.
func (i *item) add(s *monitor.Setup) {
	for _, there := range i.setups {
		if there.ID == s.ID {
			return
		}
	}
	i.setups = append(i.setups, s)
}

// owedOf returns the pending evaluations that the items were made of.
func owedOf(items []item) []store.Evaluated {
	owed := make([]store.Evaluated, len(items))
	for i := range items {
		owed[i] = items[i].Evaluated
	}
	return owed
}

func countEvaluations(items []item) int {
	n := 0
	for i := range items {
		n += len(items[i].Evaluations)
	}
	return n
}
