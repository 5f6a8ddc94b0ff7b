// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/ready"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// arrival is a span that reaches the collector.
type arrival struct {
	span ready.Span
	turn bool // of a turn that resumes the trace after a day
}

// simulated is one trace as the collector sees it.
type simulated struct {
	arrivals []arrival    // in the order in which they come, repeats included
	spans    []ready.Span // each once, in that order
	whole    int          // different spans that come, but for those of a later turn
	last     int64        // when the last of these came
	root     int64        // when the root came, 0 for never
	lossy    bool         // something was lost
}

// Shares of what goes wrong. They were fixed before the rules were tuned.
const (
	delayMedian   = float64(time.Second)
	delayShape    = 0.6919 // of the log-normal delay: p99 is five times the median
	lateBatches   = 0.005
	lateBy        = time.Minute
	crashes       = 0.01
	lostBatches   = 0.005
	doubleBatches = 0.01
	longAgents    = 0.003
	resumed       = 0.002
	flush         = int64(time.Second) // from one batch of a process to the next
	maxLong       = 2 * time.Hour
)

// application is what one kind of trace looks like.
type application struct {
	name     string
	services int
	upstream bool // its caller's spans go elsewhere
	linked   bool // it takes messages of a queue
	finish   bool // its last call of a tool has no result: a structured answer
}

var applications = []application{
	{name: "chat", services: 1},
	{name: "search", services: 2},
	{name: "agent", services: 3},
	{name: "crew", services: 5},
	{name: "report", services: 2, upstream: true},
	{name: "worker", services: 4, linked: true},
	{name: "extract", services: 1, finish: true},
}

// world draws traces.
type world struct {
	*rand.Rand
	ids     uint64
	skew    map[string]int64 // of the clocks of services
	ordered map[string]bool  // whose exporters send one batch after the other
}

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, seed)), skew: map[string]int64{}, ordered: map[string]bool{}} //nolint:gosec // a simulation
	for _, a := range applications {
		for i := range a.services {
			service := serviceName(a, i)
			w.skew[service] = int64(w.NormFloat64() * float64(500*time.Millisecond))
			w.ordered[service] = w.IntN(2) == 0
		}
	}
	w.skew[serviceName(applications[2], 1)] = int64(-40 * time.Second)
	return w
}

func serviceName(a application, i int) string { return fmt.Sprintf("%s-%d", a.name, i) }

func (w *world) id() (id span.ID) {
	w.ids++
	binary.BigEndian.PutUint64(id[:], w.ids)
	return id
}

// logNormal draws a duration with this median.
func (w *world) logNormal(median, shape float64) int64 {
	return int64(median * math.Exp(w.NormFloat64()*shape))
}

// made is a span with the true time of its end.
type made struct {
	ready.Span
	end  int64
	turn bool
}

// maker builds the spans of one trace.
type maker struct {
	*world
	of    application
	spans []made
}

func (m *maker) add(s ready.Span, end int64) {
	s.End = end + m.skew[s.Service]
	m.spans = append(m.spans, made{Span: s, end: end})
}

// trace draws one trace that starts then.
func (w *world) trace(start int64) simulated {
	m := &maker{world: w, of: applications[w.IntN(len(applications))]}
	steps := 1 + w.IntN(5)
	long := w.Float64() < longAgents
	end := m.turn(start, steps, long)
	if w.Float64() < resumed {
		first := len(m.spans)
		m.turn(end+int64(24*time.Hour), 1, false)
		for i := first; i < len(m.spans); i++ {
			m.spans[i].turn = true
		}
	}
	return m.deliver(start, end)
}

// turn builds a root with an agent below it that works in steps.
func (m *maker) turn(start int64, steps int, long bool) (end int64) {
	root := ready.Span{ID: m.id(), Service: serviceName(m.of, 0), Name: "POST /" + m.of.name, Kind: "SPAN_KIND_SERVER"}
	switch {
	case m.of.upstream:
		root.Parent = m.id()
	case m.of.linked:
		root.Kind, root.Links = "SPAN_KIND_CONSUMER", true
	}
	agent := ready.Span{ID: m.id(), Parent: root.ID, Service: root.Service, Name: "invoke_agent", Kind: "SPAN_KIND_INTERNAL"}
	at, until := start, start+int64(maxLong)
	for i := 0; ; i++ {
		if long && at >= until || !long && i >= steps {
			break
		}
		if long {
			at += m.Int64N(int64(time.Minute))
		}
		at = m.step(agent, at)
	}
	last := ready.Span{ID: m.id(), Parent: agent.ID, Service: root.Service, Name: "chat", Kind: "SPAN_KIND_CLIENT"}
	if m.of.finish {
		last.Calls = []ready.Call{{ID: last.ID.String(), Tool: "answer"}}
	}
	at += m.logNormal(float64(700*time.Millisecond), 0.6)
	m.add(last, at)
	m.add(agent, at+int64(2*time.Millisecond))
	m.add(root, at+int64(4*time.Millisecond))
	return at
}

// step is one call of the model that asks for a tool, and the run of that.
func (m *maker) step(agent ready.Span, at int64) (end int64) {
	service := agent.Service
	ask := ready.Span{ID: m.id(), Parent: agent.ID, Service: service, Name: "chat", Kind: "SPAN_KIND_CLIENT"}
	ask.Calls = []ready.Call{{ID: ask.ID.String(), Tool: "lookup"}}
	at += m.logNormal(float64(600*time.Millisecond), 0.6)
	m.add(ask, at)
	tool := ready.Span{ID: m.id(), Parent: agent.ID, Service: service, Name: "execute_tool", Kind: "SPAN_KIND_INTERNAL", Answered: []string{ask.ID.String()}, Runs: ask.ID.String()}
	at += m.logNormal(float64(50*time.Millisecond), 0.8)
	if m.of.services > 1 {
		at = m.remote(tool, at, 1+m.IntN(m.of.services-1))
	}
	m.add(tool, at)
	return at
}

// remote is a request to another service and its work there.
func (m *maker) remote(tool ready.Span, at int64, place int) (end int64) {
	service := serviceName(m.of, place)
	client := ready.Span{ID: m.id(), Parent: tool.ID, Service: tool.Service, Name: "GET " + service, Kind: "SPAN_KIND_CLIENT"}
	server := ready.Span{ID: m.id(), Parent: client.ID, Service: service, Name: "GET /", Kind: "SPAN_KIND_SERVER", Flags: 0x300}
	for range 1 + m.IntN(3) {
		at += m.logNormal(float64(30*time.Millisecond), 0.8)
		m.add(ready.Span{ID: m.id(), Parent: server.ID, Service: service, Name: "query", Kind: "SPAN_KIND_INTERNAL"}, at)
	}
	m.add(server, at+int64(time.Millisecond))
	m.add(client, at+int64(3*time.Millisecond))
	return at + int64(3*time.Millisecond)
}

// batch is what a process sends at once.
type batch struct {
	service string
	sent    int64
	spans   []made
}

// deliver puts the spans into batches and says when these arrive.
func (m *maker) deliver(start, end int64) simulated {
	var t simulated
	crashed, crash := "", int64(math.MaxInt64)
	if m.Float64() < crashes {
		crashed = serviceName(m.of, m.IntN(m.of.services))
		crash = start + m.Int64N(end-start)
	}
	arrived := map[string]int64{} // the latest batch of each service
	for _, b := range m.batches(start) {
		if m.Float64() < lostBatches || b.service == crashed && b.sent >= crash {
			t.lossy = true
			continue
		}
		at := b.sent + m.logNormal(delayMedian, delayShape)
		if m.Float64() < lateBatches {
			at += int64(lateBy)
		}
		if m.ordered[b.service] {
			at = max(at, arrived[b.service]+1)
		}
		arrived[b.service] = at
		times := []int64{at}
		if m.Float64() < doubleBatches {
			times = append(times, at+m.logNormal(delayMedian, delayShape))
		}
		for i, at := range times {
			for _, s := range b.spans {
				s.Arrived = times[0]
				t.arrivals = append(t.arrivals, arrival{span: s.Span, turn: s.turn})
				t.arrivals[len(t.arrivals)-1].span.Arrived = at
				if i > 0 || s.turn {
					continue
				}
				t.whole++
				t.last = max(t.last, at)
				if s.Name == "POST /"+m.of.name {
					t.root = at
				}
			}
		}
	}
	slices.SortStableFunc(t.arrivals, func(a, b arrival) int { return cmp.Compare(a.span.Arrived, b.span.Arrived) })
	seen := map[span.ID]bool{}
	for _, a := range t.arrivals {
		if !seen[a.span.ID] {
			seen[a.span.ID] = true
			t.spans = append(t.spans, a.span)
		}
	}
	return t
}

// batches returns the spans in the batches of their processes, in the order in which these
// are sent.
func (m *maker) batches(start int64) []batch {
	phase := map[string]int64{}
	var list []batch
	slices.SortStableFunc(m.spans, func(a, b made) int { return cmp.Compare(a.end, b.end) })
	for _, s := range m.spans {
		if _, known := phase[s.Service]; !known {
			phase[s.Service] = start - m.Int64N(flush)
		}
		sent := s.end + flush - (s.end-phase[s.Service])%flush
		i := slices.IndexFunc(list, func(b batch) bool { return b.service == s.Service && b.sent == sent })
		if i < 0 {
			i = len(list)
			list = append(list, batch{service: s.Service, sent: sent})
		}
		list[i].spans = append(list[i].spans, s)
	}
	slices.SortStableFunc(list, func(a, b batch) int { return cmp.Compare(a.sent, b.sent) })
	return list
}
