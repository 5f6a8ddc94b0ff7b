// SPDX-License-Identifier: Apache-2.0

// Package move moves all that a process on its own keeps, in DuckDB and SQLite, to servers
// that processes share, ClickHouse and PostgreSQL, as it is: ids, times, digests, revisions
// and until when it is kept.
//
// Spans with their evaluations go first, then messages that came apart, each page with what
// is pending on it; behind each page the database of the target notes how far it is. Then what
// both sides have is read again and compared. Organizations, keys, secrets and documents come
// last, in the one transaction that says that it is done: until then the target serves no one.
package move

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqlbacklog"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Source is what is moved. No one else has it open.
type Source struct {
	Spans   store.Source
	Control *sqldb.DB
}

// Target is where it is moved to.
type Target struct {
	Spans   store.Destination
	Control *sqldb.DB
	Backlog *sqlbacklog.Backlog
}

// Progress is how far a step of a move is. What is looked at may be left behind.
type Progress struct {
	Step        string
	Done, Total int64
}

// The steps of a move. Comparing goes through all spans of the source, and then of the target.
const (
	StepSpans    = "spans"
	StepMessages = "messages"
	StepSource   = "reading the source again"
	StepTarget   = "reading the target"
)

// Left is what stays behind.
type Left struct {
	// Expired were past their retention when the move began.
	ExpiredSpans    int64 `json:"expired_spans"`
	ExpiredMessages int64 `json:"expired_messages"`
	// Ownerless are the rows of organizations that were deleted.
	OwnerlessSpans    int64 `json:"ownerless_spans"`
	OwnerlessMessages int64 `json:"ownerless_messages"`
}

// note is how far a move is, as the target keeps it.
type note struct {
	Origin string `json:"house"` // which source it is
	// At is when it began, Unix nanoseconds: what expired before is left behind.
	At           int64       `json:"at"`
	Spans        store.Place `json:"spans"`
	SpansDone    bool        `json:"spans_done"`
	Messages     store.Place `json:"messages"`
	MessagesDone bool        `json:"messages_done"`
	Looked       int64       `json:"looked"` // at how many spans
	LookedApart  int64       `json:"looked_apart"`
	Left         Left        `json:"left"`
	Result       *Result     `json:"result,omitempty"` // when it is done
}

// mover is one run of a move.
type mover struct {
	from  Source
	to    Target
	now   func() time.Time
	tell  func(Progress)
	note  note
	owned map[tenant.EnvironmentID]owned
	list  []owned // the same in the order of organizations
}

// owned is an environment that moves.
type owned struct {
	tenant.Environment
	organization string // its name
}

// Run moves all, or goes on with a move that did not come to its end, and returns what came of
// it. Where it was done before nothing changes. The result is not nil where both sides were
// compared, whatever the error says.
func Run(ctx context.Context, from Source, to Target, now func() time.Time, tell func(Progress)) (*Result, error) {
	m := &mover{from: from, to: to, now: now, tell: tell}
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	if r := m.note.Result; r != nil {
		r.Already = true
		return r, nil
	}
	if err := m.moveSpans(ctx); err != nil {
		return nil, err
	}
	if err := m.moveMessages(ctx); err != nil {
		return nil, err
	}
	r, err := m.compare(ctx)
	if err != nil {
		return nil, err
	}
	if !r.Equal() {
		return r, fault.New(fault.Internal, "what the target has is not what the source has: nothing serves from the target; empty both of its databases and begin again")
	}
	return r, m.end(ctx, r)
}

// begin finds out how far the move is.
func (m *mover) begin(ctx context.Context) error {
	organizations, err := m.from.Control.Organizations(ctx)
	if err != nil {
		return err
	}
	if len(organizations) == 0 {
		return fault.New(fault.Invalid, "the source has no organization: there is nothing to move")
	}
	m.owned = map[tenant.EnvironmentID]owned{}
	for i := range organizations {
		o := &organizations[i]
		if !o.DeletedAt.IsZero() {
			continue
		}
		for _, env := range o.AllEnvironments() {
			x := owned{env, o.Name}
			m.owned[env.ID] = x
			m.list = append(m.list, x)
		}
	}
	digest := sha256.Sum256([]byte(organizations[0].ID + "\x00" + organizations[0].CreatedAt.UTC().Format(time.RFC3339Nano)))
	origin := hex.EncodeToString(digest[:])
	text, err := m.to.Control.MoveNote(ctx)
	if err != nil {
		return err
	}
	if text != nil {
		if err := json.Unmarshal(text, &m.note); err != nil {
			return fmt.Errorf("read how far the move is: %w", err)
		}
		if m.note.Origin != origin {
			return fault.New(fault.Conflict, "the target has a move from another source: move into databases that are not in use")
		}
		if m.note.Result != nil {
			return nil
		}
		return m.to.Control.Serves(ctx)
	}
	if err := m.to.Control.Serves(ctx); err != nil {
		return err
	}
	empty, err := m.to.Spans.Empty(ctx)
	if err != nil {
		return err
	}
	if !empty {
		return fault.New(fault.Conflict, "the target has spans already: move into databases that are not in use")
	}
	m.note = note{Origin: origin, At: m.now().UnixNano()}
	return m.keep(ctx)
}

// keep stores how far the move is.
func (m *mover) keep(ctx context.Context) error {
	text, err := json.Marshal(m.note)
	if err != nil {
		return err
	}
	return m.to.Control.NoteMove(ctx, text)
}

// end makes the target serve.
func (m *mover) end(ctx context.Context, r *Result) error {
	return m.to.Control.MoveFrom(ctx, m.from.Control, func(tables []sqldb.MovedTable) ([]byte, error) {
		done := m.note
		r.Tables, done.Result = tables, r
		return json.Marshal(done)
	})
}

// handed is a page on its way from the source to the target.
type handed[T any] struct {
	list []T
	last store.Place
}

// relay reads pages while those before are written.
func relay[T any](ctx context.Context, read func(ctx context.Context, f func([]T, store.Place) error) error, write func(ctx context.Context, p handed[T]) error) error {
	g, ctx := errgroup.WithContext(ctx)
	pages := make(chan handed[T])
	g.Go(func() error {
		defer close(pages)
		return read(ctx, func(list []T, last store.Place) error {
			select {
			case pages <- handed[T]{list, last}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	g.Go(func() error {
		for p := range pages {
			if err := write(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// moving returns what moves of a page, in its place, and counts what stays behind: what is of
// no environment that moves, and what expired before the move began.
func moving[T any](m *mover, page []T, ownerless, expired *int64, of func(*T) (env tenant.EnvironmentID, expires int64)) []T {
	mine := page[:0]
	for i := range page {
		env, expires := of(&page[i])
		switch _, known := m.owned[env]; {
		case !known:
			*ownerless++
		case expires < m.note.At:
			*expired++
		default:
			mine = append(mine, page[i])
		}
	}
	return mine
}

func (m *mover) moveSpans(ctx context.Context) error {
	if m.note.SpansDone {
		return nil
	}
	total, _, err := m.from.Spans.CountKept(ctx)
	if err != nil {
		return err
	}
	behind := m.note.Spans
	err = relay(ctx, func(ctx context.Context, f func([]store.Kept, store.Place) error) error {
		return m.from.Spans.KeptSpans(ctx, behind, f)
	}, func(ctx context.Context, p handed[store.Kept]) error {
		mine := moving(m, p.list, &m.note.Left.OwnerlessSpans, &m.note.Left.ExpiredSpans, func(x *store.Kept) (tenant.EnvironmentID, int64) {
			return x.Environment.ID, x.Expires()
		})
		if err := m.to.Spans.PutSpans(ctx, mine, m.note.At); err != nil {
			return err
		}
		if err := m.to.Backlog.PutOwed(ctx, mine, m.note.At); err != nil {
			return err
		}
		m.note.Spans = p.last
		m.note.Looked += int64(len(p.list))
		m.tell(Progress{StepSpans, m.note.Looked, total})
		return m.keep(ctx)
	})
	if err != nil {
		return err
	}
	m.note.SpansDone = true
	return m.keep(ctx)
}

func (m *mover) moveMessages(ctx context.Context) error {
	if m.note.MessagesDone {
		return nil
	}
	_, total, err := m.from.Spans.CountKept(ctx)
	if err != nil {
		return err
	}
	behind := m.note.Messages
	left, looked := m.note.Left, m.note.LookedApart // at what was not handed over whole
	err = relay(ctx, func(ctx context.Context, f func([]store.KeptMessages, store.Place) error) error {
		return m.from.Spans.KeptMessages(ctx, behind, f)
	}, func(ctx context.Context, p handed[store.KeptMessages]) error {
		if p.last != m.note.Messages { // all before is written
			m.note.Messages, m.note.Left, m.note.LookedApart = p.last, left, looked
			if err := m.keep(ctx); err != nil {
				return err
			}
		}
		mine := moving(m, p.list, &left.OwnerlessMessages, &left.ExpiredMessages, func(x *store.KeptMessages) (tenant.EnvironmentID, int64) {
			return x.Environment.ID, x.Expires()
		})
		looked += int64(len(p.list))
		m.tell(Progress{StepMessages, looked, total})
		return m.to.Spans.PutMessages(ctx, mine, m.note.At)
	})
	if err != nil {
		return err
	}
	m.note.Left, m.note.LookedApart, m.note.MessagesDone = left, looked, true
	return m.keep(ctx)
}
