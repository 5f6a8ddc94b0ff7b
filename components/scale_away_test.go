// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// stream is a client that sends spans one after the other, each until it is acknowledged.
type stream struct {
	from           int // the number of its first span
	load           string
	acked, refused atomic.Int64
}

// run sends until ctx ends, the last span until it is acknowledged.
func (s *stream) run(ctx context.Context, t *testing.T, f *fleet, key string) error {
	clients := make([]ptraceotlp.GRPCClient, len(f.gateways))
	for i, h := range f.gateways {
		conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = conn.Close() })
		clients[i] = ptraceotlp.NewGRPCClient(conn)
	}
	with := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key)
	for n := s.from; ctx.Err() == nil; n++ {
		td := judgedTraces(n, 1)
		firstSpan(td).Attributes().PutStr("load", s.load)
		for try := n; ; try++ {
			call, cancel := context.WithTimeout(with, 10*time.Second)
			_, err := clients[try%len(clients)].Export(call, ptraceotlp.NewExportRequestFromTraces(td))
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

// Both servers of a fleet go away under load, ClickHouse killed in the middle of inserts and
// PostgreSQL for a while: what cannot be stored is refused so that it is sent again, what
// is owed nothing goes in without PostgreSQL, and nothing needs a restart. Every
// acknowledged span is there exactly once, with its verdict.
func TestAFleetOutlivesItsServers(t *testing.T) {
	t.Parallel()
	away := 5 * time.Second
	if soakRounds(1) > 1 {
		away = time.Minute
	}
	spans, control := clickhousetest.Own(t), postgrestest.Start(t)
	j := startJudge(t)
	f := startFleetOn(t, spans.DSN(), control.Database(t), j, 2, 1)
	h := f.gateways[0]
	key := h.key(t, "ours")
	h.setup(t, key, "free", []string{"char-count"}, []map[string]any{rule("load", "free")})
	h.setup(t, key, "owed", []string{judged}, []map[string]any{rule("load", "owed")})
	for _, h := range f.gateways {
		h.awaitStatus(t, key, "free", "waiting_for_spans")
		h.awaitStatus(t, key, "owed", "waiting_for_spans")
	}
	free, owed := &stream{from: 0, load: "free"}, &stream{from: 100_000, load: "owed"}
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	for _, s := range []*stream{free, owed} {
		sending.Go(func() {
			if err := s.run(ctx, t, f, key); err != nil {
				t.Errorf("%s: %v", s.load, err)
			}
		})
	}
	more := func(n *atomic.Int64, by int64) {
		t.Helper()
		than := n.Load() + by
		require.Eventually(t, func() bool { return n.Load() > than }, patience, time.Millisecond)
	}
	more(&free.acked, 10)
	more(&owed.acked, 10)
	spans.Kill(t)
	more(&free.refused, 3)
	more(&owed.refused, 3)
	spans.Start(t)
	more(&free.acked, 10)
	more(&owed.acked, 10)

	control.Stop(t)
	begun := time.Now()
	more(&owed.refused, 3)
	for before := free.acked.Load(); time.Since(begun) < away || free.acked.Load() < before+10; {
		more(&free.acked, 1)
	}
	control.Continue(t)
	more(&free.acked, 10)
	more(&owed.acked, 10)
	stop()
	sending.Wait()

	for _, s := range []*stream{free, owed} {
		n := int(s.acked.Load())
		h.awaitDone(t, key, s.load, n)
		page := h.page(t, key, "limit", "1000", "filters", filters(t, map[string]any{"id": "load", "operator": "equals", "value": s.load}))
		require.EqualValues(t, n, page.Spans.TotalResults)
		seen := map[string]bool{}
		for _, x := range page.Spans.Data {
			require.False(t, seen[x.SpanID])
			seen[x.SpanID] = true
		}
		require.Len(t, seen, min(n, 1000))
	}
	asked, extra := j.asked(), 0
	for n := range int(owed.acked.Load()) {
		require.Positive(t, asked[owed.from+n], "span %d", n)
		extra += asked[owed.from+n] - 1
	}
	require.LessOrEqual(t, extra, 2*inFlight, "what was in flight when a server went")
	t.Logf("%d spans that are owed nothing, %d that are; %d and %d refusals; the judge was asked %d times more", free.acked.Load(), owed.acked.Load(), free.refused.Load(), owed.refused.Load(), extra)
	for _, h := range append(f.gateways, f.workers...) {
		require.NoError(t, h.Stop())
		require.NotContains(t, h.Output(), "panic")
	}
}
