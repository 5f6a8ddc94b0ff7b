// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	encbin "encoding/binary"
	"encoding/hex"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

const (
	killClients  = 6
	killPerBatch = 25
)

// Acknowledged spans, and their verdicts, are there exactly once after the
// process was killed under load, and while it made a backup, and started again; and
// again. Backups that were done are sound, the others say that they are not.
func TestKillUnderLoadLosesNoAcknowledgedSpan(t *testing.T) {
	t.Parallel()
	rounds := soakRounds(2)
	dir := t.TempDir()
	var load killLoad
	var key string
	for round := range rounds {
		h := startBinary(t, dir)
		if round == 0 {
			key = h.key(t, "ours")
			h.setup(t, key, "m", []string{"char-count"}, nil)
		}
		load.takeBackups(t, h)
		load.run(t, h, key, 80)
	}

	h := startBinary(t, dir)
	load.takeBackups(t, h)
	require.Positive(t, load.sound)
	seen := map[string]int{}
	for _, s := range h.spans(t, key) {
		seen[s.SpanID]++
		require.Equal(t, "17", s.SpanAttributes["evaluation.char-count.char_count"])
	}
	acked := load.acked()
	require.GreaterOrEqual(t, len(acked), 80*rounds*killPerBatch)
	for _, id := range acked {
		require.Equal(t, 1, seen[id], "span %s", id)
	}
	for id, n := range seen {
		require.Equal(t, 1, n, "span %s", id)
	}
	require.NoError(t, h.Stop())
}

// soakRounds is how often something is done, so often unless TOUCHSTONE_SOAK_ROUNDS
// says otherwise.
func soakRounds(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("TOUCHSTONE_SOAK_ROUNDS")); err == nil {
		return n
	}
	return usual
}

// spans are all that the API has, page by page.
func (h *collector) spans(t *testing.T, key string) (all []testbed.Span) {
	t.Helper()
	for cursor := ""; ; {
		params := []string{"limit", "1000"}
		if cursor != "" {
			params = append(params, "cursor", cursor)
		}
		page := h.page(t, key, params...)
		all = append(all, page.Spans.Data...)
		if cursor = page.Spans.NextCursor; cursor == "" {
			require.EqualValues(t, len(all), page.Spans.TotalResults)
			return all
		}
	}
}

// killLoad is what several clients sent over the whole test.
type killLoad struct {
	next atomic.Uint64
	mu   sync.Mutex
	done []string // acknowledged span ids

	backups atomic.Int64 // that were begun, about
	sound   int          // that were done, as takeBackups found
}

func (l *killLoad) acked() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

// run lets the clients send, each batch a moment after the last, until enough
// batches are acknowledged, and then kills the process with batches in flight.
func (l *killLoad) run(t *testing.T, h *collector, key string, enough int) {
	t.Helper()
	l.during(t, h, key, enough, h.Kill)
}

// during lets the clients send, does something once enough batches are acknowledged,
// and ends them.
func (l *killLoad) during(t *testing.T, h *collector, key string, enough int, do func()) {
	t.Helper()
	var batches atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients sync.WaitGroup
	for range killClients {
		clients.Go(func() {
			conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			client := ptraceotlp.NewGRPCClient(conn)
			pace := time.NewTicker(5 * time.Millisecond)
			defer pace.Stop()
			for ctx.Err() == nil {
				td, ids := l.batch()
				send := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
				if _, err := client.Export(send, ptraceotlp.NewExportRequestFromTraces(td)); err == nil {
					l.mu.Lock()
					l.done = append(l.done, ids...)
					l.mu.Unlock()
					batches.Add(1)
				}
				<-pace.C
			}
		})
	}
	clients.Go(func() {
		pace := time.NewTicker(100 * time.Millisecond)
		defer pace.Stop()
		for ctx.Err() == nil {
			<-pace.C
			name := strconv.FormatInt(l.backups.Add(1), 10)
			// It is refused while another one is being made, and when the process is gone.
			_, _, _ = h.Call(ctx, http.MethodPost, "/v2/backups", accessToken, map[string]any{"name": name})
		}
	})
	require.Eventually(t, func() bool { return batches.Load() >= int64(enough) }, patience, time.Millisecond)
	do()
	cancel()
	clients.Wait()
}

// takeBackups expects those backups to be sound that are done, counts them, and removes
// all: together they would fill the disk.
func (l *killLoad) takeBackups(t *testing.T, h *collector) {
	t.Helper()
	told := must[struct {
		Backups []struct{ State, Path string }
	}](t, h, http.MethodGet, "/v2/backups", accessToken, nil)
	for _, b := range told.Backups {
		if b.State == "done" {
			out, complaint, code := h.command(t, accessToken, "", "verify", b.Path)
			require.Zero(t, code, "%s%s", out, complaint)
			l.sound++
		} else {
			require.Equal(t, "failed", b.State)
		}
		require.NoError(t, os.RemoveAll(b.Path))
	}
}

func (l *killLoad) batch() (ptrace.Traces, []string) {
	td := someTraces(1, killPerBatch)
	ids := make([]string, 0, killPerBatch)
	for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		var id [8]byte
		encbin.BigEndian.PutUint64(id[:], l.next.Add(1))
		s.SetSpanID(id)
		ids = append(ids, hex.EncodeToString(id[:]))
	}
	return td, ids
}
