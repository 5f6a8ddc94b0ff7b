// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Requests to the API or of OTLP/HTTP whose last byte does not come, or comes after all others
// one by one, are refused or cut off. They take no more memory than requests may hold, and a
// neighbour's spans are taken at the same time. TOUCHSTONE_HELD_BODIES is how many come at
// once, 120 unless it is set.
func TestHeldBodies(t *testing.T) {
	t.Parallel()
	n := int(steadySetting("TOUCHSTONE_HELD_BODIES", 120))
	for _, unbounded := range []bool{false, true} {
		var settings []string
		if unbounded { // memory alone holds
			settings = []string{"extensions::store::quotas::concurrent_queries: 0"}
		}
		h := startLimited(t, 1024, settings...)
		greedy, modest := h.key(t, "greedy"), h.key(t, "modest")
		reads, err := h.ScopedKey(t.Context(), greedy, "read")
		require.NoError(t, err)
		setup := fmt.Appendf(nil, `{"external_id":"%s"}`, strings.Repeat("a", 4<<20-40))
		search := fmt.Appendf(nil, `{"from_timestamp_sec":1,"x":"%s"}`, strings.Repeat("a", 256<<10-60))
		for _, held := range []heldBodies{
			{"setups", "/v2/auto-monitor-setups", greedy, setup, "", false},
			{"searches of a key that reads", "/v2/warehouse/spans/search", reads, search, "", false},
			{"setups packed", "/v2/auto-monitor-setups", greedy, packed(t, setup), "gzip", false},
			{"searches packed", "/v2/warehouse/spans/search", reads, packed(t, search), "gzip", false},
			{"too large a search", "/v2/warehouse/spans/search", reads, packed(t, setup), "gzip", false},
			{"setups that drip", "/v2/auto-monitor-setups", greedy, setup, "", true},
			{"spans", "/v1/traces", greedy, setup, "", false},
			{"spans that drip", "/v1/traces", greedy, setup, "", true},
		} {
			if unbounded && held.encoding == "" {
				continue
			}
			h.forgetPeak(t)
			stop := h.beside(t, modest)
			answers := held.send(t, h, n)
			taken, refused := stop()
			t.Logf("%v %s: %d at once, answers %v, peak %d MiB, neighbour %d taken, %d refused", settings, held.what, n, answers, h.peakMiB(t), taken, refused)
			require.Zero(t, answers[http.StatusOK])
			require.GreaterOrEqual(t, taken, 4*refused, "four of five of the neighbour's")
			require.Less(t, h.peakMiB(t), 600)
		}
		require.NoError(t, h.Stop())
	}
}

// A client that sends all of a body that is too large hears so.
func TestABodyThatIsTooLargeIsAnswered(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "acme")
	for path, body := range map[string]string{
		"/v2/evaluators/word-count/execute": `{"input":{"text":"` + strings.Repeat("a", 30<<20) + `"}}`,
		"/v2/warehouse/spans/search":        `{"from_timestamp_sec":1,"x":"` + strings.Repeat("a", 1<<20) + `"}`,
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.Env["TOUCHSTONE_API"])
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, key, len(body), body)
		require.NoError(t, err, "it is read to its end")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode, "%s", text)
	}
}

func packed(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

// heldBodies are requests of which the last byte does not come.
type heldBodies struct {
	what, path, key string
	body            []byte
	encoding        string
	drips           bool // the last kibibyte comes byte by byte, ten a second
}

// send sends so many at once, and returns how often each status was answered. A request
// that is never answered fails the test.
func (b *heldBodies) send(t *testing.T, h *collector, n int) map[int]int {
	t.Helper()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", b.path, b.key, len(b.body))
	if b.encoding != "" {
		head += "Content-Encoding: " + b.encoding + "\r\n"
	}
	port := h.Env["TOUCHSTONE_API"]
	if strings.HasPrefix(b.path, "/v1/") {
		port = strings.TrimPrefix(h.HTTP, "http://")
	}
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", port)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go b.write(ctx, conn, head)
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			status := 0 // the connection was closed: that is an answer, too
			if err == nil {
				status = resp.StatusCode
			} else if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: a request is held without an end", b.what)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
		})
	}
	all.Wait()
	return answers
}

// write sends all of a request but its last byte.
func (b *heldBodies) write(ctx context.Context, conn net.Conn, head string) {
	whole := len(b.body) - 1
	if b.drips {
		whole = len(b.body) - 1<<10
	}
	if _, err := conn.Write(append([]byte(head+"\r\n"), b.body[:whole]...)); err != nil {
		return // it was refused
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for at := whole; at < len(b.body)-1; at++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := conn.Write(b.body[at : at+1]); err != nil {
			return
		}
	}
}

// beside has a neighbour send a span every 50 ms until stop is called, which returns how many
// were taken and how many were not.
func (h *collector) beside(t *testing.T, key string) (stop func() (taken, refused int)) {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(someTraces(1, 1)).MarshalProto()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var taken, refused int
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if h.sends(t.Context(), key, body) {
				taken++
			} else {
				refused++
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return func() (int, int) {
		cancel()
		<-done
		return taken, refused
	}
}

// sends reports whether a request of OTLP/HTTP is taken.
func (h *collector) sends(ctx context.Context, key string, body []byte) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.HTTP+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode == http.StatusOK
}
