// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// crashTest is what the clients of a crash test share.
type crashTest struct {
	processes Processes
	env       tenant.Environment
	reader    store.Engine
	start     func(r *rand.Rand) Process
	slots     [crashProcesses]slot
	raced     []*racedSpan

	contents, unanswered, died atomic.Int64
}

// racedSpan is one that all clients write: any of what they wrote may count.
type racedSpan struct {
	n       int
	mu      sync.Mutex
	written []store.Record
}

// crashSpan is a span as the contract has it after what was acknowledged.
type crashSpan struct {
	n            int
	record       *store.Record // with the evaluations that count, nil before the first
	predecessors []eval.Evaluation
	apart        [2]map[string]apartText // prompts and completions
	said         int64                   // how often something was said of it
}

// apartText is a message that came apart, and when.
type apartText struct {
	text string
	at   int64
}

// crashClient is one client, which no other client writes the spans of.
type crashClient struct {
	test  *crashTest
	r     *rand.Rand
	spans []*crashSpan
}

// some returns a few of the client's spans.
func (c *crashClient) some() (list []*crashSpan) {
	for _, i := range c.r.Perm(len(c.spans))[:1+c.r.IntN(6)] {
		list = append(list, c.spans[i])
	}
	return list
}

// step does one thing, and looks now and then whether it is there.
func (c *crashClient) step(ctx context.Context) error {
	if err := c.test.processes.Arrive(c.r, 4); err != nil {
		return err
	}
	some := c.some()
	err := error(nil)
	switch c.r.IntN(8) {
	case 0, 1, 2:
		err = c.write(ctx, some)
	case 3:
		err = c.repeat(ctx, some)
	case 4, 5:
		err = c.say(ctx, some)
	case 6:
		err = c.writeMessages(ctx, some)
	default:
		err = c.race(ctx)
	}
	if err != nil || c.r.IntN(3) > 0 {
		return err
	}
	return c.look(ctx, some)
}

// content returns a record of a span with content that it never had before.
func (c *crashTest) content(r *rand.Rand, n int) store.Record {
	x := model{}.record(r, c.env, n)
	x.Span.Attributes = x.Span.Attributes.With("content", strconv.FormatInt(c.contents.Add(1), 10))
	return x
}

// write stores spans again, or replaces them. What was given up is followed by
// something newer.
func (c *crashClient) write(ctx context.Context, spans []*crashSpan) error {
	for {
		var b store.Batch
		for _, s := range spans {
			b.Records = append(b.Records, c.test.content(c.r, s.n))
		}
		answered, err := c.test.send(ctx, c.r, b, func() bool { return c.r.IntN(4) == 0 })
		if err != nil {
			return err
		}
		if !answered {
			continue
		}
		for i, s := range spans {
			s.record, s.predecessors = &b.Records[i], nil
		}
		return nil
	}
}

// repeat sends what is stored once more, some of it with other evaluations, which do
// not count.
func (c *crashClient) repeat(ctx context.Context, spans []*crashSpan) error {
	var b store.Batch
	for _, s := range spans {
		if s.record == nil {
			continue
		}
		x := *s.record
		if c.r.IntN(2) == 0 {
			x.Evaluations = pools.RandomEvaluations(c.r)
		}
		b.Records = append(b.Records, x)
	}
	_, err := c.test.send(ctx, c.r, b, nil)
	return err
}

// say says something of stored spans: again, of another revision, or of content that was
// replaced, which is passed over.
func (c *crashClient) say(ctx context.Context, spans []*crashSpan) error {
	var b store.Batch
	var then []func()
	for _, s := range spans {
		if s.record == nil {
			continue
		}
		x := storetest.Evaluated(c.test.env, s.record.Span)
		digest, _ := store.Digest(nil, &s.record.Span)
		x.Content = []uint64{0, digest, digest, digest, digest + 1}[c.r.IntN(5)]
		for _, v := range pools.RandomEvaluations(c.r) {
			v.Revision, v.Time = int64(c.r.IntN(3)), storetest.Epoch.UnixNano()+1000+s.said
			s.said++
			x.Evaluations = append(x.Evaluations, v)
			if x.Content != digest+1 {
				then = append(then, func() { s.take(v) })
			}
		}
		b.Evaluations = append(b.Evaluations, x)
	}
	if _, err := c.test.send(ctx, c.r, b, nil); err != nil {
		return err
	}
	for _, take := range then {
		take()
	}
	return nil
}

// take takes in an evaluation that came later.
func (s *crashSpan) take(v eval.Evaluation) {
	list := slices.Clone(s.record.Evaluations)
	i := slices.IndexFunc(list, func(x eval.Evaluation) bool { return x.SetupID == v.SetupID && x.Evaluator == v.Evaluator })
	switch {
	case i < 0:
		list = append(list, v)
	case v.Revision < list[i].Revision:
		return
	default:
		if v.Revision > list[i].Revision {
			s.predecessors = append(s.predecessors, list[i])
		}
		list[i] = v
	}
	record := *s.record
	record.Evaluations = list
	s.record = &record
}

// writeMessages stores prompts and completions of spans apart from them.
func (c *crashClient) writeMessages(ctx context.Context, spans []*crashSpan) error {
	var b store.Batch
	for _, s := range spans {
		at := int64(c.r.IntN(1 << 30)) // no two at the same time
		key, text := pools.Pick(c.r, pools.Messages), pools.Pick(c.r, pools.Texts)
		m := messages(c.test.env, storetest.Span(c.test.env, s.n), at, nil, nil)
		side := 0
		if strings.HasPrefix(key, "llm.prompts.") {
			m.Prompts = storetest.Attributes(key, text)
		} else {
			side, m.Completions = 1, storetest.Attributes(key, text)
		}
		if s.apart[side] == nil {
			s.apart[side] = map[string]apartText{}
		}
		if s.apart[side][key].at <= at {
			s.apart[side][key] = apartText{text, at}
		}
		b.Messages = append(b.Messages, m)
	}
	_, err := c.test.send(ctx, c.r, b, nil)
	return err
}

// race writes spans that others write at the same time.
func (c *crashClient) race(ctx context.Context) error {
	var b store.Batch
	for _, s := range c.test.raced {
		x := c.test.content(c.r, s.n)
		s.mu.Lock()
		s.written = append(s.written, x)
		s.mu.Unlock()
		b.Records = append(b.Records, x)
	}
	_, err := c.test.send(ctx, c.r, b, nil)
	return err
}

// effective returns the record as it is shown, with what came apart.
func (s *crashSpan) effective() store.Record {
	x := *s.record
	for side, own := range [2]*span.Attributes{&x.Span.Prompts, &x.Span.Completions} {
		if len(*own) > 0 {
			continue
		}
		for key, m := range s.apart[side] {
			*own = own.With(key, m.text)
		}
	}
	return x
}

// anywhen returns the key of a span, whenever it started.
func anywhen(env tenant.Environment, n int) span.Key {
	s := storetest.Span(env, n)
	return span.Key{TraceID: s.TraceID, SpanID: s.SpanID}
}

// look looks whether spans of the client are as the contract has them, which no other call
// else writes.
func (c *crashClient) look(ctx context.Context, spans []*crashSpan) error {
	for _, s := range spans {
		got, err := c.test.reader.Get(ctx, c.test.env, []span.Key{anywhen(c.test.env, s.n)}, 0)
		if err != nil {
			return err
		}
		if s.record == nil {
			if len(got) > 0 {
				return fmt.Errorf("span %d is there, and was not sent", s.n)
			}
			continue
		}
		want := storetest.Canonical(shown(s.effective()))
		if len(got) != 1 || !reflect.DeepEqual(want, storetest.Canonical(got[0])) {
			return fmt.Errorf("span %d is not as it was acknowledged: %+v\n%+v", s.n, got, want)
		}
	}
	return nil
}

// said returns what was said of a span, in words that can be compared.
func said(list []eval.Evaluation) []string {
	words := []string{}
	for _, v := range list {
		text := fmt.Sprint(v.Time, v.SetupID, v.Evaluator, v.Revision, v.Status, v.Reason, v.Usage.Cost)
		for _, o := range v.Outputs {
			text += " " + o.Name + "=" + o.Text()
		}
		words = append(words, text)
	}
	slices.Sort(words) // which is by time, and of one time by setup
	return words
}

// decideRaces finds out which of what was written of the spans that clients race for
// counts, and holds the evaluations to it.
func (c *crashTest) decideRaces(t *testing.T) (list []*crashSpan) {
	t.Helper()
	for _, s := range c.raced {
		got, err := c.reader.Get(t.Context(), c.env, []span.Key{anywhen(c.env, s.n)}, 0)
		require.NoError(t, err)
		if len(s.written) == 0 {
			require.Empty(t, got)
			continue
		}
		require.Len(t, got, 1)
		content, _ := got[0].Attributes.Get("content")
		i := slices.IndexFunc(s.written, func(x store.Record) bool {
			own, _ := x.Span.Attributes.Get("content")
			return own == content
		})
		require.GreaterOrEqual(t, i, 0, "it was written")
		list = append(list, &crashSpan{n: s.n, record: &s.written[i]})
	}
	return list
}

// requireAnswers holds the store to the contract: everything there is, what was said of
// it with all revisions, pending evaluations, and queries made by chance.
func (c *crashTest) requireAnswers(t *testing.T, r *rand.Rand, clients []*crashClient) {
	t.Helper()
	all := c.decideRaces(t)
	for _, x := range clients {
		all = append(all, x.spans...)
	}
	all = slices.DeleteFunc(all, func(s *crashSpan) bool { return s.record == nil })
	m, deferred := model{slug: c.env.Slug}, 0
	for _, s := range all {
		x := s.effective()
		m.records = append(m.records, x)
		for _, v := range x.Evaluations {
			if v.Status == eval.Deferred {
				deferred++
			}
		}
	}
	q := everything()
	page, err := c.reader.Search(t.Context(), c.env, q)
	require.NoError(t, err)
	require.EqualValues(t, len(all), page.Total)
	storetest.RequireSpans(t, m.find(q), page.Spans)
	for _, which := range []store.Revisions{store.Latest, store.AllRevisions} {
		at := make([]store.Location, len(all))
		for i, s := range all {
			at[i] = store.Location{Environment: c.env.ID, Span: s.record.Span.Key()}
		}
		list, err := c.reader.Evaluations(t.Context(), at, math.MinInt64, which)
		require.NoError(t, err)
		require.Len(t, list, len(all))
		for i, s := range all {
			want := s.record.Evaluations
			if which == store.AllRevisions {
				want = slices.Concat(want, s.predecessors)
			}
			require.Equal(t, said(want), said(list[i].Evaluations), "span %d", s.n)
		}
	}
	owed, err := c.reader.Owed(t.Context(), "", store.Due{}, 0)
	require.NoError(t, err)
	require.EqualValues(t, deferred, owed.Evaluations)
	for range 25 {
		q := randomQuery(r)
		want := m.find(q)
		page, err := c.reader.Search(t.Context(), c.env, q)
		require.NoError(t, err)
		require.EqualValues(t, len(want), page.Total, "%+v", q)
		require.Equal(t, storetest.IDs(want[:min(len(want), q.Limit)]), storetest.IDs(page.Spans), "%+v", q)
	}
}
