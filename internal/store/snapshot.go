// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"iter"
	"maps"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Snapshot holds all setups as they were at one moment. It never changes, and
// neither may what it gives out.
type Snapshot struct {
	environments *table[tenant.EnvironmentID, []monitor.Setup]
}

// Of gives the setups of an environment, oldest first. Snapshots between which
// nothing of an environment changed give the very same slice of it.
func (s *Snapshot) Of(env tenant.EnvironmentID) []monitor.Setup {
	setups, _ := s.environments.get(env)
	return setups
}

// All gives the setups of all environments; those of one environment follow
// one another, oldest first.
func (s *Snapshot) All() iter.Seq[*monitor.Setup] {
	return func(yield func(*monitor.Setup) bool) {
		for _, setups := range s.environments.all() {
			for i := range setups {
				if !yield(&setups[i]) {
					return
				}
			}
		}
	}
}

// with gives the snapshot in which env has these setups and no others.
func (s *Snapshot) with(env tenant.EnvironmentID, setups []monitor.Setup) *Snapshot {
	if len(setups) == 0 {
		return &Snapshot{s.environments.without(env)}
	}
	return &Snapshot{s.environments.with(maps.All(map[tenant.EnvironmentID][]monitor.Setup{env: setups}))}
}

// inserted gives setups with s at its place by age, in a slice of its own.
func inserted(setups []monitor.Setup, s monitor.Setup) []monitor.Setup {
	at := len(setups)
	for at > 0 && setups[at-1].CreatedAt.After(s.CreatedAt) {
		at--
	}
	next := make([]monitor.Setup, 0, len(setups)+1)
	next = append(next, setups[:at]...)
	next = append(next, s)
	return append(next, setups[at:]...)
}

// named finds the setup that goes by name: its external id, or else its id.
// It gives -1 if there is none.
func named(setups []monitor.Setup, name string) int {
	for i := range setups {
		if setups[i].ExternalID == name {
			return i
		}
	}
	return indexOf(setups, name)
}

// taken reports whether another setup has the external id of s.
func taken(setups []monitor.Setup, s *monitor.Setup) bool {
	for i := range setups {
		if setups[i].ExternalID == s.ExternalID && setups[i].ID != s.ID {
			return true
		}
	}
	return false
}

func indexOf(setups []monitor.Setup, id string) int {
	for i := range setups {
		if setups[i].ID == id {
			return i
		}
	}
	return -1
}

// settled gives s as a control store gives it back: times in UTC without a
// monotonic part, empty lists and maps nil, and nothing shared with s.
func settled(s monitor.Setup) monitor.Setup {
	s.CreatedAt = s.CreatedAt.Round(0).UTC()
	s.UpdatedAt = s.UpdatedAt.Round(0).UTC()
	s.Selector = append(monitor.Selector(nil), s.Selector...)
	for i := range s.Selector {
		r := &s.Selector[i]
		if r.Value != nil {
			value := *r.Value
			r.Value = &value
		}
		r.Values = append([]string(nil), r.Values...)
	}
	s.Evaluators = append([]monitor.SetupEvaluator(nil), s.Evaluators...)
	for i := range s.Evaluators {
		e := &s.Evaluators[i]
		e.Config = append(json.RawMessage(nil), e.Config...)
		e.Inputs = maps.Clone(e.Inputs)
		if len(e.Inputs) == 0 {
			e.Inputs = nil
		}
		e.ProcessedAt = e.ProcessedAt.Round(0).UTC()
	}
	return s
}
