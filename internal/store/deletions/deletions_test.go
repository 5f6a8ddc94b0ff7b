// SPDX-License-Identifier: Apache-2.0

package deletions_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// failing is an engine that deletes some of the given spans and fails, so often.
type failing struct {
	deletions.Engine
	times int
}

func (f *failing) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	if f.times > 0 {
		f.times--
		of.Spans = of.Spans[:len(of.Spans)/2]
		return errors.Join(f.Engine.Delete(ctx, env, of), errors.New("the disk is full"))
	}
	return f.Engine.Delete(ctx, env, of)
}

type setup struct {
	engine  store.Engine
	control store.Control
	env     tenant.Environment
	now     time.Time
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	s := &setup{now: time.Now()}
	var err error
	s.engine, err = duckdb.Open(t.Context(), duckdb.Config{Dir: t.TempDir(), MinFreeBytes: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.engine.Close()) })
	s.control, err = sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.control.Close()) })
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, s.control.CreateOrganization(t.Context(), org, keys))
	s.env = keys[0].Environment
	return s
}

func (s *setup) book(e deletions.Engine) *deletions.Book {
	return deletions.New(e, s.control, rand.Text(), func() {}, func() time.Time { return s.now })
}

// write stores a span for each list of attributes.
func (s *setup) write(t *testing.T, start time.Time, lists ...span.Attributes) {
	t.Helper()
	var records []store.Record
	for i, list := range lists {
		x := storetest.Span(s.env, i)
		x.Start, x.Attributes = start.UnixNano(), list
		records = append(records, storetest.Record(s.env, x))
	}
	require.NoError(t, storetest.Write(t.Context(), s.engine, records))
}

func (s *setup) left(t *testing.T) int64 {
	t.Helper()
	page, err := s.engine.Search(t.Context(), s.env, query.Query{From: -1 << 63, To: 1<<63 - 1, Order: query.Order{By: query.SortTimestamp}, Total: true})
	require.NoError(t, err)
	return page.Total
}

const property = "traceloop.association.properties."

func TestWhoseSpansAreDeleted(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		who  []map[string]string
		left int64
	}{
		"by a property, in all spellings of SDKs": {[]map[string]string{{"userId": "1"}}, 6},
		"by one of several":                       {[]map[string]string{{"userId": "1"}, {"user_id": "2"}}, 4},
		"by all of one entry":                     {[]map[string]string{{"userId": "1", "session_id": "s"}}, 9},
		"by the session":                          {[]map[string]string{{"session_id": "s"}}, 8},
		"by the conversation":                     {[]map[string]string{{"conversation_id": "c"}}, 9},
		"by a name of their own":                  {[]map[string]string{{"tier": "gold"}}, 9},
		"nobody's":                                {[]map[string]string{{"userId": "3"}, {"userId": "%"}}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			of := storetest.Attributes
			s.write(t, s.now.Add(-time.Minute),
				of(property+"userId", "1"), of("user.id", "1"), of("ai.telemetry.metadata.userId", "1"),
				of(property+"userId", "1", "session.id", "s"), of("session.id", "s"),
				of("user.id", "2"), of(property+"user_id", "2"), of("gen_ai.conversation.id", "c"), of(property+"tier", "gold"), of("userId", "1"))
			b := s.book(s.engine)
			s.now = s.now.Add(time.Second)
			id, err := b.Request(t.Context(), s.env.ID, row.who)
			require.NoError(t, err)
			s.now = s.now.Add(deletions.Arriving)
			require.NoError(t, b.Round(t.Context()))
			require.Equal(t, row.left, s.left(t))
			d, err := b.Get(t.Context(), s.env.ID, id)
			require.NoError(t, err)
			require.Equal(t, 10-row.left, d.Deleted)
			require.Equal(t, deletions.Counts{Spans: 10 - row.left, Completed: 1}, b.Counts())
		})
	}
}

// What an environment maps to the user, the session or the conversation counts too: no
// attribute of the span has a name that SDKs use.
func TestSpansOfMappedPropertiesAreDeleted(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*span.Span){
		"userId":                 func(x *span.Span) { x.User = "1" },
		"session.id":             func(x *span.Span) { x.Session = "1" },
		"gen_ai.conversation.id": func(x *span.Span) { x.Conversation = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			var records []store.Record
			for i := range 2 {
				x := storetest.Span(s.env, i)
				x.Start, x.Attributes = s.now.UnixNano(), nil
				if i == 0 {
					set(&x)
				}
				records = append(records, storetest.Record(s.env, x))
			}
			require.NoError(t, storetest.Write(t.Context(), s.engine, records))
			b := s.book(s.engine)
			_, err := b.Request(t.Context(), s.env.ID, []map[string]string{{name: "1"}})
			require.NoError(t, err)
			s.now = s.now.Add(deletions.Arriving)
			require.NoError(t, b.Round(t.Context()))
			require.EqualValues(t, 1, s.left(t))
		})
	}
}

// What a process leaves undone is taken up by another when its time is over, and
// counted once.
func TestADeletionThatFailsIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	lists := make([]span.Attributes, 8)
	for i := range lists {
		lists[i] = storetest.Attributes("user.id", "1")
	}
	s.write(t, s.now.Add(-time.Minute), lists...)
	first := s.book(&failing{s.engine, 1})
	id, err := first.Request(t.Context(), s.env.ID, []map[string]string{{"user_id": "1"}})
	require.NoError(t, err)
	require.ErrorContains(t, first.Round(t.Context()), "the disk is full")
	require.EqualValues(t, 4, s.left(t))
	second := s.book(s.engine)
	require.NoError(t, second.Round(t.Context()), "another has it")
	require.EqualValues(t, 4, s.left(t))
	s.now = s.now.Add(time.Hour)
	require.NoError(t, second.Round(t.Context()))
	require.Zero(t, s.left(t))
	d, err := second.Get(t.Context(), s.env.ID, id)
	require.NoError(t, err)
	require.False(t, d.CompletedAt.IsZero())
	require.EqualValues(t, 8, d.Deleted)
	require.EqualValues(t, 8, d.Total)
}

// sending is an engine that gets a span whenever some are deleted.
type sending struct {
	deletions.Engine
	send func()
}

func (s *sending) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	defer s.send()
	return s.Engine.Delete(ctx, env, of)
}

func TestADeletionEndsWhileItsPersonGoesOnSending(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.write(t, s.now.Add(-time.Minute), storetest.Attributes("user.id", "1"), storetest.Attributes("user.id", "1"))
	n := 0
	b := s.book(&sending{s.engine, func() {
		n++
		s.write(t, s.now.Add(-time.Duration(n)*11*time.Minute), storetest.Attributes("user.id", "1"))
	}})
	id, err := b.Request(t.Context(), s.env.ID, []map[string]string{{"user_id": "1"}})
	require.NoError(t, err)
	require.NoError(t, b.Round(t.Context()))
	s.now = s.now.Add(deletions.Arriving)
	require.NoError(t, b.Round(t.Context()))
	require.Equal(t, 2, n)
	require.EqualValues(t, 1, s.left(t), "that came after the last look")
	d, err := b.Get(t.Context(), s.env.ID, id)
	require.NoError(t, err)
	require.False(t, d.CompletedAt.IsZero())
	require.Equal(t, d.Total, d.Deleted)
}

func TestSpansPastTheirRetentionAreDeletedToo(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.write(t, s.now.Add(-s.env.Retention-time.Minute), storetest.Attributes("user.id", "1"))
	b := s.book(s.engine)
	id, err := b.Request(t.Context(), s.env.ID, []map[string]string{{"user_id": "1"}})
	require.NoError(t, err)
	require.NoError(t, b.Round(t.Context()))
	d, err := b.Get(t.Context(), s.env.ID, id)
	require.NoError(t, err)
	require.EqualValues(t, 1, d.Deleted)
}

func TestBadRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	b := s.book(s.engine)
	many := make([]map[string]string, deletions.MaxPeople+1)
	for i := range many {
		many[i] = map[string]string{"userId": "1"}
	}
	for name, who := range map[string][]map[string]string{
		"nobody": nil, "no property": {{}}, "no name": {{"": "1"}}, "no value": {{"userId": ""}}, "long": {{"userId": strings.Repeat("x", 5000)}},
		"many": many, "many properties": {{"a": "1", "b": "1", "c": "1", "d": "1", "e": "1", "f": "1"}},
	} {
		_, err := b.Request(t.Context(), s.env.ID, who)
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
		require.Contains(t, fault.Message(err), "associationProperties", name)
	}
	for range store.MaxOpenDeletions {
		_, err := b.Request(t.Context(), s.env.ID, []map[string]string{{"userId": "1"}})
		require.NoError(t, err)
	}
	_, err := b.Request(t.Context(), s.env.ID, []map[string]string{{"userId": "1"}})
	require.Equal(t, fault.Limited, fault.KindOf(err))
	_, err = b.Get(t.Context(), "another", "x")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}
