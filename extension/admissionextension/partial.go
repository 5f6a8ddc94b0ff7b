// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"net/http"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
	"github.com/touchstone-otel/touchstone/internal/partial"
)

// partialSuccess returns the answer to a request of which some records were
// refused and the rest taken, or whose sender is warned of something, in the
// encoding of a content type; nil if there is nothing to tell. Metrics have no
// such answer here: no one refuses one of them alone.
// https://opentelemetry.io/docs/specs/otlp/#partial-success
func partialSuccess(s otlpbound.Signal, rejected *partial.Rejected, kind string) []byte {
	count, told := rejected.Result()
	if told == "" {
		return nil
	}
	var answer interface {
		MarshalProto() ([]byte, error)
		MarshalJSON() ([]byte, error)
	}
	switch s {
	case otlpbound.Traces:
		r := ptraceotlp.NewExportResponse()
		r.PartialSuccess().SetRejectedSpans(count)
		r.PartialSuccess().SetErrorMessage(told)
		answer = r
	case otlpbound.Logs:
		r := plogotlp.NewExportResponse()
		r.PartialSuccess().SetRejectedLogRecords(count)
		r.PartialSuccess().SetErrorMessage(told)
		answer = r
	default:
		return nil
	}
	marshal := answer.MarshalProto
	if kind == jsonType {
		marshal = answer.MarshalJSON
	}
	b, err := marshal()
	if err != nil {
		return nil
	}
	return b
}

// answering is where the receiver writes its answer: an empty one, in one
// piece, which is replaced where there is something to tell.
type answering struct {
	http.ResponseWriter
	signal   otlpbound.Signal
	kind     string // the content type of request and answer
	rejected *partial.Rejected
	told     []byte
}

// WriteHeader notes what there is to tell before a successful answer goes out.
func (a *answering) WriteHeader(code int) {
	if code == http.StatusOK {
		if a.told = partialSuccess(a.signal, a.rejected, a.kind); a.told != nil {
			a.Header().Del("Content-Length")
		}
	}
	a.ResponseWriter.WriteHeader(code)
}

// Write writes the answer that replaces the receiver's answer.
func (a *answering) Write(b []byte) (int, error) {
	if a.told == nil {
		return a.ResponseWriter.Write(b)
	}
	if _, err := a.ResponseWriter.Write(a.told); err != nil {
		return 0, err
	}
	a.told = []byte{}
	return len(b), nil
}

// Unwrap makes http.ResponseController find the server's own writer.
func (a *answering) Unwrap() http.ResponseWriter { return a.ResponseWriter }
