// SPDX-License-Identifier: Apache-2.0

package alert

import "github.com/touchstone-otel/touchstone/internal/anytime"

const (
	hoursOfDay = 24
	// kept is the share of what is known of an hour that stays when a day is added: a
	// day counts half after about three weeks.
	kept = 1 - 1.0/30
	// enoughTraces is from how many on an hour is known, of some days.
	enoughTraces = 100
	enoughDays   = 3 * 24 * 60
	// usualError is the share of Rule.FalseAlarms that the bound of what is usual takes.
	usualError = 0.1
)

// usual returns the bound of what was usual at the hour of a minute and the hours around it, below
// 0 where too little is known.
func (g *Group) usual(r *Rule, minute int64, above bool) float64 {
	if len(g.Usual) == 0 || minute-g.First < enoughDays {
		return -1
	}
	var past anytime.Sample
	hour := hourOf(minute)
	for d := range 3 {
		past.Merge(g.Usual[(hour+hoursOfDay-1+d)%hoursOfDay])
	}
	if past.Effective() < enoughTraces {
		return -1
	}
	low, high := past.Interval(usualError * r.FalseAlarms)
	if above {
		return high
	}
	return low
}

// learn adds what a minute has to the hour that is going on, and an hour that is over to what is
// usual, unless the group alerts.
func (g *Group) learn(minute int64, of anytime.Sample) {
	if g.Usual == nil {
		g.Usual = make([]anytime.Sample, hoursOfDay)
	}
	if hour := minute / 60; hour != g.HourAt {
		if !g.Status.Bad() {
			past := &g.Usual[hourOf(g.HourAt*60)]
			past.Decay(kept)
			past.Merge(g.Hour)
		}
		g.Hour, g.HourAt = anytime.Sample{}, hour
	}
	g.Hour.Merge(of)
}

func hourOf(minute int64) int { return int(minute / 60 % hoursOfDay) }
