// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"encoding/json"
	"errors"

	"golang.org/x/sync/singleflight"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Shared has requests of one environment that ask the same at the same moment share
// one answer, which counts once while it is put together.
type Shared struct {
	Memory *fair.Part
	group  singleflight.Group
}

// Hold lets an answer that is put together hold so many more bytes. The error is
// Limited when they are not free.
type Hold func(bytes int64) error

// Answer returns what read returns, which is JSON. Requests of the environment with
// the same key share one call of read, whose context ends with the deadline of the
// first of them, but not when that one leaves.
func (s *Shared) Answer(ctx context.Context, env tenant.EnvironmentID, key string, read func(context.Context, Hold) (json.RawMessage, error)) (Response, error) {
	result := s.group.DoChan(string(env)+" "+key, func() (any, error) {
		reading, cancel := context.WithoutCancel(ctx), func() {}
		if until, has := ctx.Deadline(); has {
			reading, cancel = context.WithDeadline(reading, until)
		}
		defer cancel()
		lease := s.Memory.Lease(string(env))
		defer lease.Release()
		return recovered(func() (json.RawMessage, error) {
			return read(reading, func(bytes int64) error { return hold(reading, lease, env, bytes) })
		})
	})
	select {
	case <-ctx.Done():
		return Response{}, ctx.Err()
	case got := <-result:
		if errors.Is(got.Err, context.DeadlineExceeded) && ctx.Err() == nil {
			return Response{}, fault.Wrap(fault.Unavailable, got.Err, "the request took too long")
		}
		if got.Err != nil {
			return Response{}, got.Err
		}
		return OK(got.Val), nil
	}
}
