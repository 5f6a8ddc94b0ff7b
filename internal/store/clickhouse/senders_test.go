// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// senders are three clients that send one batch after the other, each until it is
// acknowledged, as clients do. Refusals must be such that it may be sent again.
type senders struct {
	t                     *testing.T
	acknowledged, refused atomic.Int64 // spans, and tries
	stop                  context.CancelFunc
	sending               sync.WaitGroup
}

// startSending begins to send batches, which are counted from 0.
func startSending(t *testing.T, db *DB, batch func(n int) store.Batch) *senders {
	t.Helper()
	s := &senders{t: t}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	var batches atomic.Int64
	for range 3 {
		s.sending.Go(func() {
			for ctx.Err() == nil {
				b := batch(int(batches.Add(1) - 1))
				for {
					_, err := db.Write(context.WithoutCancel(ctx), b)
					if err == nil {
						s.acknowledged.Add(int64(len(b.Records)))
						break
					}
					if !fault.Is(err, fault.Unavailable) {
						t.Errorf("write: %v", err)
						return
					}
					s.refused.Add(1)
				}
			}
		})
	}
	return s
}

// await waits until more than so many more spans are acknowledged.
func (s *senders) await(more int64) {
	s.t.Helper()
	than := s.acknowledged.Load() + more
	require.Eventually(s.t, func() bool { return s.acknowledged.Load() > than }, 10*time.Minute, time.Millisecond)
}

// awaitRefused waits until more than so many more tries are refused.
func (s *senders) awaitRefused(more int64) {
	s.t.Helper()
	than := s.refused.Load() + more
	require.Eventually(s.t, func() bool { return s.refused.Load() > than }, 10*time.Minute, time.Millisecond)
}

// end waits until all is acknowledged that was sent.
func (s *senders) end() {
	s.stop()
	s.sending.Wait()
}
