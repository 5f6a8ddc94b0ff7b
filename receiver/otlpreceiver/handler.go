// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/touchstone-otel/touchstone/internal/fair"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// request and answer are those of a signal.
type (
	request interface {
		UnmarshalProto(b []byte) error
		UnmarshalJSON(b []byte) error
	}
	answer interface {
		MarshalProto() ([]byte, error)
		MarshalJSON() ([]byte, error)
	}
)

// handler takes in requests of a signal over HTTP.
// https://opentelemetry.io/docs/specs/otlp/#otlphttp
func handler[Q request, A answer](fresh func() Q, export func(context.Context, Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			write(w, "text/plain", http.StatusMethodNotAllowed, []byte("405 method not allowed, supported: [POST]"))
			return
		}
		kind := mediaType(r)
		if kind != protobufType && kind != jsonType {
			write(w, "text/plain", http.StatusUnsupportedMediaType, []byte("415 unsupported media type, supported: [application/json, application/x-protobuf]"))
			return
		}
		q := fresh()
		if err := decode(q, r, kind); err != nil {
			writeError(w, kind, err, http.StatusBadRequest)
			return
		}
		a, err := export(r.Context(), q)
		if err != nil {
			writeError(w, kind, err, http.StatusInternalServerError)
			return
		}
		marshal := a.MarshalProto
		if kind == jsonType {
			marshal = a.MarshalJSON
		}
		b, err := marshal()
		if err != nil {
			writeError(w, kind, err, http.StatusInternalServerError)
			return
		}
		write(w, kind, http.StatusOK, b)
	}
}

func decode(q request, r *http.Request, kind string) error {
	b, err := fair.Rest(r.Body)
	if err != nil {
		return err
	}
	if err := r.Body.Close(); err != nil {
		return err
	}
	if kind == jsonType {
		return q.UnmarshalJSON(b)
	}
	return q.UnmarshalProto(b)
}

// mediaType returns a request's content type without parameters, "" if it has none
// that can be read.
func mediaType(r *http.Request) string {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// httpCodes are the answers to what went wrong. Others are 500.
// https://opentelemetry.io/docs/specs/otlp/#failures-1
var httpCodes = map[codes.Code]int{
	codes.Canceled: http.StatusServiceUnavailable, codes.DeadlineExceeded: http.StatusServiceUnavailable,
	codes.Aborted: http.StatusServiceUnavailable, codes.OutOfRange: http.StatusServiceUnavailable,
	codes.Unavailable: http.StatusServiceUnavailable, codes.DataLoss: http.StatusServiceUnavailable,
	codes.ResourceExhausted: http.StatusTooManyRequests, codes.InvalidArgument: http.StatusBadRequest,
	codes.Unauthenticated: http.StatusUnauthorized, codes.PermissionDenied: http.StatusForbidden,
	codes.Unimplemented: http.StatusNotFound,
}

// writeError answers with the status of an error; with code where it has none.
func writeError(w http.ResponseWriter, kind string, err error, code int) {
	s, ok := status.FromError(err)
	if !ok {
		writeStatus(w, kind, code, status.New(grpcCode(code), err.Error()))
		return
	}
	code, ok = httpCodes[s.Code()]
	if !ok {
		code = http.StatusInternalServerError
	}
	writeStatus(w, kind, code, s)
}

// refuse answers what a server refuses before a handler is asked.
func refuse(w http.ResponseWriter, r *http.Request, message string, code int) {
	kind := mediaType(r)
	if kind != protobufType {
		kind = jsonType
	}
	writeStatus(w, kind, code, status.New(grpcCode(code), message))
}

// grpcCode returns the code of a status that goes with a code of HTTP.
func grpcCode(code int) codes.Code {
	switch code {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound, http.StatusUnsupportedMediaType:
		return codes.Unimplemented
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return codes.Unavailable
	case http.StatusInternalServerError:
		return codes.Internal
	}
	return codes.Unknown
}

// writeStatus answers with a status, and says when to come again if it does.
// https://opentelemetry.io/docs/specs/otlp/#otlphttp-throttling
func writeStatus(w http.ResponseWriter, kind string, code int, s *status.Status) {
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		for _, d := range s.Details() {
			if again, ok := d.(*errdetails.RetryInfo); ok {
				w.Header().Set("Retry-After", strconv.FormatInt(int64(again.GetRetryDelay().AsDuration()/time.Second), 10))
			}
		}
	}
	marshal := proto.Marshal
	if kind == jsonType {
		marshal = protojson.Marshal
	}
	b, err := marshal(s.Proto())
	if err != nil { // such as text that is not UTF-8
		write(w, jsonType, http.StatusInternalServerError, []byte(`{"code": 13, "message": "the error cannot be encoded"}`))
		return
	}
	write(w, kind, code, b)
}

func write(w http.ResponseWriter, kind string, code int, b []byte) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = w.Write(b) // who has left hears nothing
}
