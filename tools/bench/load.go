// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// request is one export of spans of one environment.
type request struct {
	environment tenant.EnvironmentID
	traces      ptrace.Traces
	spans       int
}

// generate makes requests of the data set, each of one environment, whose
// spans ended just now, as live traffic does, or up to o.late before; those of one in
// o.clients requests o.ahead later than that. With o.back they are those of so long a time, in order.
func generate(ctx context.Context, g *spangen.Generator, o options, to chan<- request) {
	defer close(to)
	var due <-chan time.Time
	if o.every > 0 {
		ticker := time.NewTicker(o.every)
		defer ticker.Stop()
		due = ticker.C
	}
	pending := map[tenant.EnvironmentID][]span.Span{}
	made, requests := 0, 0
	flush := func(env tenant.EnvironmentID) bool {
		spans := pending[env]
		if len(spans) == 0 {
			return true
		}
		now := time.Now().UnixNano()
		if requests++; requests%o.clients == 0 {
			now += int64(o.ahead)
		}
		now -= int64(float64(o.back) * (1 - float64(made)/float64(o.spans)))
		for i := range spans {
			spans[i].Start = now - spans[i].Duration - int64(len(spans)-i)*1000
			if o.late > 0 {
				spans[i].Start -= rand.Int64N(int64(o.late)) //nolint:gosec // not a secret
			}
		}
		r := request{environment: env, traces: spangen.Traces(spans), spans: len(spans)}
		pending[env] = spans[:0]
		if due != nil {
			<-due
		}
		select {
		case to <- r:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for range o.spans {
		owner, s := g.Next()
		env := cmp.Or(o.environment, owner.ID)
		pending[env] = append(pending[env], s)
		made++
		if len(pending[env]) >= o.batch && !flush(env) {
			return
		}
	}
	for env := range pending {
		if !flush(env) {
			return
		}
	}
}

// latencies of all requests, sorted by the time they took.
type latencies []time.Duration

func (l latencies) at(quantile float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[int(quantile*float64(len(l)-1))]
}

// load sends the whole data set from several senders and gives the time every
// request took, and how many were refused. A refused sender retries.
func load(ctx context.Context, o options, address string, g *spangen.Generator, keys map[tenant.EnvironmentID]string) (latencies, int, error) {
	requests := make(chan request, o.clients)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go generate(ctx, g, o, requests)

	var mu sync.Mutex
	var all latencies
	refused := 0
	var senders sync.WaitGroup
	for range o.clients {
		senders.Go(func() {
			client, conn, err := dial(address)
			if err != nil {
				cancel(err)
				return
			}
			defer conn.Close() //nolint:errcheck // the end of a run
			for r := range requests {
				start := time.Now()
				again, err := send(ctx, client, keys[r.environment], r)
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				refused += again
				all = append(all, time.Since(start))
				mu.Unlock()
			}
		})
	}
	senders.Wait()
	slices.Sort(all)
	return all, refused, context.Cause(ctx)
}

func dial(address string) (ptraceotlp.GRPCClient, *grpc.ClientConn, error) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	return ptraceotlp.NewGRPCClient(conn), conn, nil
}

// send sends a request until it is taken, and returns how often it was refused.
func send(ctx context.Context, client ptraceotlp.GRPCClient, key string, r request) (refused int, err error) {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
	for {
		_, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(r.traces))
		if err == nil {
			return refused, nil
		}
		if code := status.Code(err); code != codes.Unavailable && code != codes.ResourceExhausted {
			return refused, fmt.Errorf("export: %w", err)
		}
		refused++
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return refused, ctx.Err()
		}
	}
}
