// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of requests. A call of a tool may hold an answer of the API of maxAnswer,
// and what is made of it.
const (
	atOnce    = 4  // requests that are worked on
	ofOne     = 8  // of one environment that are worked on or wait
	ofAll     = 64 // of all
	lastVisit = time.Minute
)

// bounds hold requests of agents to what there is memory for.
type bounds struct {
	held  fair.Held[tenant.EnvironmentID]
	turns *fair.Slots[tenant.EnvironmentID]
}

func newBounds() *bounds {
	return &bounds{turns: fair.NewReservingSlots[tenant.EnvironmentID](atOnce, lastVisit, time.Now)}
}

// enter waits until a request of an environment may be worked on, until leave is called.
func (b *bounds) enter(ctx context.Context, env tenant.EnvironmentID) (leave func(), err error) {
	left, err := b.held.Enter(env, 0, func(own, all fair.Share) error {
		switch {
		case own.N >= ofOne:
			return fault.Limit(time.Second, "the environment has %d requests of agents under way: try again when they are answered", own.N)
		case all.N >= ofAll:
			return fault.New(fault.Unavailable, "too many agents ask at once; try again later")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := b.turns.Take(ctx, env); err != nil {
		left()
		return nil, fault.Wrap(fault.Unavailable, err, "too many agents ask at once; try again later")
	}
	begun := time.Now()
	return func() {
		b.turns.Give(env, time.Since(begun))
		left()
	}, nil
}

// read reads the message of a request, of which there is one: the protocol has had no
// batches since 2025-06-18, and calls of a batch are worked on at once. Its memory is
// held until leave is called.
func (h *handler) read(w http.ResponseWriter, r *http.Request, env tenant.EnvironmentID, until time.Time) (leave func(), err error) {
	body, leave, err := h.server.Take(w, r, env, maxRequest, until)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		leave()
		return nil, fault.New(fault.Invalid, "a batch is not taken: send one message a request")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return leave, nil
}

// environmentOf returns whose the answer to who is calling says the key is, "" for the
// operator.
func environmentOf(who *answer) tenant.EnvironmentID {
	var told struct {
		Environment struct {
			ID tenant.EnvironmentID `json:"id"`
		} `json:"environment"`
	}
	_ = json.Unmarshal(who.body.Bytes(), &told)
	return told.Environment.ID
}
