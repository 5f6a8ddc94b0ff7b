// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
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
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// exportMethod is the call of OTLP/gRPC that traces come by.
const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// refusedWithin is how soon a key is refused that was revoked, or whose end has come.
const refusedWithin = time.Second

// keyUse is what became of what was sent with one key.
type keyUse struct {
	key     string
	numbers *atomic.Uint64

	mu    sync.Mutex
	taken map[string]time.Time // span ids that were acknowledged, with when they were sent
	// refused counts, by sender, what was refused since its first refusal.
	refused map[string]int
}

// span makes the next span that is sent, with its id.
func (u *keyUse) span() (ptraceotlp.ExportRequest, string) {
	td := someTraces(1, 1)
	s := firstSpan(td)
	n := u.numbers.Add(1)
	s.SetSpanID([8]byte{1, 5: byte(n >> 16), 6: byte(n >> 8), 7: byte(n)})
	return ptraceotlp.NewExportRequestFromTraces(td), s.SpanID().String()
}

// send sends spans one after the other, until a hundred were refused.
func (u *keyUse) send(t *testing.T, sender string, one func(ptraceotlp.ExportRequest) (taken, refused bool, err error)) {
	for u.refusals(sender) < 100 {
		request, id := u.span()
		at := time.Now()
		taken, refused, err := one(request)
		u.mu.Lock()
		switch {
		case taken && u.refused[sender] > 0:
			t.Errorf("%s: taken after it was refused", sender)
		case taken:
			u.taken[id] = at
		case refused:
			u.refused[sender]++
		default:
			t.Errorf("%s: %v", sender, err)
			u.refused[sender] = 100
		}
		u.mu.Unlock()
	}
}

func (u *keyUse) refusals(sender string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.refused[sender]
}

// acknowledged is what was taken so far.
func (u *keyUse) acknowledged() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.taken)
}

// overHTTP sends over a connection that stays open; fresh counts those who were first refused
// on another one. Later the client may open one: it gives a connection up on which the
// answer comes long before it has sent all.
func (u *keyUse) overHTTP(h *collector, fresh *atomic.Int64) func(ptraceotlp.ExportRequest) (bool, bool, error) {
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1}}
	var reused, refused bool
	trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }}
	return func(request ptraceotlp.ExportRequest) (bool, bool, error) {
		body, err := request.MarshalProto()
		if err != nil {
			return false, false, err
		}
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), trace), http.MethodPost, h.HTTP+"/v1/traces", bytes.NewReader(body))
		if err != nil {
			return false, false, err
		}
		req.Header.Set("Content-Type", "application/x-protobuf")
		req.Header.Set("Authorization", "Bearer "+u.key)
		resp, err := client.Do(req)
		if err != nil {
			return false, false, err
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if resp.StatusCode == http.StatusUnauthorized && !refused {
			refused = true
			if !reused {
				fresh.Add(1)
			}
		}
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("%d %s", resp.StatusCode, answer)
		}
		return resp.StatusCode == http.StatusOK, resp.StatusCode == http.StatusUnauthorized, err
	}
}

// overGRPC sends over a connection that others use, too.
func (u *keyUse) overGRPC(ctx context.Context, conn *grpc.ClientConn) func(ptraceotlp.ExportRequest) (bool, bool, error) {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+u.key)
	return func(request ptraceotlp.ExportRequest) (bool, bool, error) {
		_, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, request)
		return err == nil, status.Code(err) == codes.Unauthenticated, err
	}
}

// heldRequest is a request that has begun, and whose message is yet to come.
type heldRequest struct {
	finish func() (refused bool, err error)
}

// holdHTTP begins a request: when it returns, the server has let its headers through
// and waits for the body. A little of it follows all the time, since the server cuts off
// a body that stops.
func (u *keyUse) holdHTTP(t *testing.T, h *collector) heldRequest {
	t.Helper()
	request, _ := u.span()
	request.Traces().ResourceSpans().At(0).Resource().Attributes().PutStr("padding", strings.Repeat("x", 1<<20))
	message, err := request.MarshalProto()
	require.NoError(t, err)
	read, write := io.Pipe()
	waits := make(chan struct{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(waits) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.HTTP+"/v1/traces", read)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Authorization", "Bearer "+u.key)
	req.Header.Set("Expect", "100-continue")
	type result struct {
		code int
		err  error
	}
	ended := make(chan result, 1)
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: patience}}
	go func() {
		resp, err := client.Do(req)
		if err != nil {
			ended <- result{err: err}
			return
		}
		ended <- result{code: resp.StatusCode, err: resp.Body.Close()}
	}()
	select {
	case <-waits:
	case r := <-ended:
		require.FailNow(t, "the request ended at its headers", "%d %v", r.code, r.err)
	}
	finish, rest := make(chan struct{}), make(chan []byte, 1)
	go func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for left := message; ; left = left[min(2048, len(left)):] {
			select {
			case <-finish:
				rest <- left
				return
			case <-t.Context().Done():
				return
			case <-tick.C:
				_, _ = write.Write(left[:min(2048, len(left))]) // an early answer closes the body
			}
		}
	}()
	return heldRequest{func() (bool, error) {
		close(finish)
		_, err := write.Write(<-rest)
		_ = write.Close()
		r := <-ended
		if r.err != nil {
			err = r.err
		}
		return r.code == http.StatusUnauthorized, err
	}}
}

// holdGRPC opens the stream of a call: when it returns, the server has let its headers
// through, since it looks at those of one connection in turn, and waits for the message.
func (u *keyUse) holdGRPC(t *testing.T, conn *grpc.ClientConn) heldRequest {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+u.key)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, exportMethod)
	require.NoError(t, err)
	request, id := u.span()
	taken, _, err := u.overGRPC(t.Context(), conn)(request)
	require.True(t, taken, "%v", err)
	u.mu.Lock()
	u.taken[id] = time.Now()
	u.mu.Unlock()
	return heldRequest{func() (bool, error) {
		request, _ := u.span()
		b, err := request.MarshalProto()
		if err != nil {
			return false, err
		}
		message := &emptypb.Empty{} // which keeps all fields as unknown ones
		if err := proto.Unmarshal(b, message); err != nil {
			return false, err
		}
		_ = stream.SendMsg(message) // RecvMsg has the status
		_ = stream.CloseSend()
		err = stream.RecvMsg(&emptypb.Empty{})
		return status.Code(err) == codes.Unauthenticated, err
	}}
}

// While several send over HTTP, and over one connection of gRPC, without a pause, a key is
// revoked and the end of another comes. Each is refused from then on, on the connections
// that are open, and so is what had begun before. What was acknowledged is stored, and
// nothing else.
func TestKeysEndUnderLoad(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	requireKeysEnd(t, h, h)
}

// requireKeysEnd has keys end while they are used: one that is revoked at one process is
// refused within a second by another that shares its control store, and so is one whose
// end comes.
func requireKeysEnd(t *testing.T, revoking, h *collector) {
	t.Helper()
	type organization struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	reader := revoking.key(t, "keys that end")
	list := must[struct {
		Organizations []organization `json:"organizations"`
	}](t, revoking, http.MethodGet, "/v2/organizations", accessToken, nil)
	of := slices.IndexFunc(list.Organizations, func(o organization) bool { return o.Name == "keys that end" })
	require.GreaterOrEqual(t, of, 0)
	keys := "/v2/organizations/" + list.Organizations[of].ID + "/environments/prd/keys"
	type made struct {
		ID     string `json:"id"`
		APIKey string `json:"api_key"`
	}
	var numbers atomic.Uint64
	use := func(of made) *keyUse {
		return &keyUse{key: of.APIKey, numbers: &numbers, taken: map[string]time.Time{}, refused: map[string]int{}}
	}

	var dialled atomic.Int64
	conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			dialled.Add(1)
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	var sending sync.WaitGroup
	t.Cleanup(sending.Wait)
	const senders = 3
	uses := map[string]*keyUse{}
	held := map[string][]heldRequest{}
	var fresh atomic.Int64
	begin := func(name string, of made) {
		t.Helper()
		u := use(of)
		uses[name], held[name] = u, []heldRequest{u.holdHTTP(t, h), u.holdGRPC(t, conn)}
		for i := range senders {
			sending.Go(func() { u.send(t, fmt.Sprint("HTTP ", i), u.overHTTP(h, &fresh)) })
			sending.Go(func() { u.send(t, fmt.Sprint("gRPC ", i), u.overGRPC(t.Context(), conn)) })
		}
		require.Eventually(t, func() bool { return len(u.acknowledged()) > 10*senders }, patience, time.Millisecond)
	}
	begun := time.Now()
	revoked := must[made](t, revoking, http.MethodPost, keys, accessToken, map[string]any{"name": "revoked", "scope": "ingest"})
	begin("revoked", revoked)
	// The end comes long after as much was sent with this key, also on a machine that does
	// much else.
	end := time.Now().Add(max(4*time.Second, 10*time.Since(begun))).UTC()
	begin("expiring", must[made](t, revoking, http.MethodPost, keys, accessToken, map[string]any{"name": "expiring", "scope": "full", "expires_at": end.Format(time.RFC3339Nano)}))
	must[map[string]any](t, revoking, http.MethodDelete, keys+"/"+revoked.ID, accessToken, nil)
	ends := map[string]time.Time{"revoked": time.Now(), "expiring": end}
	sending.Wait()

	want := map[string]bool{}
	for name, u := range uses {
		for sender, n := range u.refused {
			require.GreaterOrEqual(t, n, 100, "%s %s", name, sender)
		}
		require.Len(t, u.refused, 2*senders)
		for id, at := range u.acknowledged() {
			require.True(t, at.Before(ends[name].Add(refusedWithin)), "%s: taken %s after its end", name, at.Sub(ends[name]))
			want[id] = true
		}
		for i, one := range held[name] {
			refused, err := one.finish()
			require.True(t, refused, "%s: what began before is refused over %s: %v", name, []string{"HTTP", "gRPC"}[i], err)
		}
		code, _ := h.call(t, http.MethodGet, "/v2/me", u.key, nil)
		require.Equal(t, http.StatusUnauthorized, code)
	}
	require.Zero(t, fresh.Load(), "the connections were those from before")
	require.EqualValues(t, 1, dialled.Load())
	stored := map[string]bool{}
	for cursor, more := "", true; more; more = cursor != "" {
		page := h.page(t, reader, "limit", "1000", "cursor", cursor)
		for _, s := range page.Spans.Data {
			stored[s.SpanID] = true
		}
		cursor = page.Spans.NextCursor
	}
	require.Equal(t, want, stored)
}
