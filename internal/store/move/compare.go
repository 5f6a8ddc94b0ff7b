// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/cespare/xxhash/v2"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/contents"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Result is what came of a move.
type Result struct {
	// Already says that it was done before, and this is what came of it then.
	Already      bool               `json:"already"`
	Environments []Environment      `json:"environments"`
	Tables       []sqldb.MovedTable `json:"tables"`
	Left         Left               `json:"left"`
}

// Environment is what both sides have of an environment that has not expired.
type Environment struct {
	ID           tenant.EnvironmentID `json:"id"`
	Slug         string               `json:"environment"`
	Organization string               `json:"organization"`
	Source       Figures              `json:"source"`
	Target       Figures              `json:"target"`
	Equal        bool                 `json:"equal"`
}

// Figures are what one side has.
type Figures struct {
	Spans       int64 `json:"spans"`
	Evaluations int64 `json:"evaluations"` // of all revisions
	Messages    int64 `json:"messages"`    // prompts and completions that came apart from their spans
	Owed        int64 `json:"owed"`        // evaluations; in the target, those that are in the queue too
	// Digest is that of the contents of all of them.
	Digest string `json:"digest"`
}

// Equal reports whether both sides have the same of every environment.
func (r *Result) Equal() bool {
	for i := range r.Environments {
		if !r.Environments[i].Equal {
			return false
		}
	}
	return true
}

// had is what one side has of an environment.
type had struct{ spans, evaluations, messages, owed contents.Sum }

// add takes in a span and all that was made of it.
func (h *had) add(d *contents.Digester, x *store.Kept) {
	key := x.Span.Key()
	d.Add(&h.spans, key, x.Span, x.Content, x.Expires())
	for i := range x.Evaluations {
		v := &x.Evaluations[i]
		d.Add(&h.evaluations, key, "counts", v)
		if v.Status == eval.Deferred {
			d.Add(&h.owed, key, v.SetupID, v.Evaluator, v.Due, v.Time)
		}
	}
	for i := range x.Predecessors {
		d.Add(&h.evaluations, key, "preceded", &x.Predecessors[i])
	}
}

func (h *had) figures() Figures {
	all := sha256.Sum256([]byte(h.spans.Digest() + h.evaluations.Digest() + h.messages.Digest() + h.owed.Digest()))
	return Figures{
		Spans: h.spans.Count, Evaluations: h.evaluations.Count, Messages: h.messages.Count, Owed: h.owed.Count, Digest: hex.EncodeToString(all[:]),
	}
}

// tries are how often both sides are compared: what expires while they are read may be seen
// on one of them alone.
const tries = 2

// compare reads all that both sides have and has not expired, and returns what it is.
func (m *mover) compare(ctx context.Context) (r *Result, err error) {
	for range tries {
		if r, err = m.compareOnce(ctx); err != nil || r.Equal() {
			break
		}
	}
	return r, err
}

func (m *mover) compareOnce(ctx context.Context) (*Result, error) {
	at := max(m.now().UnixNano(), m.note.At)
	source, err := m.source(ctx, at)
	if err != nil {
		return nil, err
	}
	queued, err := m.to.Backlog.Queued(ctx, at)
	if err != nil {
		return nil, err
	}
	r := &Result{Left: m.note.Left}
	total := int64(0)
	for _, h := range source {
		total += h.spans.Count
	}
	looked := int64(0)
	for _, env := range m.list {
		target, err := m.target(ctx, env.Environment, at, func(spans int) {
			looked += int64(spans)
			m.tell(Progress{StepTarget, looked, total})
		})
		if err != nil {
			return nil, err
		}
		x := Environment{ID: env.ID, Slug: env.Slug, Organization: env.organization, Source: source[env.ID].figures(), Target: target.figures()}
		x.Equal = x.Source == x.Target && queued[env.ID] == x.Source.Owed
		x.Target.Owed = min(x.Target.Owed, queued[env.ID])
		r.Environments = append(r.Environments, x)
	}
	return r, nil
}

// source reads all that the source has.
func (m *mover) source(ctx context.Context, at int64) (map[tenant.EnvironmentID]*had, error) {
	all := make(map[tenant.EnvironmentID]*had, len(m.list))
	for _, env := range m.list {
		all[env.ID] = &had{}
	}
	total, messages, err := m.from.Spans.CountKept(ctx)
	if err != nil {
		return nil, err
	}
	var d contents.Digester
	looked := int64(0)
	err = m.from.Spans.KeptSpans(ctx, store.Place{}, func(list []store.Kept, _ store.Place) error {
		for i := range list {
			if h := all[list[i].Environment.ID]; h != nil && list[i].Expires() >= at {
				h.add(&d, &list[i])
			}
		}
		looked += int64(len(list))
		m.tell(Progress{StepSource, looked, total})
		return nil
	})
	if err != nil {
		return nil, err
	}
	passes := uint64(messages/messagesAtOnce + 1)
	for pass := range passes {
		if err := m.sourceMessages(ctx, at, all, passes, pass); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// messagesAtOnce is about how many messages are in memory at once.
const messagesAtOnce = 200_000

// text names a prompt or completion that came apart from its span.
type text struct {
	env        tenant.EnvironmentID
	trace      span.TraceID
	id         span.ID
	completion bool
	key        string
}

// said is what counts of such a text: what happened last.
type said struct {
	value     uint64
	time, end int64
}

// sourceMessages reads the messages of one of so many parts of all traces. Of a text that
// came more than once what happened last counts.
func (m *mover) sourceMessages(ctx context.Context, at int64, all map[tenant.EnvironmentID]*had, passes, pass uint64) error {
	counting := map[text]said{}
	err := m.from.Spans.KeptMessages(ctx, store.Place{}, func(list []store.KeptMessages, _ store.Place) error {
		for i := range list {
			x := &list[i]
			if xxhash.Sum64(x.TraceID[:])%passes != pass || all[x.Environment.ID] == nil || x.Expires() < m.note.At {
				continue
			}
			end := m.to.Spans.EndOf(x, m.note.At)
			for _, side := range []struct {
				completion bool
				list       span.Attributes
			}{{false, x.Prompts}, {true, x.Completions}} {
				for _, a := range side.list {
					of := text{x.Environment.ID, x.TraceID, x.SpanID, side.completion, a.Key}
					if was, there := counting[of]; !there || x.Time >= was.time {
						counting[of] = said{xxhash.Sum64String(a.Value), x.Time, end}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var d contents.Digester
	for of, s := range counting {
		if s.end >= at {
			d.Add(&all[of.env].messages, &store.StoredMessage{
				Location:   store.Location{Environment: of.env, Span: span.Key{TraceID: of.trace, SpanID: of.id}},
				Completion: of.completion, Key: of.key, Value: s.value, Time: s.time,
			})
		}
	}
	return nil
}

// target reads what the target has of an environment.
func (m *mover) target(ctx context.Context, env tenant.Environment, at int64, tell func(spans int)) (*had, error) {
	h := &had{}
	var d contents.Digester
	err := m.to.Spans.StoredSpans(ctx, env, at, func(list []store.Kept) error {
		for i := range list {
			h.add(&d, &list[i])
		}
		tell(len(list))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, m.to.Spans.StoredMessages(ctx, env.ID, at, func(x store.StoredMessage) error {
		d.Add(&h.messages, &x)
		return nil
	})
}
