// SPDX-License-Identifier: Apache-2.0

package otlpmend_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
	"github.com/touchstone-otel/touchstone/internal/otlpmend"
)

func TestIDsOfAnotherLength(t *testing.T) {
	t.Parallel()
	td := ptrace.NewTraces()
	all := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range byte(3) {
		s := all.AppendEmpty()
		s.SetName("span")
		s.SetTraceID([16]byte{1, i})
		s.SetSpanID([8]byte{2, i})
		s.SetParentSpanID([8]byte{3, i})
		s.TraceState().FromRaw("a=b")
		s.Links().AppendEmpty().SetTraceID([16]byte{4, i})
		s.Attributes().PutStr("text", "x")
	}
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(t, err)

	var m otlpmend.Mended
	same, err := otlpmend.Protobuf(otlpbound.Traces, b, &m)
	require.NoError(t, err)
	require.Equal(t, b, same)
	require.Zero(t, m)

	// Built by hand: ids of 3, 20 and 16 bytes.
	request := request(span([]byte{1, 2, 3}, []byte{1, 2, 3, 4, 5, 6, 7, 8}, nil), span(bytes.Repeat([]byte{1}, 20), nil, nil),
		span(bytes.Repeat([]byte{7}, 16), bytes.Repeat([]byte{7}, 8), []byte{9}))
	require.Error(t, ptraceotlp.NewExportRequest().UnmarshalProto(request), "as it is it costs all spans")
	mended, err := otlpmend.Protobuf(otlpbound.Traces, request, &m)
	require.NoError(t, err)
	require.Equal(t, 3, m[otlpmend.Broken])
	r := ptraceotlp.NewExportRequest()
	require.NoError(t, r.UnmarshalProto(mended))
	spans := r.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	require.Equal(t, 3, spans.Len())
	require.True(t, spans.At(0).TraceID().IsEmpty())
	require.Equal(t, "0102030405060708", spans.At(0).SpanID().String())
	require.True(t, spans.At(1).TraceID().IsEmpty())
	require.False(t, spans.At(2).TraceID().IsEmpty())
	require.True(t, spans.At(2).ParentSpanID().IsEmpty())
	require.Equal(t, "n", spans.At(2).Name())
}

// field is one of a message: number, and bytes.
func field(number byte, value []byte) []byte {
	return append([]byte{number<<3 | 2, byte(len(value))}, value...)
}

func span(trace, id, parent []byte) []byte {
	b := append(field(1, trace), field(2, id)...)
	if parent != nil {
		b = append(b, field(4, parent)...)
	}
	return append(b, field(5, []byte("n"))...)
}

// request is a request of spans, below 128 bytes altogether.
func request(spans ...[]byte) []byte {
	var all []byte
	for _, s := range spans {
		all = append(all, field(2, s)...)
	}
	return field(1, field(2, all))
}

func TestIDsOfLogs(t *testing.T) {
	t.Parallel()
	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Body().SetStr("body")
	b, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	require.NoError(t, err)
	var m otlpmend.Mended
	mended, err := otlpmend.Protobuf(otlpbound.Logs, b, &m)
	require.NoError(t, err)
	require.Equal(t, b, mended)

	broken := field(1, field(2, field(2, append(field(9, []byte{1}), field(10, []byte{2})...))))
	mended, err = otlpmend.Protobuf(otlpbound.Logs, broken, &m)
	require.NoError(t, err)
	require.Equal(t, 2, m[otlpmend.Broken])
	require.NoError(t, plogotlp.NewExportRequest().UnmarshalProto(mended))
}

func FuzzProtobuf(f *testing.F) {
	f.Add(request(span([]byte{1}, []byte{2}, []byte{3})))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m otlpmend.Mended
		mended, err := otlpmend.Protobuf(otlpbound.Traces, b, &m)
		if err != nil || ptraceotlp.NewExportRequest().UnmarshalProto(b) != nil {
			return
		}
		require.Zero(t, m[otlpmend.Broken])
		require.NoError(t, ptraceotlp.NewExportRequest().UnmarshalProto(mended))
	})
}
