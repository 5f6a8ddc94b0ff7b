// SPDX-License-Identifier: Apache-2.0

package queries

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// presence is for how long an environment counts as there after it asked or sent
// something: twice the five seconds in which SDKs collect spans before they send them,
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#batch-span-processor.
const presence = 10 * time.Second

// seen says when environments were there last: the latest of all, and the latest of those
// that are another one than that. So it tells for each environment whether one besides it
// was there, and has no need to know them all.
type seen struct{ latest, besides sighting }

type sighting struct {
	env tenant.EnvironmentID
	at  time.Time
}

// note notes that an environment is there.
func (s *seen) note(env tenant.EnvironmentID, now time.Time) {
	if s.latest.env != env {
		s.besides = s.latest
	}
	s.latest = sighting{env, now}
}

// anyBut reports whether another environment than this one was there lately.
func (s *seen) anyBut(env tenant.EnvironmentID, now time.Time) bool {
	other := s.latest
	if other.env == env {
		other = s.besides
	}
	return !other.at.IsZero() && now.Sub(other.at) < presence
}
