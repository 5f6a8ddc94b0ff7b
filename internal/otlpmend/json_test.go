// SPDX-License-Identifier: Apache-2.0

package otlpmend_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
	"github.com/touchstone-otel/touchstone/internal/otlpmend"
)

const (
	traceHex = "0102030405060708090a0b0c0d0e0f10"
	spanHex  = "0102030405060708"
)

// decoded returns the one span of a request after mending, which must be
// readable for the collector's decoder.
func decoded(t *testing.T, request string) (ptrace.Span, otlpmend.Mended) {
	t.Helper()
	var m otlpmend.Mended
	b, err := otlpmend.JSON(otlpbound.Traces, otlpmend.TrimMark([]byte(request), &m), &m)
	require.NoError(t, err)
	r := ptraceotlp.NewExportRequest()
	require.NoError(t, r.UnmarshalJSON(b), "%s", b)
	require.Equal(t, 1, r.Traces().SpanCount(), "%s", b)
	return r.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0), m
}

func spanOf(members string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n",` + members + `}]}]}]}`
}

func TestValuesOfAttributes(t *testing.T) {
	t.Parallel()
	type reasons = map[otlpmend.Reason]int
	for written, want := range map[string]struct {
		value  any
		mended reasons
	}{
		`{"doubleValue":null}`:                                  {nil, reasons{otlpmend.Absent: 1}},
		`{"doubleValue":NaN}`:                                   {nil, reasons{otlpmend.Absent: 1}},
		`{"doubleValue":-Infinity}`:                             {nil, reasons{otlpmend.Absent: 1}},
		`{"doubleValue":1.5}`:                                   {1.5, nil},
		`{"doubleValue":"1.5"}`:                                 {1.5, nil},
		`{"doubleValue":" 1.5 "}`:                               {1.5, reasons{otlpmend.Form: 1}},
		`{"doubleValue":"Infinity"}`:                            {math.Inf(1), nil},
		`{"doubleValue":1e999}`:                                 {nil, reasons{otlpmend.Broken: 1}},
		`{"doubleValue":"many"}`:                                {nil, reasons{otlpmend.Broken: 1}},
		`{"doubleValue":{"low":1}}`:                             {nil, reasons{otlpmend.Broken: 1}},
		`{"double_value":null}`:                                 {nil, reasons{otlpmend.Absent: 1}},
		`{"intValue":7}`:                                        {int64(7), nil},
		`{"intValue":"-7"}`:                                     {int64(-7), nil},
		`{"intValue":7.0}`:                                      {int64(7), reasons{otlpmend.Form: 1}},
		`{"intValue":"7e2"}`:                                    {int64(700), reasons{otlpmend.Form: 1}},
		`{"intValue":7.5}`:                                      {7.5, reasons{otlpmend.Form: 1}},
		`{"intValue":1e30}`:                                     {1e30, reasons{otlpmend.Form: 1}},
		`{"intValue":" 7"}`:                                     {int64(7), reasons{otlpmend.Form: 1}},
		`{"intValue":9223372036854775807}`:                      {int64(math.MaxInt64), nil},
		`{"intValue":null}`:                                     {nil, reasons{otlpmend.Absent: 1}},
		`{"intValue":true}`:                                     {nil, reasons{otlpmend.Broken: 1}},
		`{"intValue":{"low":-1,"high":0,"unsigned":false}}`:     {int64(math.MaxUint32), reasons{otlpmend.Form: 1}},
		`{"boolValue":true}`:                                    {true, nil},
		`{"boolValue":"True"}`:                                  {true, reasons{otlpmend.Form: 1}},
		`{"boolValue":0}`:                                       {false, reasons{otlpmend.Form: 1}},
		`{"boolValue":null}`:                                    {nil, reasons{otlpmend.Absent: 1}},
		`{"boolValue":"perhaps"}`:                               {nil, reasons{otlpmend.Broken: 1}},
		`{"stringValue":"a\u0000\"b\\"}`:                        {"a\x00\"b\\", nil},
		`{"stringValue":12}`:                                    {"12", reasons{otlpmend.Form: 1}},
		`{"stringValue":false}`:                                 {"false", reasons{otlpmend.Form: 1}},
		`{"stringValue":null}`:                                  {nil, reasons{otlpmend.Absent: 1}},
		`{"stringValue":["a",{"b":[]}]}`:                        {nil, reasons{otlpmend.Broken: 1}},
		`{"bytesValue":"-_8"}`:                                  {[]byte{0xfb, 0xff}, reasons{otlpmend.Form: 1}},
		`{"bytesValue":"AAE="}`:                                 {[]byte{0, 1}, nil},
		`{"bytesValue":"%%"}`:                                   {nil, reasons{otlpmend.Broken: 1}},
		`{"arrayValue":{"values":[{"doubleValue":null},{}]}}`:   {[]any{nil, nil}, reasons{otlpmend.Absent: 1}},
		`{"arrayValue":null}`:                                   {[]any{}, nil},
		`{"arrayValue":{"values":[null,3]}}`:                    {[]any{nil, nil}, reasons{otlpmend.Broken: 1}},
		`{"kvlistValue":{"values":[{"key":"k","value":null}]}}`: {map[string]any{"k": nil}, nil},
		`{"kvlistValue":{"values":[{"key":1,"value":{}}]}}`:     {map[string]any{"1": nil}, reasons{otlpmend.Form: 1}},
		`{}`:     {nil, nil},
		`null`:   {nil, nil},
		`"bare"`: {nil, reasons{otlpmend.Broken: 1}},
		`{"unknown":{"a":[1,{"b":"}"}]},"stringValue":"still read"}`: {"still read", nil},
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			s, m := decoded(t, spanOf(`"attributes":[{"key":"before","value":{"intValue":1}},{"key":"k","value":`+written+`},{"key":"after","value":{"stringValue":"x"}}]`))
			require.Equal(t, 3, s.Attributes().Len())
			got := s.Attributes().AsRaw()
			require.Equal(t, int64(1), got["before"])
			require.Equal(t, "x", got["after"])
			require.Equal(t, want.value, got["k"])
			for reason := range otlpmend.Reasons {
				require.Equal(t, want.mended[reason], m[reason], reason.String())
			}
		})
	}
}

func TestFieldsOfSpans(t *testing.T) {
	t.Parallel()
	ids := `"traceId":"` + traceHex + `","spanId":"` + spanHex + `"`
	for members, look := range map[string]func(t *testing.T, s ptrace.Span){
		`"traceId":"AQIDBAUGBwgJCgsMDQ4PEA==","spanId":"AQIDBAUGBwg=","parentSpanId":null`: func(t *testing.T, s ptrace.Span) {
			require.Equal(t, traceHex, s.TraceID().String())
			require.Equal(t, spanHex, s.SpanID().String())
			require.True(t, s.ParentSpanID().IsEmpty())
		},
		`"traceId":"` + strings.ToUpper(traceHex) + `","spanId":"x","parentSpanId":7`: func(t *testing.T, s ptrace.Span) {
			require.Equal(t, traceHex, s.TraceID().String())
			require.True(t, s.SpanID().IsEmpty(), "what cannot be read is absent, and the span is refused alone later")
		},
		`"kind":"SPAN_KIND_CLIENT"`: func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.SpanKindClient, s.Kind()) },
		`"kind":"client"`:           func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.SpanKindClient, s.Kind()) },
		`"kind":"3"`:                func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.SpanKindClient, s.Kind()) },
		`"kind":3.0`:                func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.SpanKindClient, s.Kind()) },
		`"kind":null`:               func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.SpanKindUnspecified, s.Kind()) },
		`"kind":"SPAN_KIND_OTHER"`:  func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.SpanKindUnspecified, s.Kind()) },
		`"status":{"code":"ERROR","message":null}`: func(t *testing.T, s ptrace.Span) {
			require.Equal(t, ptrace.StatusCodeError, s.Status().Code())
		},
		`"status":"ok"`: func(t *testing.T, s ptrace.Span) { require.Equal(t, ptrace.StatusCodeUnset, s.Status().Code()) },
		`"start_time_unix_nano":{"low":-1530494976,"high":395812401},"endTimeUnixNano":1700000000000000000`: func(t *testing.T, s ptrace.Span) {
			require.EqualValues(t, uint64(395812401)<<32|uint64(uint32(0xA4C68000)), s.StartTimestamp())
			require.EqualValues(t, 1700000000000000000, s.EndTimestamp())
		},
		`"startTimeUnixNano":1.7e18,"endTimeUnixNano":"-5"`: func(t *testing.T, s ptrace.Span) {
			require.EqualValues(t, 1700000000000000000, s.StartTimestamp())
			require.Zero(t, s.EndTimestamp())
		},
		`"droppedAttributesCount":null,"flags":"257","events":null,"links":[{"traceId":"short"}]`: func(t *testing.T, s ptrace.Span) {
			require.EqualValues(t, 257, s.Flags())
			require.Equal(t, 1, s.Links().Len())
		},
		`"events":[{"name":"e","timeUnixNano":null,"attributes":[{"key":"d","value":{"doubleValue":null}}]}]`: func(t *testing.T, s ptrace.Span) {
			require.Equal(t, "e", s.Events().At(0).Name())
			require.Equal(t, map[string]any{"d": nil}, s.Events().At(0).Attributes().AsRaw())
		},
	} {
		t.Run(members, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(members, "spanId") {
				members = ids + "," + members
			}
			s, _ := decoded(t, spanOf(members))
			require.Equal(t, "n", s.Name())
			look(t, s)
		})
	}
}

func TestRequestsOfBefore(t *testing.T) {
	t.Parallel()
	s, m := decoded(t, "\xef\xbb\xbf"+`{"resourceSpans":[{"resource":{"attributes":[]},"instrumentationLibrarySpans":[{"instrumentationLibrary":{"name":"l"},"spans":[{"name":"old"}]}]}]}`)
	require.Equal(t, "old", s.Name())
	require.Equal(t, 2, m[otlpmend.Former])
	require.Equal(t, 1, m[otlpmend.Mark])
}

func TestOtherSignals(t *testing.T) {
	t.Parallel()
	var m otlpmend.Mended
	b, err := otlpmend.JSON(otlpbound.Logs, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":null,"severityNumber":"info","body":{"doubleValue":null},"traceId":"","flags":null}]}]}]}`), &m)
	require.NoError(t, err)
	logs := plogotlp.NewExportRequest()
	require.NoError(t, logs.UnmarshalJSON(b), "%s", b)
	require.EqualValues(t, 9, logs.Logs().ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SeverityNumber())

	b, err = otlpmend.JSON(otlpbound.Metrics, []byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[`+
		`{"name":"g","gauge":{"dataPoints":[{"asDouble":null},{"asInt":1.5}]}},`+
		`{"name":"h","histogram":{"aggregationTemporality":"delta","dataPoints":[{"sum":null,"min":NaN,"count":"2","bucketCounts":["1",null,1.0,"x"],"explicitBounds":[1,null]}]}}]}]}]}`), &m)
	require.NoError(t, err)
	metrics := pmetricotlp.NewExportRequest()
	require.NoError(t, metrics.UnmarshalJSON(b), "%s", b)
	require.Equal(t, 3, metrics.Metrics().DataPointCount())
}

// Recordings of SDKs need no mending, and stay the bytes that they are.
func TestRecordingsStay(t *testing.T) {
	t.Parallel()
	plain := []byte(spanOf(`"traceId":"` + traceHex + `","spanId":"` + spanHex + `","kind":3,"startTimeUnixNano":"1","attributes":[{"key":"a","value":{"intValue":"1"}}],"status":{}`))
	var m otlpmend.Mended
	b, err := otlpmend.JSON(otlpbound.Traces, plain, &m)
	require.NoError(t, err)
	require.Same(t, &plain[0], &b[0])
	require.Zero(t, m)

	files, err := filepath.Glob("../genai/genaitest/testdata/otlp/*.json.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		packed, err := os.Open(file)
		require.NoError(t, err)
		unpacked, err := gzip.NewReader(packed)
		require.NoError(t, err)
		b, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		require.NoError(t, packed.Close())
		signal := otlpbound.Traces
		if strings.Contains(file, "logs") {
			signal = otlpbound.Logs
		}
		var m otlpmend.Mended
		_, err = otlpmend.JSON(signal, b, &m)
		require.NoError(t, err, file)
		require.Zero(t, m, file)
	}
}

func TestWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, b := range []string{"", "{", "[]", `{"resourceSpans"`, `{"resourceSpans":[`, `{"resourceSpans":[{]}`, `{"a":"`, `{"a" 1}`, `{"a":1 "b":2}`, `"x"`, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":}]}]}]}`} {
		var m otlpmend.Mended
		_, err := otlpmend.JSON(otlpbound.Traces, []byte(b), &m)
		require.Error(t, err, b)
	}
}

// What is valid JSON with objects and lists where OTLP has them becomes
// readable, and is still valid.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(spanOf(`"kind":"x","attributes":[{"key":"k","value":{"doubleValue":null}}]`)))
	f.Add([]byte(spanOf(`"startTimeUnixNano":{"low":1,"high":2},"traceId":"AQIDBAUGBwgJCgsMDQ4PEA=="`)))
	f.Add([]byte(`{"resourceSpans":[{"instrumentation__library__spans":[{},{},{},{},{},{},{},{},{},{}]}]}`))
	f.Add([]byte(`{"resource_spans":[{"instrumentation_library_spans":[{},{"spans":[{"events":[{},{}]}]}]}]}`))
	f.Add([]byte(`{"resourceSpans":[null,{"instrumentationLibrarySpans":[{"spans":[{"links":[{"spanId":3}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m otlpmend.Mended
		mended, err := otlpmend.JSON(otlpbound.Traces, b, &m)
		if !json.Valid(b) {
			return
		}
		if err != nil {
			require.NotEqual(t, byte('{'), strings.TrimLeft(string(b), " \n\t\r")[0])
			return
		}
		require.True(t, json.Valid(mended), "%s", mended)
		if strings.Contains(string(b), `""`) || strings.Contains(string(b), `\`) {
			return // the decoder takes a member without a name for the end of its object
		}
		require.NoError(t, ptraceotlp.NewExportRequest().UnmarshalJSON(mended), "%s", mended)
		before, err := few.JSON(otlpbound.Traces, b)
		if err != nil {
			return
		}
		after, err := few.JSON(otlpbound.Traces, mended)
		require.NoError(t, err, "%s", mended)
		require.Equal(t, before.Records, after.Records, "%s", mended)
	})
}

// few are limits that small requests come near.
var few = otlpbound.Limits{
	Depth: 64, Attributes: 4, Values: 100, Events: 3, Links: 3, Records: 5, KeyBytes: 100, NameBytes: 1000,
}

func TestNamesHaveTwoSpellings(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{
		"instrumentationLibrarySpans": true, "instrumentation_library_spans": true, "instrumentation__library__spans": false, "instrumentation_Library_spans": false,
		"_instrumentation_library_spans": false, "instrumentation_library_spans_": false, "instrumentationLibrary_spans": false, "instrumentation_librarySpans": false,
	} {
		var m otlpmend.Mended
		mended, err := otlpmend.JSON(otlpbound.Traces, []byte(`{"resourceSpans":[{"`+name+`":[{"spans":[{}]}]}]}`), &m)
		require.NoError(t, err)
		require.Equal(t, known, strings.Contains(string(mended), `"scopeSpans"`), name)
	}
}

func BenchmarkJSON(b *testing.B) {
	one := spanOf(`"traceId":"` + traceHex + `","spanId":"` + spanHex + `","kind":3,"startTimeUnixNano":"1","attributes":[{"key":"prompt","value":{"stringValue":"` + strings.Repeat("words of a prompt ", 200) + `"}}]`)
	for _, v := range []string{"as it is", "null"} {
		request := one
		if v == "null" {
			request = strings.Replace(one, `"kind":3`, `"kind":null`, 1)
		}
		b.Run(v, func(b *testing.B) {
			b.SetBytes(int64(len(request)))
			for b.Loop() {
				var m otlpmend.Mended
				if _, err := otlpmend.JSON(otlpbound.Traces, []byte(request), &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
