// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/otlpbound"
)

// tooLarge is a request that is more than one may be: the sentence says how
// much it is, or may be.
type tooLarge struct {
	sentence  string
	was, most int64
}

func (e *tooLarge) Error() string { return fmt.Sprintf(e.sentence, e.was, e.most) }

// unknownEncoding is a content encoding that is not supported.
type unknownEncoding string

func (e unknownEncoding) Error() string {
	return fmt.Sprintf("content encoding %q is not taken; gzip, zstd, deflate, snappy and lz4 are", string(e))
}

// errPacked is a request that does not unpack. What the library says of it is
// left out: it may quote the request.
var errPacked = errors.New("the request does not unpack")

// reasonOf names why a request was refused, "" if it is its client who left.
func reasonOf(err error) string {
	var over *otlpbound.Breach
	var large *tooLarge
	var unknown unknownEncoding
	var quota *overQuota
	switch {
	case errors.As(err, &quota), fault.Is(err, fault.Limited):
		return "quota"
	case errors.As(err, &over):
		return "limit"
	case errors.As(err, &large):
		return "size"
	case errors.As(err, &unknown):
		return "encoding"
	case errors.Is(err, fair.ErrFull):
		return "memory"
	case errors.Is(err, fair.ErrSlow):
		return "slow"
	case errors.Is(err, otlpbound.ErrMalformed), errors.Is(err, errPacked):
		return "malformed"
	}
	return ""
}

// refusal returns the status of an error, for gRPC and HTTP as OTLP has it: what
// is wrong with a request is final, what is for want of memory or quota, or
// came too slowly, is not.
// https://opentelemetry.io/docs/specs/otlp/#failures
func (a *admission) refusal(err error) (*status.Status, int) {
	switch reasonOf(err) {
	case "memory":
		return throttled(fair.ErrFull, a.cfg.RetryAfter), http.StatusTooManyRequests
	case "quota":
		return throttled(err, a.after(err)), http.StatusTooManyRequests
	case "slow":
		return status.New(codes.Unavailable, fair.ErrSlow.Error()), http.StatusServiceUnavailable
	case "size":
		return status.New(codes.InvalidArgument, err.Error()), http.StatusRequestEntityTooLarge
	case "encoding":
		return status.New(codes.Unimplemented, err.Error()), http.StatusUnsupportedMediaType
	case "malformed":
		if errors.Is(err, errPacked) {
			err = errPacked
		}
		return status.New(codes.InvalidArgument, err.Error()), http.StatusBadRequest
	case "limit":
		return status.New(codes.InvalidArgument, err.Error()), http.StatusBadRequest
	default:
		if fault.Is(err, fault.Unauthorized) {
			return status.New(codes.Unauthenticated, fault.Message(err)), http.StatusUnauthorized
		}
		if fault.Is(err, fault.Unavailable) {
			return status.New(codes.Unavailable, fault.Message(err)), http.StatusServiceUnavailable
		}
		// Its client has left.
		return status.New(codes.Canceled, "the request did not come whole"), http.StatusBadRequest
	}
}

// after returns when a client who was refused may come back.
func (a *admission) after(err error) time.Duration {
	var quota *overQuota
	if errors.As(err, &quota) {
		return quota.after
	}
	if d := fault.After(err); d > 0 {
		return d
	}
	return a.cfg.RetryAfter
}

func throttled(err error, after time.Duration) *status.Status {
	plain := status.New(codes.ResourceExhausted, err.Error())
	s, err := plain.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		return plain
	}
	return s
}
