// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// kept is how many beginnings of minutes are remembered.
const kept = 60

// state is how everything was at one time, counts since the process began.
type state struct {
	at     time.Time
	intake store.Intake
	owed   *store.BacklogStats // nil where that cannot be had
	space  *store.Space        // nil where spans are kept on another machine, or that cannot be had
	models []model.Status
	memory systemMemory
}

// systemMinute is what came of one minute: counts are of it alone, the others are at its
// end. The last one is not over.
type systemMinute struct {
	_ struct{} `doc:"One minute: counts are of it alone, the others are at its end."`

	At            int64   `json:"at" doc:"When it began, Unix seconds." schema:"minimum=0"`
	Spans         int64   `json:"spans" doc:"Spans that were stored." schema:"minimum=0"`
	Evaluations   int64   `json:"evaluations" doc:"Evaluations that were stored, pending ones included." schema:"minimum=0"`
	Refused       int64   `json:"refused_spans" doc:"Spans of writes that failed, which senders try again." schema:"minimum=0"`
	Owed          *int64  `json:"owed_evaluations" doc:"Pending evaluations." schema:"nullable minimum=0"`
	StoreBytes    *int64  `json:"store_bytes" doc:"What spans take of the disk; null where they are kept on another machine." schema:"nullable minimum=0"`
	Memory        int64   `json:"memory_bytes" doc:"Memory of the process." schema:"minimum=0"`
	ModelRequests int64   `json:"model_requests" doc:"Requests that were sent to models." schema:"minimum=0"`
	ModelErrors   int64   `json:"model_errors" doc:"Calls of models that gave nothing usable." schema:"minimum=0"`
	Cost          float64 `json:"cost_usd" doc:"What models cost, in US dollars." schema:"minimum=0"`
}

// hour is how everything was when the minutes of the last hour began.
type hour struct {
	mu     sync.Mutex
	begun  time.Time // of the process, as far as this tells
	states []state
}

func (h *hour) note(s *state) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun.IsZero() {
		h.begun = s.at
	}
	if len(h.states) == kept {
		h.states = h.states[:copy(h.states, h.states[1:])]
	}
	h.states = append(h.states, *s)
}

// until returns when it all began, and the minutes up to now.
func (h *hour) until(now *state) (time.Time, []systemMinute) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun.IsZero() {
		h.begun = now.at
	}
	list := make([]systemMinute, len(h.states))
	for i := range h.states {
		end := now
		if i+1 < len(h.states) {
			end = &h.states[i+1]
		}
		list[i] = between(&h.states[i], end)
	}
	return h.begun, list
}

func between(from, to *state) systemMinute {
	a, b := from.models, to.models
	m := systemMinute{
		At:    from.at.Truncate(time.Minute).Unix(),
		Spans: to.intake.Spans - from.intake.Spans, Evaluations: to.intake.Evaluations - from.intake.Evaluations, Refused: to.intake.Refused - from.intake.Refused,
		Memory: to.memory.Resident,
	}
	if to.owed != nil {
		m.Owed = &to.owed.Evaluations
	}
	if to.space != nil {
		m.StoreBytes = &to.space.Bytes
	}
	for i := range min(len(a), len(b)) {
		m.ModelRequests += b[i].Requests - a[i].Requests
		m.ModelErrors += b[i].Errors - a[i].Errors
		m.Cost += b[i].Cost - a[i].Cost
	}
	return m
}

// leastGrowth is for how long a store has to be watched to say when its disk is full.
const leastGrowth = 10 * time.Minute

// daysLeft returns in how many days the disk is full if the store goes on growing
// as it did in the last hour, nil where it does not grow or where that is not known.
func (h *hour) daysLeft(now *state) *float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.states) == 0 || h.states[0].space == nil || now.space == nil {
		return nil
	}
	first := &h.states[0]
	grown, took := now.space.Bytes-first.space.Bytes, now.at.Sub(first.at)
	if grown <= 0 || took < leastGrowth {
		return nil
	}
	const day = 24 * time.Hour
	return new(float64(now.space.Free) / float64(grown) * float64(took) / float64(day))
}

// look returns how everything is now, as far as it can be had.
func (a *SystemAPI) look(ctx context.Context) state {
	s := state{at: a.Now(), intake: a.Stores.Intake(), memory: readMemory()}
	if owed, err := a.Backlog.Stats(ctx); err == nil {
		s.owed = &owed
	}
	if space, err := a.Stores.Space(); err == nil {
		s.space = space
	}
	if a.Models != nil {
		s.models = a.Models()
	}
	return s
}

// Remember looks at how everything is when a minute begins, until ctx ends.
func (a *SystemAPI) Remember(ctx context.Context) {
	for {
		s := a.look(ctx)
		a.hour.note(&s)
		now := a.Now()
		if pace.Sleep(ctx, now.Truncate(time.Minute).Add(time.Minute).Sub(now)) != nil {
			return
		}
	}
}
