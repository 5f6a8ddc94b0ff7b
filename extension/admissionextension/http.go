// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/otlpbound"
	"github.com/touchstone-otel/touchstone/internal/partial"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// signals are the last words of the paths that requests come to.
var signals = map[string]otlpbound.Signal{"traces": otlpbound.Traces, "logs": otlpbound.Logs, "metrics": otlpbound.Metrics}

// GetHTTPHandler wraps a server's router. The server has authenticated the
// caller before; it unpacks the body by itself unless its
// "compression_algorithms" are none.
func (a *admission) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.stopping.note(r.Context())
			a.wrapped.note(r.Context())
			if isAsking(r.Context()) {
				return
			}
			from := fair.NewBody(w, r, readUntil(r.Context()))
			kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
			if err := refusedOf(r.Context()); err != nil {
				a.refuse(w, r, from, kind, err)
				return
			}
			signal, ok := signals[path.Base(r.URL.Path)]
			switch {
			case r.Method != http.MethodPost, ok && kind != protobufType && kind != jsonType:
				from.Answer(true, func() { next.ServeHTTP(w, r) }) // the receiver refuses it and reads nothing
				return
			case !ok:
				from.Answer(true, func() { http.NotFound(w, r) })
				return
			}
			if err := a.within(r.Context()); err != nil {
				a.refuse(w, r, from, kind, err)
				return
			}
			l := a.lease(r.Context())
			defer l.Release()
			admitted, err := a.admit(l, r, from, signal, kind == jsonType)
			if err != nil {
				a.refuse(w, r, from, kind, err)
				return
			}
			ctx, rejected := partial.With(admitted.Context())
			next.ServeHTTP(&answering{ResponseWriter: w, signal: signal, kind: kind, rejected: rejected}, admitted.WithContext(ctx))
		}), nil
	}, nil
}

// admit reads the body of a request whole, checks it, and gives the request
// with a body that is ready to be decoded.
func (a *admission) admit(l *fair.Lease, r *http.Request, from *fair.Body, s otlpbound.Signal, json bool) (*http.Request, error) {
	ctx := r.Context()
	encodings := r.Header.Values("Content-Encoding")
	encoding := ""
	switch len(encodings) {
	case 0:
	case 1:
		encoding = strings.ToLower(encodings[0]) // RFC 9110 8.4.1
	default:
		return nil, unknownEncoding("several")
	}
	b, err := a.unpack(ctx, l, from, encoding, r.ContentLength)
	if err != nil {
		return nil, err
	}
	// The key may have ended while the body came. Of a call of gRPC the receiver asks
	// when the message is there.
	if a.auth != nil {
		if _, err := a.auth.Authenticate(ctx, r.Header); err != nil {
			return nil, err
		}
	}
	if b, err = a.check(ctx, l, s, b, json); err != nil {
		return nil, err
	}
	admitted := r.WithContext(ctx)
	admitted.Header = r.Header.Clone()
	admitted.Header.Del("Content-Encoding")
	admitted.Header.Del("Content-Length")
	admitted.ContentLength = int64(len(b))
	admitted.Body = fair.NewWhole(b)
	return admitted, nil
}

// readUntil returns until when the server of a request reads it, zero for ever.
func readUntil(ctx context.Context) (until time.Time) {
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok && server.ReadTimeout > 0 {
		until = time.Now().Add(server.ReadTimeout)
	}
	return until
}

// refuse answers with an OTLP status in the encoding of the request.
func (a *admission) refuse(w http.ResponseWriter, r *http.Request, from *fair.Body, kind string, refused error) {
	a.count(r.Context(), refused)
	s, code := a.refusal(refused)
	marshal := proto.Marshal
	if kind == jsonType {
		marshal = protojson.Marshal
	}
	answer, err := marshal(s.Proto())
	if err != nil {
		http.Error(w, http.StatusText(code), code)
		return
	}
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(int(max(1, (a.after(refused)+time.Second-1)/time.Second))))
	}
	if kind != jsonType {
		kind = protobufType // which is what OTLP is without another word
	}
	w.Header().Set("Content-Type", kind)
	from.Answer(true, func() {
		w.WriteHeader(code)
		_, _ = w.Write(answer)
	})
}
