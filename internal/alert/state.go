// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/anytime"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// MaxGroups is how many groups of a rule are watched, those that came first.
	MaxGroups = 50
	// Budgeted is the number of minutes that Rule.FalseAlarms is about: 30 days.
	Budgeted = 30 * 24 * 60
	// MaxBehind is how many minutes are made up for after a pause.
	MaxBehind = 24 * 60

	// fewTraces is up to how many traces a group says nothing, and learnt from how many on
	// it is known.
	fewTraces, learnt = 10, 30
	// forgotten is how many minutes a group is kept that has no data.
	forgotten = 7 * 24 * 60
	// buckets is how many parts a window has at most.
	buckets = 60
	// recovered is the evidence that ends an alert: one in five ends too early.
	recovered = 5
	// interval is the error of the intervals that are shown.
	interval = 0.05
	// margin is how far a sum has to be on the good side of its threshold again.
	margin = 0.1
)

// Status says how a group is.
type Status string

// The statuses.
const (
	Learning Status = "learning" // too little is known
	OK       Status = "ok"
	Firing   Status = "firing"
	Missing  Status = "no_data" // and that is to alert
)

// Bad reports whether the status is an alert.
func (s Status) Bad() bool { return s == Firing || s == Missing }

// Value is the value of one trace for a mean, between 0 and 1, and its weight: how many traces
// it stands for.
type Value struct{ Value, Weight float64 }

// Minute is what a minute has of one group.
type Minute struct {
	At   int64    // Unix minutes
	Keys []string // as many as the rule has fields to group by; a minute of all groups has none
	// Values are those of a mean, and Sum is the figure of other metrics.
	Values []Value
	Sum    float64
	// Done, Pending and Failed are how many evaluations there are.
	Done, Pending, Failed int64
}

// Bucket is what some minutes of a window have.
type Bucket struct {
	At      int64          `json:"at"` // the first minute
	Sample  anytime.Sample `json:"sample"`
	Sum     float64        `json:"sum"`
	Done    int64          `json:"done"`
	Pending int64          `json:"pending"`
	Failed  int64          `json:"failed"`
}

func (b *Bucket) merge(o *Bucket) {
	b.Sample.Merge(o.Sample)
	b.Sum, b.Done, b.Pending, b.Failed = b.Sum+o.Sum, b.Done+o.Done, b.Pending+o.Pending, b.Failed+o.Failed
}

// Group is what is known of a group.
type Group struct {
	Keys   []string `json:"keys"`
	Status Status   `json:"status"`
	Since  int64    `json:"since"` // the minute in which the status began
	First  int64    `json:"first"` // the first minute with data, and the last
	Last   int64    `json:"last"`
	Traces int64    `json:"traces"` // in all
	// Window has the latest minutes, the oldest first.
	Window []Bucket `json:"window,omitempty"`
	// Bad looks for a mean that got worse than its bound, and Good for one that is better
	// again while the group alerts.
	Bad  anytime.Detector `json:"bad"`
	Good anytime.Detector `json:"good"`
	// Usual are the hours of the day in the past, and Hour is the one that is going on, HourAt
	// hours after 1970.
	Usual  []anytime.Sample `json:"usual,omitempty"`
	Hour   anytime.Sample   `json:"hour"`
	HourAt int64            `json:"hour_at"`
}

// State is what is known of a rule.
type State struct {
	ID            string               `json:"id"` // of the rule
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	Generation    int64                `json:"generation"` // of the rule
	Next          int64                `json:"next"`       // the minute that is evaluated next
	Groups        []Group              `json:"groups,omitempty"`
	Heaviest      float64              `json:"heaviest"`          // weight of a value; those of samples are shares of it
	Ignored       bool                 `json:"ignored,omitempty"` // there were more than MaxGroups
	Tried         int64                `json:"tried"`             // the minute of the latest evaluation
	Error         string               `json:"error,omitempty"`   // of it
	Took          int64                `json:"took"`              // nanoseconds of the latest evaluation
	// Outbox has notifications that are not stored by themselves yet.
	Outbox []Notification `json:"outbox,omitempty"`

	// Owner is the process that evaluates the rule, which no other takes over before
	// LeasedUntil.
	Owner       string    `json:"owner,omitempty"`
	LeasedUntil time.Time `json:"leased_until,omitzero"`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
}

// NewState returns the state of a rule that is evaluated from a minute on.
func NewState(r *Rule, minute int64) State {
	s := State{ID: r.ID, EnvironmentID: r.EnvironmentID, Generation: r.Generation, Next: minute}
	if len(r.By) == 0 {
		s.Groups = []Group{newGroup([]string{}, minute)}
	}
	return s
}

func newGroup(keys []string, minute int64) Group {
	return Group{Keys: keys, Status: Learning, Since: minute, First: minute, Last: minute}
}

// Advance takes in the minutes before one, in which data has all that there is. What
// changed is in the outbox then, one notification for each minute.
func (s *State) Advance(r *Rule, data []Minute, before int64) {
	slices.SortFunc(data, func(a, b Minute) int { return cmp.Or(cmp.Compare(a.At, b.At), slices.Compare(a.Keys, b.Keys)) })
	s.Next = max(s.Next, before-MaxBehind)
	if r.Metric == Delay { // which is known as of now alone
		s.Next = max(s.Next, before-1)
	}
	for ; s.Next < before; s.Next++ {
		end := 0
		for end < len(data) && data[end].At <= s.Next {
			end++
		}
		s.minute(r, data[:end])
		data = data[end:]
	}
}

// minute takes in one minute.
func (s *State) minute(r *Rule, data []Minute) {
	if r.Metric.IsMean() {
		for i := range s.Groups {
			s.Groups[i].Bad.Start(1 / float64(Budgeted) / float64(len(s.Groups)))
			s.Groups[i].Good.Start(1.0 / 60)
		}
	}
	s.weigh(data)
	for i := range data {
		if data[i].At != s.Next || len(data[i].Keys) != len(r.By) { // the latter are of no group
			continue
		}
		if g := s.group(data[i].Keys); g != nil {
			g.take(r, &data[i], s.Heaviest)
		}
	}
	var changed []Change
	for i := range s.Groups {
		if c := s.judge(r, &s.Groups[i]); c != nil {
			changed = append(changed, *c)
		}
	}
	s.Groups = slices.DeleteFunc(s.Groups, func(g Group) bool { return len(g.Keys) > 0 && s.Next-g.Last >= forgotten })
	if len(changed) > 0 {
		at := time.Unix((s.Next+1)*60, 0).UTC()
		s.Outbox = append(s.Outbox, Notification{
			ID: fmt.Sprintf("%s-%d-%d", s.ID, s.Generation, s.Next), EnvironmentID: s.EnvironmentID, RuleID: s.ID, At: at,
			Changes: changed, Silenced: at.Before(r.SilencedUntil),
		})
	}
}

// weigh notes the heaviest value.
func (s *State) weigh(data []Minute) {
	heaviest := max(s.Heaviest, 1)
	for i := range data {
		for _, v := range data[i].Values {
			heaviest = max(heaviest, v.Weight)
		}
	}
	if s.Heaviest > 0 && heaviest > s.Heaviest {
		for i := range s.Groups {
			s.Groups[i].scale(s.Heaviest / heaviest)
		}
	}
	s.Heaviest = heaviest
}

// scale changes what weights are shares of.
func (g *Group) scale(by float64) {
	for i := range g.Window {
		g.Window[i].Sample.Scale(by)
	}
	for i := range g.Usual {
		g.Usual[i].Scale(by)
	}
	g.Hour.Scale(by)
}

// group returns the group of these keys, nil where there are too many.
func (s *State) group(keys []string) *Group {
	i := slices.IndexFunc(s.Groups, func(g Group) bool { return slices.Equal(g.Keys, keys) })
	if i < 0 {
		if len(s.Groups) >= MaxGroups {
			s.Ignored = true
			return nil
		}
		i = len(s.Groups)
		s.Groups = append(s.Groups, newGroup(keys, s.Next))
	}
	return &s.Groups[i]
}

// take takes in a minute, in which weights are shares of the heaviest.
func (g *Group) take(r *Rule, m *Minute, heaviest float64) {
	width := (r.Window + buckets - 1) / buckets
	one := Bucket{At: m.At - m.At%width, Sum: m.Sum, Done: m.Done, Pending: m.Pending, Failed: m.Failed}
	bound, above := g.bound(r, m.At)
	for _, v := range m.Values {
		weight := v.Weight / heaviest
		one.Sample.Add(v.Value, weight)
		if bound < 0 { // nothing is known that it could be compared with
			continue
		}
		bad, limit := v.Value, bound
		if !above {
			bad, limit = 1-bad, 1-limit
		}
		g.Bad.Add(bad, weight, limit)
		g.Good.Add(1-bad, weight, 1-limit)
	}
	g.Traces += int64(len(m.Values))
	if len(m.Values) > 0 || m.Sum != 0 {
		g.Last = m.At
	}
	if r.Condition.WorseThanUsual {
		g.learn(m.At, one.Sample)
	}
	if last := len(g.Window) - 1; last >= 0 && g.Window[last].At == one.At {
		if r.Metric == Delay {
			one.Sum -= g.Window[last].Sum // the latest counts
		}
		g.Window[last].merge(&one)
		return
	}
	g.Window = append(g.Window, one)
}

// bound returns what values of a minute are compared with, below 0 where that is not
// known yet, and whether values above it are bad.
func (g *Group) bound(r *Rule, minute int64) (bound float64, above bool) {
	bound, above = r.threshold()
	if r.Condition.WorseThanUsual {
		bound = g.usual(r, minute, above)
	}
	return bound, above
}

// window returns what the window has that ends with a minute, without what is older.
func (g *Group) window(r *Rule, minute int64) (sum Bucket) {
	g.Window = slices.DeleteFunc(g.Window, func(b Bucket) bool { return b.At <= minute-r.Window })
	for i := range g.Window {
		sum.merge(&g.Window[i])
	}
	if r.Metric == Delay {
		sum.Sum = 0
		if n := len(g.Window); n > 0 && g.Last == minute {
			sum.Sum = g.Window[n-1].Sum
		}
	}
	return sum
}

// judge brings the status of a group up to date, and returns the change if it begins or
// ends an alert.
func (s *State) judge(r *Rule, g *Group) *Change {
	w := g.window(r, s.Next)
	before, now := g.Status, OK
	if r.Metric.IsMean() {
		now = g.mean(r, s.Next)
	} else {
		now = s.sum(r, g, w.Sum)
	}
	if r.NoData == AlertOn && s.Next-g.Last >= r.Window {
		now = Missing
	}
	if len(g.Keys) > 0 && s.Next-g.Last >= forgotten {
		now = OK // what is no more does not alert
	}
	if now == before {
		return nil
	}
	g.Status, g.Since = now, s.Next
	if now.Bad() == before.Bad() && !now.Bad() {
		return nil
	}
	g.Bad, g.Good = anytime.Detector{}, anytime.Detector{}
	c := g.change(r, s.Next, &w)
	c.Before = before
	return &c
}

// mean returns the status of a group of a mean.
func (g *Group) mean(r *Rule, minute int64) Status {
	bound, _ := g.bound(r, minute)
	switch {
	case g.Status == Firing && g.Good.Evidence() < recovered:
		return Firing
	case g.Status != Firing && g.Traces >= fewTraces && g.Bad.Evidence() >= 1/r.FalseAlarms:
		return Firing
	case g.Traces < learnt || bound < 0:
		return Learning
	}
	return OK
}

// sum returns the status of a group of a sum.
func (s *State) sum(r *Rule, g *Group, value float64) Status {
	firing := g.Status == Firing
	switch c := r.Condition; {
	case c.Above != nil:
		limit := *c.Above
		if firing {
			limit *= 1 - margin
		}
		if value > limit {
			return Firing
		}
	case c.Below != nil:
		if s.Next+1-g.First < r.Window { // the window is not full
			return Learning
		}
		limit := *c.Below
		if firing {
			limit *= 1 + margin
		}
		if value < limit {
			return Firing
		}
	}
	return OK
}

// Shown returns how a group is at the end of a minute.
func (g *Group) Shown(r *Rule, minute int64) Change {
	w := g.window(r, minute)
	c := g.change(r, minute, &w)
	c.Before = g.Status
	return c
}

// change describes a group.
func (g *Group) change(r *Rule, minute int64, w *Bucket) Change {
	c := Change{Keys: g.Keys, Status: g.Status}
	number := func(n float64) *float64 { return &n }
	if all := w.Done + w.Pending + w.Failed; all > 0 {
		c.Coverage = number(float64(w.Done) / float64(all))
	}
	if !r.Metric.IsMean() {
		c.Value = number(w.Sum)
		if c.Bound = r.Condition.Above; c.Bound == nil {
			c.Bound = r.Condition.Below
		}
		return c
	}
	if bound, _ := g.bound(r, minute); bound >= 0 {
		c.Bound = number(r.score(bound))
	}
	c.Traces, c.Effective = int64(w.Sample.Count), w.Sample.Effective()
	if c.Traces > 0 {
		low, high := w.Sample.Interval(interval)
		c.Value, c.Low, c.High = number(r.score(w.Sample.Mean())), number(r.score(low)), number(r.score(high))
	}
	return c
}
