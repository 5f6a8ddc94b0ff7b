// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// turnPatience is how long the evaluators of one span may take, until another
// environment that waits gets a turn besides: some ignore that they should end.
const turnPatience = 30 * time.Second

// stuck tells of spans whose evaluators have been at work for longer than that.
func (p *monitorProcessor) stuck() []store.Problem {
	var message string
	switch n := p.turns.Stuck(); n {
	case 0:
		return nil
	case 1:
		message = "a span has kept evaluators at work for more than " + turnPatience.String() + ": other spans are evaluated at the same time"
	default:
		message = strconv.Itoa(n) + " spans have kept evaluators at work for more than " + turnPatience.String() + ": other spans are evaluated at the same time"
	}
	return []store.Problem{{Name: store.ProblemStuck, Message: message}}
}

// turn is the turn of one batch. Environments share the processors.
type turn struct {
	of    *fair.Slots[tenant.EnvironmentID]
	env   tenant.EnvironmentID
	begun time.Time // zero while there is none
}

// begin waits for the turn of an environment, unless it is its turn already.
func (t *turn) begin(ctx context.Context, env tenant.EnvironmentID) error {
	if !t.begun.IsZero() && t.env == env {
		return nil
	}
	t.end()
	if err := t.of.Take(ctx, env); err != nil {
		return err
	}
	t.env, t.begun = env, time.Now()
	return nil
}

// pass lets others have their turn, between two spans, and waits for the next.
func (t *turn) pass(ctx context.Context) error {
	if t.begun.IsZero() || t.of.Waiting() == 0 || !t.of.Due(t.env, time.Since(t.begun)) {
		return nil
	}
	env := t.env
	t.end()
	return t.begin(ctx, env)
}

func (t *turn) end() {
	if !t.begun.IsZero() {
		t.of.Give(t.env, time.Since(t.begun))
		t.begun = time.Time{}
	}
}
