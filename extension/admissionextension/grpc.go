// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"context"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/otlpbound"
	"github.com/touchstone-otel/touchstone/internal/partial"
)

// methods are the calls whose messages are decoded here.
var methods = map[string]otlpbound.Signal{
	"/opentelemetry.proto.collector.trace.v1.TraceService/Export":     otlpbound.Traces,
	"/opentelemetry.proto.collector.logs.v1.LogsService/Export":       otlpbound.Logs,
	"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export": otlpbound.Metrics,
}

// maxHeaders is what a call's headers may take, which are read before anyone
// knows who is calling.
const maxHeaders = 64 << 10

// handshakeTimeout is how long a connection may take to say that it speaks
// HTTP/2, TLS included. A server that stops waits for all that have not.
const handshakeTimeout = 5 * time.Second

// GetGRPCServerOptions makes a server decode late. By itself grpc-go unpacks
// and decodes a message before any interceptor runs. Here the tap asks the
// authenticator when the headers have come; a decompressor and a codec keep the
// message as it is; and an interceptor, which runs after the receiver's
// authenticator, unpacks, checks and decodes it.
func (a *admission) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	return []grpc.ServerOption{
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.InTapHandle(a.tap),
		grpc.StatsHandler(connections{}),
		grpc.MaxHeaderListSize(maxHeaders),
		experimental.BufferPool(a.receiving),
		grpc.RPCDecompressor(later{}), //nolint:staticcheck // deprecated, and the only decompressor that a server can have of its own
		grpc.ForceServerCodecV2(codec{CodecV2: encoding.GetCodecV2("proto"), pending: a}),
		grpc.UnaryInterceptor(a.forget),
		grpc.ChainUnaryInterceptor(a.decode),
	}, nil
}

// tap refuses a call before its message is read that has no valid credential, or whose
// caller has too much under way.
func (a *admission) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	cancel := cancelOf(ctx)
	if a.auth == nil {
		return a.receiving.begin(ctx, "", cancel), nil
	}
	known, err := a.auth.Authenticate(ctx, info.Header)
	if err != nil {
		cancel()
		if s, ok := status.FromError(err); ok {
			return nil, s.Err()
		}
		return nil, status.Error(codes.Unauthenticated, err.Error())
	}
	caller := callerOf(known)
	if a.budget.Full(caller) {
		cancel()
		a.count(ctx, fair.ErrFull)
		s, _ := a.refusal(fair.ErrFull)
		return nil, s.Err()
	}
	return a.receiving.begin(ctx, caller, cancel), nil
}

// packedMark begins a message that is still packed: no message of protobuf
// begins with a field 0.
const packedMark = 0

// later leaves gzip for later.
type later struct{}

func (later) Type() string { return "gzip" }

func (later) Do(r io.Reader) ([]byte, error) {
	b := bytes.NewBuffer([]byte{packedMark})
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// decodable is a request or an answer of pdata.
type decodable interface{ UnmarshalProto(b []byte) error }

// codec leaves requests for later, and is the collector's own for the rest.
type codec struct {
	encoding.CodecV2
	pending *admission
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if _, ok := v.(decodable); !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	data.Ref()
	c.pending.pending.Store(v, data)
	return nil
}

// forget runs before all other interceptors: what none of them has let through
// is not kept.
func (a *admission) forget(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	a.receiving.end(ctx)
	defer func() {
		if data, ok := a.pending.LoadAndDelete(req); ok {
			data.(mem.BufferSlice).Free()
		}
	}()
	return handler(ctx, req)
}

// decode runs after the receiver's authenticator.
func (a *admission) decode(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	into, ok := req.(decodable)
	if !ok {
		return handler(ctx, req)
	}
	signal, ok := methods[info.FullMethod]
	if !ok {
		return nil, status.Error(codes.Unimplemented, "only traces, logs and metrics are taken")
	}
	if err := a.within(ctx); err != nil {
		a.count(ctx, err)
		s, _ := a.refusal(err)
		return nil, s.Err()
	}
	l := a.lease(ctx)
	defer l.Release()
	if err := a.fill(ctx, l, into, signal); err != nil {
		a.count(ctx, err)
		s, _ := a.refusal(err)
		return nil, s.Err()
	}
	ctx, rejected := partial.With(ctx)
	answer, err := handler(ctx, req)
	if into, ok := answer.(decodable); ok && err == nil {
		if told := partialSuccess(signal, rejected, protobufType); told != nil {
			err = into.UnmarshalProto(told)
		}
	}
	return answer, err
}

// fill decodes the message that was kept for into.
func (a *admission) fill(ctx context.Context, l *fair.Lease, into decodable, s otlpbound.Signal) error {
	kept, ok := a.pending.LoadAndDelete(into)
	if !ok {
		return otlpbound.ErrMalformed // without a message at all
	}
	data := kept.(mem.BufferSlice)
	if err := l.Take(int64(data.Len())); err != nil {
		data.Free()
		return err
	}
	b, free, err := a.whole(ctx, l, data)
	if err != nil {
		return err
	}
	defer free()
	if b, err = a.check(ctx, l, s, b, false); err != nil {
		return err
	}
	if err := into.UnmarshalProto(b); err != nil {
		return otlpbound.ErrMalformed
	}
	return nil
}

// whole returns a message in one piece, unpacked, until it is freed.
func (a *admission) whole(ctx context.Context, l *fair.Lease, data mem.BufferSlice) (b []byte, free func(), err error) {
	n := int64(data.Len())
	if len(data) == 1 {
		if b := data[0].ReadOnlyData(); len(b) == 0 || b[0] != packedMark {
			return b, data.Free, nil
		}
		defer data.Free()
		b, err := a.unpack(ctx, l, bytes.NewReader(data[0].ReadOnlyData()[1:]), "gzip", -1)
		return b, func() {}, err
	}
	defer data.Free()
	if n == 0 {
		return nil, func() {}, nil
	}
	if err := l.Grow(ctx, n); err != nil {
		return nil, nil, err
	}
	pool := mem.DefaultBufferPool()
	buffer := data.MaterializeToBuffer(pool)
	return buffer.ReadOnlyData(), buffer.Free, nil
}
