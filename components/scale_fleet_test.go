// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// stream is a client that sends spans one after the other, each until it is acknowledged.
type stream struct {
	from                 int // the number of its first span
	load                 string
	sent, acked, refused atomic.Int64
	looks                atomic.Int64 // at how many of them there are
}

// run sends until ctx ends, the last span until it is acknowledged.
func (s *stream) run(ctx context.Context, t *testing.T, gateways []door, key string) error {
	for n := s.from; ctx.Err() == nil; n++ {
		td := judgedTraces(n, 1)
		firstSpan(td).Attributes().PutStr("load", s.load)
		s.sent.Add(1)
		for try := n; ; try++ {
			call, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			err := gateways[try%len(gateways)].send(call, key, td)
			cancel()
			if err == nil {
				s.acked.Add(1)
				break
			}
			if code := status.Code(err); code != codes.Unavailable && code != codes.DeadlineExceeded && code != codes.ResourceExhausted {
				return err // which a client does not try again
			}
			s.refused.Add(1)
			select {
			case <-time.After(50 * time.Millisecond): // as a client waits
			case <-t.Context().Done():
				return t.Context().Err()
			}
		}
	}
	return nil
}

// filter is that of the spans of the stream.
func (s *stream) filter(t *testing.T) string {
	t.Helper()
	return filters(t, map[string]any{"id": "load", "operator": "equals", "value": s.load})
}

// watch looks again and again, until ctx ends, how many spans of the stream a gateway says
// there are: never fewer than were acknowledged before, nor more than were sent. While it
// cannot tell it says so, and no other number.
func (s *stream) watch(ctx context.Context, t *testing.T, h *collector, key string) error {
	t.Helper()
	path := "/v2/warehouse/spans?" + url.Values{"from_timestamp_sec": {"0"}, "limit": {"1"}, "filters": {s.filter(t)}}.Encode()
	for ctx.Err() == nil {
		least := s.acked.Load()
		code, answer, err := h.Call(t.Context(), http.MethodGet, path, key, nil)
		most := s.sent.Load()
		var page testbed.Page
		switch {
		case err != nil:
			return err
		case code == http.StatusServiceUnavailable:
			continue
		case code != http.StatusOK:
			return fmt.Errorf("%d %s", code, answer)
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		if n := page.Spans.TotalResults; n < least || n > most {
			return fmt.Errorf("%d spans, where %d were acknowledged before and %d sent", n, least, most)
		}
		s.looks.Add(1)
	}
	return nil
}

// Three gateways and two backlog workers over one ClickHouse and one PostgreSQL, clients
// that try again, and under load a gateway and a worker are killed, ClickHouse is killed in
// the middle of inserts, and PostgreSQL is away for a while. What cannot be stored is
// refused so that it is sent again, spans without pending evaluations go in without PostgreSQL, and
// nothing needs a restart. Totals are exact at every moment; every acknowledged span is
// there exactly once, and each of its evaluations was made once.
func TestAFleetLosesNothing(t *testing.T) {
	t.Parallel()
	away := 5 * time.Second
	if soakRounds(1) > 1 {
		away = time.Minute
	}
	spans, control := clickhousetest.Own(t), postgrestest.Start(t)
	j := startJudge(t)
	f := startFleetOn(t, spans.DSN(), control.Database(t), j, 3, 2)
	key := f.gateways[0].key(t, "ours")
	f.requireKeysWorkEverywhere(t)
	f.requireSetupsWorkEverywhere(t, key)
	f.requireHundred(t, key)
	f.gateways[1].setup(t, key, "free", []string{"char-count"}, []map[string]any{rule("load", "free")})
	f.gateways[1].setup(t, key, "owed", []string{judged, "char-count"}, []map[string]any{rule("load", "owed")})
	var gateways []door
	for _, h := range f.gateways { // which have a second to hear of them
		h.awaitStatus(t, key, "free", "waiting_for_spans")
		h.awaitStatus(t, key, "owed", "waiting_for_spans")
		gateways = append(gateways, h.doors(t)[0])
	}

	h := f.gateways[2]
	free, owed := &stream{from: 1, load: "free"}, &stream{from: 200_000, load: "owed"}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, s := range []*stream{free, owed} {
		for what, run := range map[string]func() error{
			"send":  func() error { return s.run(ctx, t, gateways, key) },
			"watch": func() error { return s.watch(ctx, t, h, key) },
		} {
			running.Go(func() {
				if err := run(); err != nil {
					t.Errorf("%s %s: %v", what, s.load, err)
				}
			})
		}
	}
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	more := func(n *atomic.Int64, by int64) {
		t.Helper()
		than := n.Load() + by
		require.Eventually(t, func() bool { return t.Failed() || n.Load() > than }, patience, time.Millisecond)
		require.False(t, t.Failed())
	}
	goesOn := func() {
		t.Helper()
		for _, s := range []*stream{free, owed} {
			more(&s.acked, 10)
			more(&s.looks, 3)
		}
	}
	goesOn()
	f.gateways[0].Kill()
	goesOn()
	spans.Kill(t)
	more(&free.refused, 3)
	more(&owed.refused, 3)
	spans.Start(t)
	goesOn()
	asked := j.Requests
	than := len(asked()) + 10
	require.Eventually(t, func() bool { return len(asked()) > than }, patience, time.Millisecond)
	f.workers[0].Kill()
	goesOn()

	control.Stop(t)
	begun := time.Now()
	more(&owed.refused, 3)
	for before := free.acked.Load(); time.Since(begun) < away || free.acked.Load() < before+10; {
		more(&free.acked, 1)
	}
	more(&free.looks, 3)
	control.Continue(t)
	goesOn()
	stop()
	running.Wait()

	h = f.gateways[1]
	for _, s := range []*stream{free, owed} {
		n := int(s.acked.Load())
		require.EqualValues(t, n, s.sent.Load())
		h.awaitDone(t, key, s.load, n)
		for _, e := range f.gateways[2].progress(t, key, s.load).Evaluators {
			require.Equal(t, n, e.Done, e.EvaluatorType)
			require.Equal(t, n, e.Matched, e.EvaluatorType)
		}
		page := h.page(t, key, "limit", "1000", "filters", s.filter(t))
		require.EqualValues(t, n, page.Spans.TotalResults)
		seen := map[string]bool{}
		for _, x := range page.Spans.Data {
			require.False(t, seen[x.SpanID], "each once")
			seen[x.SpanID] = true
			require.Contains(t, x.SpanAttributes, "evaluation.char-count.char_count")
			if s == owed {
				require.Equal(t, "true", x.SpanAttributes["evaluation."+judged+".pass"])
			}
		}
		require.Len(t, seen, min(n, 1000))
	}
	times, extra, n := j.asked(), 0, int(owed.acked.Load())
	for i := range n {
		require.Positive(t, times[owed.from+i], "span %d", i)
		extra += times[owed.from+i] - 1
	}
	// The worker that was killed had some in flight, and each of both when a server went.
	require.LessOrEqual(t, extra, (1+2+1)*inFlight)
	for i := 0; i < n; i += 1 + n/10 {
		list := h.records(t, key, owed.from+i)
		require.Len(t, list, 2)
		require.Equal(t, 1, list[1].Revision)
	}
	t.Logf("%d spans without pending evaluations, %d with; %d and %d refusals; %d and %d exact totals; the judge was asked %d times more",
		free.acked.Load(), n, free.refused.Load(), owed.refused.Load(), free.looks.Load(), owed.looks.Load(), extra)
	for _, h := range []*collector{f.gateways[1], f.gateways[2], f.workers[1]} {
		require.NoError(t, h.Stop())
		require.NotContains(t, h.Output(), "panic")
	}
}
