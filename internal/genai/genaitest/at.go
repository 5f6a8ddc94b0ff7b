// SPDX-License-Identifier: Apache-2.0

package genaitest

import (
	"bytes"
	"compress/gzip"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// At returns the recording as if its last moment were now: the times of a real
// one grow older than any retention. Everything else is as it was recorded,
// the encoding included.
func (r Recording) At(now time.Time) (Recording, error) {
	var body []byte
	var err error
	if r.Signal == Logs {
		body, err = r.logsAt(now)
	} else {
		body, err = r.tracesAt(now)
	}
	if err != nil {
		return r, err
	}
	if r.ContentEncoding == "gzip" {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(body); err != nil {
			return r, err
		}
		if err := z.Close(); err != nil {
			return r, err
		}
		body = b.Bytes()
	}
	r.Body = body
	return r, nil
}

func (r Recording) tracesAt(now time.Time) ([]byte, error) {
	td, err := r.Traces()
	if err != nil {
		return nil, err
	}
	var last pcommon.Timestamp
	eachSpan(td, func(s ptrace.Span) { last = max(last, s.EndTimestamp()) })
	shift := pcommon.NewTimestampFromTime(now) - last
	eachSpan(td, func(s ptrace.Span) {
		s.SetStartTimestamp(s.StartTimestamp() + shift)
		s.SetEndTimestamp(s.EndTimestamp() + shift)
		for _, e := range s.Events().All() {
			e.SetTimestamp(e.Timestamp() + shift)
		}
	})
	request := ptraceotlp.NewExportRequestFromTraces(td)
	return r.encode(request.MarshalProto, request.MarshalJSON)
}

func eachSpan(td ptrace.Traces, do func(ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				do(s)
			}
		}
	}
}

func (r Recording) logsAt(now time.Time) ([]byte, error) {
	ld, err := r.Logs()
	if err != nil {
		return nil, err
	}
	var last pcommon.Timestamp
	eachRecord(ld, func(l plog.LogRecord) { last = max(last, l.Timestamp(), l.ObservedTimestamp()) })
	shift := pcommon.NewTimestampFromTime(now) - last
	eachRecord(ld, func(l plog.LogRecord) {
		if l.Timestamp() != 0 {
			l.SetTimestamp(l.Timestamp() + shift)
		}
		l.SetObservedTimestamp(l.ObservedTimestamp() + shift)
	})
	request := plogotlp.NewExportRequestFromLogs(ld)
	return r.encode(request.MarshalProto, request.MarshalJSON)
}

func eachRecord(ld plog.Logs, do func(plog.LogRecord)) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, l := range sl.LogRecords().All() {
				do(l)
			}
		}
	}
}

func (r Recording) encode(proto, json func() ([]byte, error)) ([]byte, error) {
	if r.ContentType == "application/json" {
		return json()
	}
	return proto()
}
