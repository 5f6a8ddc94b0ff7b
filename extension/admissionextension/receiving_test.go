// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"context"
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestCallsOfWhoHasMostAreCancelled(t *testing.T) {
	t.Parallel()
	var cancelled []string
	r := newReceiving(1<<20, func(int) {})
	begin := func(caller, name string) context.Context {
		return r.begin(t.Context(), caller, func() { cancelled = append(cancelled, name) })
	}
	shed := func() []string {
		cancelled = nil
		r.cancelSome(r.last.Add(shedEvery))
		slices.Sort(cancelled)
		return cancelled
	}
	require.Empty(t, shed())
	only := begin("globex", "globex 1")
	require.Empty(t, shed(), "a single one gets on")
	begin("acme", "acme 1")
	begin("acme", "acme 2")
	whole := begin("acme", "acme 3")
	begin("acme", "acme 4")
	r.end(whole)
	require.Equal(t, []string{"acme 2", "acme 4"}, shed())
	require.Equal(t, []string{"acme 1"}, shed(), "the newest, since no caller has several")
	require.Empty(t, shed())
	r.cancelSome(r.last.Add(shedEvery / 2)) // too soon
	r.end(only)
	require.Empty(t, r.calls)

	left, leave := context.WithCancel(t.Context())
	r.begin(left, "acme", func() {})
	leave()
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.calls) == 0
	}, time.Minute, time.Millisecond, "who leaves is forgotten")
	for range 10_000 { // who has left already, too
		r.begin(left, "acme", func() {})
	}
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.calls) == 0
	}, receiveTimeout/2, time.Millisecond)
}

func TestBuffersAreCountedWhileTheyAreInUse(t *testing.T) {
	t.Parallel()
	r := newReceiving(1<<20, func(int) {})
	for range 3 {
		b := r.Get(10_000)
		require.GreaterOrEqual(t, r.held.Load(), int64(10_000))
		r.Put(b)
		require.Zero(t, r.held.Load())
	}
	r.Get(10_000) // and forgotten
	require.Eventually(t, func() bool {
		runtime.GC()
		return r.held.Load() == 0
	}, time.Minute, time.Millisecond)
}

func TestACallWhoseMessageDoesNotComeIsCancelled(t *testing.T) {
	t.Parallel()
	r := newReceiving(1<<20, func(int) {})
	r.patience = time.Millisecond
	late := make(chan struct{})
	r.begin(t.Context(), "acme", func() { close(late) })
	<-late
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(t, r.calls)
}

// A message in small frames is counted as it comes.
func TestSmallFramesAreCounted(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB, c.MemoryMiB = 16, 32 }, nil)
	c, err := net.Dial("tcp", in.conn.Target())
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, http2.ClientPreface)
	require.NoError(t, err)
	f := http2.NewFramer(c, c)
	require.NoError(t, f.WriteSettings())
	var headers bytes.Buffer
	h := hpack.NewEncoder(&headers)
	for _, field := range [][2]string{
		{":method", "POST"},
		{":scheme", "http"},
		{":path", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"},
		{":authority", "x"},
		{"content-type", "application/grpc"},
		{"te", "trailers"},
		{"authorization", "acme"},
	} {
		require.NoError(t, h.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	require.NoError(t, f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers.Bytes(), EndHeaders: true}))
	require.NoError(t, f.WriteData(1, false, []byte{0, 0, 16, 0, 0})) // a message of 1 MiB
	const frames, size = 100, 600
	for range frames {
		require.NoError(t, f.WriteData(1, false, make([]byte, size)))
	}
	require.Eventually(t, func() bool { return in.receiving.held.Load() >= frames*size }, time.Minute, time.Millisecond)
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool {
		runtime.GC()
		return in.receiving.held.Load() == 0
	}, time.Minute, time.Millisecond)
}

func BenchmarkReceiving(b *testing.B) {
	r := newReceiving(1<<30, func(int) {})
	for b.Loop() {
		r.Put(r.Get(16 << 10))
	}
}

// Thirty messages of 8 MiB at once, not packed, where 32 MiB are there: some are
// refused for a while, and meanwhile another caller gets through.
func TestWhatIsReceivedIsBounded(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB, c.MemoryMiB = 16, 32 }, nil)
	large, _ := spans(t, 1, 8<<20)
	b, _ := spans(t, 1, 100)
	var most atomic.Int64
	var wg sync.WaitGroup
	var refused atomic.Int64
	for range 30 {
		wg.Go(func() {
			err := in.call(t.Context(), "acme", large, "")
			switch status.Code(err) {
			case codes.OK:
			case codes.Canceled, codes.ResourceExhausted:
				refused.Add(1)
			default:
				t.Error(err)
			}
			most.Store(max(most.Load(), in.receiving.held.Load()))
		})
	}
	tries := 0
	for range 20 {
		for tries++; in.call(t.Context(), "globex", b, "") != nil; tries++ { // as SDKs do
			require.Less(t, tries, 60, "another's small requests get through")
		}
	}
	wg.Wait()
	require.Positive(t, refused.Load())
	require.Less(t, most.Load(), int64(128<<20), "of 240 MiB that were sent")
	require.Eventually(t, func() bool {
		runtime.GC()
		return in.receiving.held.Load() == 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, in.call(t.Context(), "acme", large, ""))
}
