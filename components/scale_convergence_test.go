// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// heard is within what time all processes of a fleet have heard of what one of them did.
const heard = time.Second

// door is a way into a collector.
type door struct {
	name string
	send func(ctx context.Context, key string, td ptrace.Traces) error
}

// doors are those that spans come in by.
func (h *collector) doors(t *testing.T) []door {
	t.Helper()
	conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return []door{
		{"OTLP/gRPC", func(ctx context.Context, key string, td ptrace.Traces) error {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
			_, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
			return err
		}},
		{"OTLP/HTTP", func(ctx context.Context, key string, td ptrace.Traces) error {
			body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
			if err != nil {
				return err
			}
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.HTTP+"/v1/traces", bytes.NewReader(body))
			if err != nil {
				return err
			}
			r.Header.Set("Content-Type", "application/x-protobuf")
			r.Header.Set("Authorization", "Bearer "+key)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			if answer.StatusCode != http.StatusOK {
				err = fmt.Errorf("status %d", answer.StatusCode)
			}
			return errors.Join(err, answer.Body.Close())
		}},
	}
}

// A key that one gateway made works on all of them from its answer on, over OTLP/HTTP,
// OTLP/gRPC and the API: from the first request on, and until each must have heard of it.
func (f *fleet) requireKeysWorkEverywhere(t *testing.T) {
	t.Helper()
	for maker, h := range f.gateways {
		doors := make([][]door, len(f.gateways))
		for i, h := range f.gateways {
			doors[i] = h.doors(t)
		}
		key := h.key(t, "of "+strconv.Itoa(maker))
		made := time.Now()
		g, ctx := errgroup.WithContext(t.Context())
		for i, h := range f.gateways {
			g.Go(func() error {
				const least = 5
				for try := 0; try < least || time.Since(made) < heard; try++ {
					for _, d := range doors[i] {
						if err := d.send(ctx, key, someTraces(byte(1+i), 1)); err != nil {
							return fmt.Errorf("a key of gateway %d at gateway %d over %s, try %d: %w", maker, i, d.name, try, err)
						}
					}
					if code, answer, err := h.Call(ctx, http.MethodGet, "/v2/me", key, nil); err != nil || code != http.StatusOK {
						return fmt.Errorf("a key of gateway %d at the API of gateway %d, try %d: %d %s %w", maker, i, try, code, answer, err)
					}
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
	}
}

// A setup that one gateway made judges on all of them what is sent a second later, and from
// the first span that it judges there.
func (f *fleet) requireSetupsWorkEverywhere(t *testing.T, key string) {
	t.Helper()
	for maker, h := range f.gateways {
		id := "of " + strconv.Itoa(maker)
		h.makeSetup(t, key, id, []string{"word-count"}, []map[string]any{rule("setup", id)})
		made := time.Now()
		g, ctx := errgroup.WithContext(t.Context())
		for i, h := range f.gateways {
			doors := h.doors(t)
			judged := func(n int) (bool, error) {
				td := judgedTraces(0, 1)
				s := firstSpan(td)
				s.SetTraceID([16]byte{0xee, byte(maker), byte(i), byte(n >> 8), byte(n)})
				s.Attributes().PutStr("setup", id)
				if err := doors[n%len(doors)].send(ctx, key, td); err != nil {
					return false, err
				}
				page, err := testbed.Ask[testbed.Page](ctx, h.Collector, http.MethodGet,
					"/v2/warehouse/spans?"+url.Values{"from_timestamp_sec": {"0"}, "trace_id": {s.TraceID().String()}}.Encode(), key, nil)
				if err != nil || len(page.Spans.Data) != 1 {
					return false, fmt.Errorf("%d spans of one that was acknowledged: %w", len(page.Spans.Data), err)
				}
				_, is := page.Spans.Data[0].SpanAttributes["evaluation.word-count.word_count"]
				return is, nil
			}
			g.Go(func() error {
				const more = 6
				for n, known := 0, 0; known < more; n++ {
					late := time.Since(made) >= heard
					is, err := judged(n)
					switch {
					case err != nil:
						return err
					case is:
						known++
					case known > 0 || late || i == maker:
						return fmt.Errorf("gateway %d did not judge span %d by the setup of gateway %d, %v after it was made", i, n, maker, time.Since(made))
					}
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
	}
}

// A setup that waits for a hundred spans has them at the hundredth that any gateway saw,
// also when one of these is another process by then.
func (f *fleet) requireHundred(t *testing.T, key string) {
	t.Helper()
	must[map[string]any](t, f.gateways[0], http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "hundred", "evaluators": []string{"char-count"}, "min_spans": 100, "selector": []map[string]any{rule("hundred", "yes")},
	})
	for _, h := range f.gateways { // which have a second to hear of it
		h.awaitStatus(t, key, "hundred", "waiting_for_spans")
	}
	match := func(gateway, from, n int) {
		td := judgedTraces(from, n)
		for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.SetTraceID([16]byte{0xdd, byte(from + i)})
			s.Attributes().PutStr("hundred", "yes")
		}
		require.NoError(t, f.gateways[gateway].exportGRPC(t, key, td))
	}
	for i := range f.gateways {
		match(i, 100_000+33*i, 33)
	}
	h := f.gateways[0]
	require.NoError(t, h.Stop())
	h.run(t, "../config/gateway.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
	for _, h := range f.gateways {
		h.awaitStatus(t, key, "hundred", "waiting_for_spans")
	}
	match(1, 100_099, 1)
	for _, h := range f.gateways {
		h.awaitStatus(t, key, "hundred", "completed")
	}
}
