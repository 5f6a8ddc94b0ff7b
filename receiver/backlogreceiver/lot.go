// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// lot is one span with what is to be judged on it.
type lot struct {
	store.Evaluated
	environment tenant.Environment
	setups      []*monitor.Setup // those that the evaluations belong to, each once
}

// add notes that the setup has an evaluation in the lot.
func (l *lot) add(s *monitor.Setup) {
	for _, there := range l.setups {
		if there.ID == s.ID {
			return
		}
	}
	l.setups = append(l.setups, s)
}

// owedOf gives back what the lots were made of.
func owedOf(lots []lot) []store.Evaluated {
	owed := make([]store.Evaluated, len(lots))
	for i := range lots {
		owed[i] = lots[i].Evaluated
	}
	return owed
}

func countEvaluations(lots []lot) int {
	n := 0
	for i := range lots {
		n += len(lots[i].Evaluations)
	}
	return n
}
