// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// conversations makes spans of agents that send all messages of a conversation again
// with each call.
type conversations struct {
	source recordSource
	prose  string
	open   [][]span.Attribute // the messages so far
}

// A hundred conversations go on at a time. Each has 26 turns of a question and an
// answer of 400 bytes, so that a span has 10 KB of history on average.
const (
	conversationsOpen  = 100
	conversationTurns  = 26
	conversationsBytes = 400
)

func newConversations(src recordSource) *conversations {
	c := &conversations{source: src, open: make([][]span.Attribute, conversationsOpen)}
	for k := range c.open { // not all begin at once
		for range k % conversationTurns {
			c.say(k, "user")
			c.say(k, "assistant")
		}
	}
	return c
}

// text returns the next words of prose.
func (c *conversations) text() string {
	for len(c.prose) < conversationsBytes {
		_, s := c.source.Next()
		for _, a := range s.Completions {
			if strings.HasSuffix(a.Key, ".content") {
				c.prose += a.Value
			}
		}
	}
	text := c.prose[:conversationsBytes]
	c.prose = c.prose[conversationsBytes:]
	return text
}

// batch makes records, the next turn of one conversation after the other.
func (c *conversations) batch(n int) []store.Record {
	list := make([]store.Record, n)
	for i := range list {
		k := i % conversationsOpen
		if len(c.open[k]) >= 2*2*conversationTurns {
			c.open[k] = c.open[k][:0]
		}
		env, s := c.source.Next()
		c.say(k, "user")
		s.Prompts = span.NewAttributes(append([]span.Attribute(nil), c.open[k]...))
		answer := c.say(k, "assistant")
		s.Completions = span.NewAttributes([]span.Attribute{
			{Key: "llm.completions.0.content", Value: answer}, {Key: "llm.completions.0.role", Value: "assistant"},
		})
		list[i] = store.Record{Environment: env, Span: s, Evaluations: c.source.Evaluations(&s)}
	}
	return list
}

// say adds a message to an open conversation.
func (c *conversations) say(k int, role string) string {
	at := "llm.prompts." + strconv.Itoa(len(c.open[k])/2)
	text := c.text()
	c.open[k] = append(c.open[k], span.Attribute{Key: at + ".role", Value: role}, span.Attribute{Key: at + ".content", Value: text})
	return text
}

// BenchmarkTexts loads stores, TOUCHSTONE_BENCH_SPANS spans each, and reads them when
// their only partition is closed: spans whose texts are their own, and spans that have
// the whole of their conversations.
func BenchmarkTexts(b *testing.B) {
	n := benchSpans(b)
	src := newRecordSource(10*time.Hour, n)
	b.Run("own", func(b *testing.B) { benchTexts(b, n, src.Environments()[0], src.batch) })
	talk := newConversations(newRecordSource(10*time.Hour, n))
	b.Run("histories", func(b *testing.B) { benchTexts(b, n, src.Environments()[0], talk.batch) })
}

func benchTexts(b *testing.B, n int, env tenant.Environment, batch func(int) []store.Record) {
	const size = 500
	dir := b.TempDir()
	db, err := Open(b.Context(), Config{Dir: dir, MinFreeBytes: -1, PartitionRows: int64(n) - size})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	var spent time.Duration
	var keys []span.Key
	var last store.Record
	for done := 0; done < n; done += size {
		list := batch(size)
		before := usage.CPUTime()
		require.NoError(b, storetest.Write(b.Context(), db, list))
		db.upkeep.Wait()
		spent += usage.CPUTime() - before
		if done < n-size {
			for _, r := range list {
				if r.Environment.ID == env.ID && len(r.Span.Prompts) > 0 {
					last = r
				}
			}
			keys = append(keys, last.Span.Key())
		}
	}
	page := query.Query{To: 1<<63 - 1, Limit: 50, Order: query.Order{By: query.SortTimestamp, Descending: true}}
	search := func(q query.Query) func() (int64, error) {
		return func() (int64, error) {
			page, err := db.Search(b.Context(), env, q)
			return int64(len(page.Spans)) + page.Total, err
		}
	}
	b.Run("open newest 50", func(b *testing.B) { measure(b, search(page)) })
	before := usage.CPUTime()
	db.awaitIndexes()
	closing := usage.CPUTime() - before
	b.Run("load", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(spent.Nanoseconds())/1e3/float64(n), "cpu-µs/span")
		b.ReportMetric(float64(closing.Nanoseconds())/1e3/float64(n), "closing-µs/span")
		b.ReportMetric(float64(diskBytes(b, dir))/float64(n), "B/span")
		b.ReportMetric(float64(usage.PeakMemory()>>20), "peak-MiB")
	})
	older := page
	older.To = last.Span.Start
	b.Run("newest 50", func(b *testing.B) { measure(b, search(older)) })
	step := max(len(keys)/50, 1)
	var apart []span.Key
	for i := 0; i < len(keys) && len(apart) < 50; i += step {
		apart = append(apart, keys[i])
	}
	b.Run("50 apart", func(b *testing.B) {
		measure(b, func() (int64, error) {
			list, err := db.Get(b.Context(), env, apart, 0)
			return int64(len(list)), err
		})
	})
	for _, list := range []string{"prompts", "completions"} {
		q := page
		q.Total = true
		q.Filters = []query.Filter{{Field: query.Column(list), Operator: query.OpContains, Value: "zuzu"}}
		b.Run(list+" contain", func(b *testing.B) { measure(b, search(q)) })
		q.From = last.Span.Start - int64(time.Hour)
		b.Run(list+" contain in an hour", func(b *testing.B) { measure(b, search(q)) })
	}
	customer, _ := last.Span.Attributes.Get("customer_id")
	q := page
	q.Total = true
	q.Filters = []query.Filter{attribute("customer_id", customer), {Field: query.Column("prompts"), Operator: query.OpContains, Value: "zu"}}
	b.Run("attribute and prompts contain", func(b *testing.B) { measure(b, search(q)) })
	q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldMessage, Name: "llm.prompts.0.role"}, Operator: query.OpEquals, Value: "user"}}
	b.Run("a prompt is", func(b *testing.B) { measure(b, search(q)) })
}

// BenchmarkSmallRequests writes requests of one span, each into the journal, or as a commit
// of its own, and reports then how much of it went into the log.
func BenchmarkSmallRequests(b *testing.B) {
	b.Run("journal", func(b *testing.B) { benchSmall(b, 0) })
	b.Run("commit", func(b *testing.B) { benchSmall(b, -1) })
}

func benchSmall(b *testing.B, waiting time.Duration) {
	db, err := Open(b.Context(), Config{Dir: b.TempDir(), MinFreeBytes: -1, waitingTime: waiting})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	src := newRecordSource(time.Hour, 10_000)
	require.NoError(b, storetest.Write(b.Context(), db, src.batch(1)))
	b.ResetTimer()
	n, logged, checkpoints, before := 0, int64(0), 0, usage.CPUTime()
	size := int64(0)
	if waiting < 0 {
		size = db.logSize()
	}
	for b.Loop() {
		require.NoError(b, storetest.Write(b.Context(), db, src.batch(1)))
		n++
		if waiting == 0 {
			continue
		}
		now := db.logSize()
		if logged += now - size; now < size {
			logged += size
			checkpoints++
		}
		size = now
	}
	require.NoError(b, db.flush(b.Context()))
	db.upkeep.Wait()
	b.ReportMetric(float64((usage.CPUTime()-before).Nanoseconds())/1e3/float64(n), "cpu-µs/span")
	if waiting < 0 {
		b.ReportMetric(float64(logged)/float64(n), "log-B/span")
		b.ReportMetric(float64(checkpoints)/float64(n), "checkpoints/span")
	}
}

// logSize returns the size of the log of the one partition that takes in spans.
func (db *DB) logSize() int64 {
	for _, p := range db.engine.current {
		return p.LogSize()
	}
	return 0
}
