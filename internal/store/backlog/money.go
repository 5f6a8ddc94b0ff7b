// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// account is a setup of an environment.
type account struct {
	env   tenant.EnvironmentID
	setup string
}

// ledger is what a setup spent since a time, in US dollars, and what is reserved
// of the rest.
type ledger struct {
	since    int64
	ready    chan struct{} // closed when what was spent before is read, or could not be
	failed   bool
	spent    float64
	reserved float64
	reserves int             // of which reserved is the sum
	history  map[string]past // by evaluator
}

// past is how many evaluations of an evaluator ended, and what these cost.
type past struct {
	made int64
	cost float64
}

// price returns what an evaluation is expected to cost: the average of those made
// before. Before there is any, it may take all that is left.
func (l *ledger) price(evaluator string, left float64) float64 {
	p := l.history[evaluator]
	if p.made == 0 {
		return left
	}
	return p.cost / float64(p.made)
}

// learn takes in what ended.
func (l *ledger) learn(evaluator string, of past) {
	p := l.history[evaluator]
	l.history[evaluator] = past{made: p.made + of.made, cost: p.cost + of.cost}
}

// Reserve implements store.Backlog. What is spent exceeds the limit by no more
// than by what the evaluations under way cost more than those before, and by the
// last.
func (b *Backlog) Reserve(ctx context.Context, budget store.Budget, of store.Location, evaluator string) (store.Reserved, error) {
	if err := b.begin(ctx); err != nil {
		return "", err
	}
	p := pairOf(&eval.Evaluation{SetupID: budget.Setup, Evaluator: evaluator})
	a := account{budget.Environment, p.Setup}
	l, err := b.openLedger(ctx, a, budget)
	if err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	held := b.leases[of.Owner()].find(p)
	left := budget.Limit - l.spent
	switch {
	case left <= 0:
		return store.Spent, nil
	case held == nil:
		return store.Taken, nil
	case held.reserved > 0:
		return store.Granted, nil
	}
	price := l.price(p.Evaluator, left)
	if l.reserves > 0 && l.reserved+price > left {
		return store.Taken, nil
	}
	if price > 0 {
		held.reserved = price
		l.reserved += price
		l.reserves++
	}
	return store.Granted, nil
}

// openLedger returns the ledger of an account; what was spent so far is read unless
// that is known.
func (b *Backlog) openLedger(ctx context.Context, a account, budget store.Budget) (*ledger, error) {
	since := budget.Since.UnixNano()
	for {
		b.mu.Lock()
		l := b.ledgers[a]
		if l == nil || l.since != since {
			return b.readLedger(ctx, a, budget, l)
		}
		b.mu.Unlock()
		select {
		case <-l.ready:
			if !l.failed {
				return l, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// readLedger is called with mu held, which it lets go of. Meanwhile others note in
// the new ledger what they spend.
func (b *Backlog) readLedger(ctx context.Context, a account, budget store.Budget, l *ledger) (*ledger, error) {
	fresh := &ledger{since: budget.Since.UnixNano(), ready: make(chan struct{}), history: map[string]past{}}
	if l != nil { // what was reserved in the time before
		fresh.reserved, fresh.reserves = l.reserved, l.reserves
	}
	b.ledgers[a] = fresh
	b.mu.Unlock()
	spent, err := store.ReadSpent(ctx, b.engine, budget.Environment, budget.Setup, budget.Since)
	var history []store.Price
	if err == nil {
		history, err = store.ReadPrices(ctx, b.engine, budget.Environment, budget.Setup)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer close(fresh.ready)
	if err != nil {
		fresh.failed = true
		delete(b.ledgers, a)
		if l != nil {
			b.ledgers[a] = l
		}
		return nil, err
	}
	fresh.spent += spent
	for _, p := range history {
		fresh.learn(p.Evaluator, past{made: p.Ended, cost: p.Cost})
	}
	return fresh, nil
}

// unreserve gives back what was reserved for an evaluation.
func (b *Backlog) unreserve(a account, reserved float64) {
	l := b.ledgers[a]
	if l == nil || reserved == 0 {
		return
	}
	l.reserves--
	l.reserved = max(l.reserved-reserved, 0)
	if l.reserves <= 0 {
		l.reserves, l.reserved = 0, 0
	}
}

// account notes what evaluations cost that were stored.
func (b *Backlog) account(c *completion.Subject) {
	for i := range c.Counts {
		v := &c.Counts[i]
		p := pairOf(v)
		l := b.ledgers[account{c.Environment, p.Setup}]
		if l == nil {
			continue
		}
		cost := max(v.Usage.Cost-c.Before[i], 0)
		l.spent += cost
		if v.Status.Tried() {
			l.learn(p.Evaluator, past{made: 1, cost: v.Usage.Cost})
		}
	}
}
