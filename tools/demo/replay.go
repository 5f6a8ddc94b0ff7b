// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// sent counts what replay sent.
type sent struct {
	http, grpc, logs int
	spans            map[string]bool // span ids
}

// replay sends the recordings, as if they happened now: every third trace
// request over gRPC, the others over HTTP just as they were recorded.
func replay(ctx context.Context, c *testbed.Collector, key string) (*sent, error) {
	recordings, err := genaitest.Load()
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(c.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // the end of the demo
	client := ptraceotlp.NewGRPCClient(conn)

	s := &sent{spans: map[string]bool{}}
	for i, r := range recordings {
		fresh, err := r.At(time.Now())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.File, err)
		}
		if r.Signal == genaitest.Logs {
			s.logs++
		} else if err := s.note(fresh); err != nil {
			return nil, err
		}
		if r.Signal == genaitest.Traces && i%3 == 0 {
			td, err := fresh.Traces()
			if err != nil {
				return nil, err
			}
			with := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
			if _, err := client.Export(with, ptraceotlp.NewExportRequestFromTraces(td)); err != nil {
				return nil, fmt.Errorf("%s over gRPC: %w", r.File, err)
			}
			s.grpc++
			continue
		}
		if err := post(ctx, c, key, fresh); err != nil {
			return nil, err
		}
		s.http++
	}
	return s, nil
}

func (s *sent) note(r genaitest.Recording) error {
	td, err := r.Traces()
	if err != nil {
		return err
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, x := range ss.Spans().All() {
				s.spans[x.TraceID().String()+x.SpanID().String()] = true
			}
		}
	}
	return nil
}

func post(ctx context.Context, c *testbed.Collector, key string, r genaitest.Recording) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.HTTP+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", r.ContentType)
	if r.ContentEncoding != "" {
		req.Header.Set("Content-Encoding", r.ContentEncoding)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s over HTTP: %s: %s", r.File, resp.Status, answer)
	}
	return err
}
