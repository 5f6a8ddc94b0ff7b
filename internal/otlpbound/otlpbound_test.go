// SPDX-License-Identifier: Apache-2.0

package otlpbound

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// small are limits that a test reaches by hand.
var small = Limits{Depth: 4, Attributes: 3, Values: 5, Events: 2, Links: 1, Records: 6, KeyBytes: 8, NameBytes: 16}

// request is what the requests of the three signals have in common.
type request interface {
	MarshalProto() ([]byte, error)
	MarshalJSON() ([]byte, error)
	UnmarshalProto([]byte) error
	UnmarshalJSON([]byte) error
}

// empty makes a request to decode into.
func empty(s Signal) request {
	switch s {
	case Logs:
		return plogotlp.NewExportRequest()
	case Metrics:
		return pmetricotlp.NewExportRequest()
	default:
		return ptraceotlp.NewExportRequest()
	}
}

// encodings returns the pass over both encodings of a request.
func encodings(t testing.TB, l *Limits, s Signal, r request) map[string]func() (Cost, error) {
	t.Helper()
	proto, err := r.MarshalProto()
	require.NoError(t, err)
	text, err := r.MarshalJSON()
	require.NoError(t, err)
	return map[string]func() (Cost, error){
		"protobuf": func() (Cost, error) { return l.Protobuf(s, proto) },
		"JSON":     func() (Cost, error) { return l.JSON(s, text) },
	}
}

func span(fill func(ptrace.Span)) request {
	td := ptrace.NewTraces()
	fill(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func logRecord(fill func(plog.LogRecord)) request {
	ld := plog.NewLogs()
	fill(ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
	return plogotlp.NewExportRequestFromLogs(ld)
}

func metric(fill func(pmetric.Metric)) request {
	md := pmetric.NewMetrics()
	fill(md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
	return pmetricotlp.NewExportRequestFromMetrics(md)
}

// many fills a map with n attributes.
func many(m pcommon.Map, n int) {
	for i := range n {
		m.PutInt(fmt.Sprint("k", i), int64(i))
	}
}

// nest makes v as deep as depth values, itself included: lists and maps in turn.
func nest(v pcommon.Value, depth int) {
	for ; depth > 1; depth-- {
		if depth%2 == 0 {
			v = v.SetEmptySlice().AppendEmpty()
		} else {
			v = v.SetEmptyMap().PutEmpty("k")
		}
	}
	v.SetStr("x")
}

func TestEveryLimitInBothEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		what   string
		limit  int
		signal Signal
		make   func(n int) request
	}{
		{"attribute", "levels", 4, Traces, func(n int) request {
			return span(func(s ptrace.Span) { nest(s.Attributes().PutEmpty("a"), n) })
		}},
		{"body", "levels", 4, Logs, func(n int) request { return logRecord(func(r plog.LogRecord) { nest(r.Body(), n) }) }},
		{"exemplar", "levels", 4, Metrics, func(n int) request {
			return metric(func(m pmetric.Metric) {
				nest(m.SetEmptyGauge().DataPoints().AppendEmpty().Exemplars().AppendEmpty().FilteredAttributes().PutEmpty("a"), n)
			})
		}},
		{"span", "attributes", 3, Traces, func(n int) request { return span(func(s ptrace.Span) { many(s.Attributes(), n) }) }},
		{"event", "attributes", 3, Traces, func(n int) request {
			return span(func(s ptrace.Span) { many(s.Events().AppendEmpty().Attributes(), n) })
		}},
		{"link", "attributes", 3, Traces, func(n int) request {
			return span(func(s ptrace.Span) { many(s.Links().AppendEmpty().Attributes(), n) })
		}},
		{"map", "attributes", 3, Traces, func(n int) request {
			return span(func(s ptrace.Span) { many(s.Attributes().PutEmptyMap("a"), n) })
		}},
		{"resource", "attributes", 3, Traces, func(n int) request {
			td := ptrace.NewTraces()
			many(td.ResourceSpans().AppendEmpty().Resource().Attributes(), n)
			return ptraceotlp.NewExportRequestFromTraces(td)
		}},
		{"scope", "attributes", 3, Logs, func(n int) request {
			ld := plog.NewLogs()
			many(ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().Scope().Attributes(), n)
			return plogotlp.NewExportRequestFromLogs(ld)
		}},
		{"log record", "attributes", 3, Logs, func(n int) request { return logRecord(func(r plog.LogRecord) { many(r.Attributes(), n) }) }},
		{"data point", "attributes", 3, Metrics, func(n int) request {
			return metric(func(m pmetric.Metric) { many(m.SetEmptySummary().DataPoints().AppendEmpty().Attributes(), n) })
		}},
		{"metadata", "attributes", 3, Metrics, func(n int) request { return metric(func(m pmetric.Metric) { many(m.Metadata(), n) }) }},
		{"list", "values in one list", 5, Traces, func(n int) request {
			return span(func(s ptrace.Span) {
				for list := s.Attributes().PutEmptySlice("a"); list.Len() < n; {
					list.AppendEmpty().SetBool(true)
				}
			})
		}},
		{"span", "events", 2, Traces, func(n int) request {
			return span(func(s ptrace.Span) {
				for s.Events().Len() < n {
					s.Events().AppendEmpty().SetName("e")
				}
			})
		}},
		{"span", "links", 1, Traces, func(n int) request {
			return span(func(s ptrace.Span) {
				for s.Links().Len() < n {
					s.Links().AppendEmpty().SetFlags(1)
				}
			})
		}},
		{"spans", "spans, log records", 6, Traces, func(n int) request {
			td := ptrace.NewTraces()
			for i := range n {
				if i%3 == 0 {
					td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
				}
				td.ResourceSpans().At(i / 3).ScopeSpans().At(0).Spans().AppendEmpty().SetName("s")
			}
			return ptraceotlp.NewExportRequestFromTraces(td)
		}},
		{"data points", "spans, log records or data points", 6, Metrics, func(n int) request {
			return metric(func(m pmetric.Metric) {
				for sum := m.SetEmptySum(); sum.DataPoints().Len() < n; {
					sum.DataPoints().AppendEmpty().SetIntValue(1)
				}
			})
		}},
		{"resources", "resources, scopes and metrics", 6, Logs, func(n int) request {
			ld := plog.NewLogs()
			for range n {
				ld.ResourceLogs().AppendEmpty().SetSchemaUrl("u")
			}
			return plogotlp.NewExportRequestFromLogs(ld)
		}},
		{"metrics", "resources, scopes and metrics", 6, Metrics, func(n int) request {
			md := pmetric.NewMetrics()
			for ms := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics(); ms.Len() < n-2; {
				ms.AppendEmpty().SetName("m")
			}
			return pmetricotlp.NewExportRequestFromMetrics(md)
		}},
		{"key", "bytes in the key", 8, Traces, func(n int) request {
			return span(func(s ptrace.Span) { s.Attributes().PutEmptyMap("a").PutStr(strings.Repeat("k", n), "v") })
		}},
		{"span", "bytes in one name", 16, Traces, func(n int) request {
			return span(func(s ptrace.Span) { s.SetName(strings.Repeat("n", n)) })
		}},
		{"trace state", "bytes in one name", 16, Traces, func(n int) request {
			return span(func(s ptrace.Span) { s.TraceState().FromRaw(strings.Repeat("n", n)) })
		}},
	} {
		for encoding, pass := range encodings(t, &small, c.signal, c.make(c.limit)) {
			cost, err := pass()
			require.NoError(t, err, "%s, %s: as many as allowed of %s", encoding, c.name, c.what)
			require.Positive(t, cost.Bytes)
		}
		for encoding, pass := range encodings(t, &small, c.signal, c.make(c.limit+1)) {
			_, err := pass()
			var over *Breach
			require.ErrorAs(t, err, &over, "%s, %s: %s", encoding, c.name, c.what)
			require.Contains(t, over.Error(), c.what)
			require.Equal(t, c.limit, over.Limit)
		}
	}
}

func TestRepeatedPartsCountTogether(t *testing.T) {
	t.Parallel()
	attribute := `{"attributes":[{"key":"a"},{"key":"b"}]}`
	_, err := small.JSON(Traces, []byte(`{"resourceSpans":[{"resource":`+attribute+`,"resource":`+attribute+`}]}`))
	require.ErrorContains(t, err, "attributes")
	_, err = small.JSON(Traces, []byte(`{"resource_spans":[{"scope_spans":[{"spans":[{"events":[{},{}],"events":[{}]}]}]}]}`))
	require.ErrorContains(t, err, "events")

	two := []byte{0x0a, 4, 0x0a, 0, 0x0a, 0} // field 1, a resource of two empty attributes
	_, err = small.Protobuf(Traces, append([]byte{0x0a, byte(2 * len(two))}, append(two, two...)...))
	require.ErrorContains(t, err, "attributes")
}

// nested is an attribute of a span with so many lists in one another, protobuf
// and JSON.
func nested(levels int) (proto, text []byte) {
	value := []byte{0x0a, 1, 'x'}
	parts := make([][]byte, 0, levels)
	size := len(value)
	head := func(tag byte) []byte {
		b := []byte{tag}
		for n := size; ; n >>= 7 {
			if n < 0x80 {
				b = append(b, byte(n))
				break
			}
			b = append(b, byte(n)|0x80)
		}
		size += len(b)
		return b
	}
	for range levels {
		parts = append(parts, head(0x0a), head(0x2a)) // ArrayValue.values, AnyValue.array_value
	}
	for _, tag := range []byte{0x12, 0x4a, 0x12, 0x12, 0x0a} { // value, attributes, spans, scope_spans, resource_spans
		parts = append(parts, head(tag))
	}
	for i := len(parts) - 1; i >= 0; i-- {
		proto = append(proto, parts[i]...)
	}
	text = []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"d","value":` +
		strings.Repeat(`{"arrayValue":{"values":[`, levels) + `{}` + strings.Repeat(`]}}`, levels) + `}]}]}]}]}`)
	return append(proto, value...), text
}

func TestThreeMillionLevels(t *testing.T) {
	t.Parallel()
	proto, text := nested(3_000_000)
	limits := Limits{Depth: MaxDepth, Attributes: 10, Values: 10, Events: 10, Links: 10, Records: 10, KeyBytes: 10, NameBytes: 10}
	for range 2 {
		_, err := limits.Protobuf(Traces, proto)
		require.ErrorContains(t, err, "more than 64 levels of nested values")
		_, err = limits.JSON(Traces, text)
		require.ErrorContains(t, err, "more than 64 levels of nested values")
		_, err = limits.JSON(Traces, []byte(strings.Repeat(`{"x":[`, 1_000_000)))
		require.ErrorContains(t, err, "levels")
	}
	proto, text = nested(MaxDepth - 1)
	_, err := limits.Protobuf(Traces, proto)
	require.NoError(t, err)
	_, err = limits.JSON(Traces, text)
	require.NoError(t, err)
}

func TestMalformedBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `[`, `{`, `}`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}`, `{,}`, `{"a":,"b":1}`, `{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`,
		`{"a":1}}`[:6], `{a:1}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"\u12"}`, "{\"a\":\"\n\"}", `{"":1}`, `{"\u0061":1}`, `{"a":"`,
		`{"a":"\`, `{"resourceSpans":{}}`, `{"resourceSpans":[[]]}`, `{"resourceSpans":1}`, `{"resourceSpans":"x"}`, `{"resourceSpans":true}`,
		`{"resourceSpans":[{"resource":[]}]}`, `{"a":]}`, `{"a":1]`, `[1}`, "\ufeff{}",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"value":,"arrayValue":,"values":,,"arrayValue":`,
	} {
		_, err := small.JSON(Traces, []byte(text))
		require.ErrorIs(t, err, ErrMalformed, text)
	}
	for _, text := range []string{
		`{}`, ` { } `, `null`, `{"resourceSpans":null}`, `{"resourceSpans":[null]}`, `{"a":[1,-2.5e+3,true,false,null,"\u00e9\n\"",{"b":[]}]}`,
		`{"resourceSpans":[]}{"x`, "{\"a\":\t[\r\n1 , 2 ] }",
	} {
		_, err := small.JSON(Traces, []byte(text))
		require.NoError(t, err, text)
	}
	for _, b := range [][]byte{
		{0x02, 0},
		{0x07},
		{0x0a},
		{0x0a, 5, 0},
		{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		{0x0c},
		{0x0b},
		{0x0b, 0x0b, 0x0c},
		{0x09, 1, 2},
		{0x0d, 1},
		{0x08},
		{0x0e},
		{0x80},
		{0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
	} {
		_, err := small.Protobuf(Traces, b)
		require.ErrorIs(t, err, ErrMalformed, "%x", b)
	}
	proto, _ := nested(100) // in an unknown group, which the decoder leaves after a number
	_, err := small.Protobuf(Traces, append([]byte{0x7b, 0x08, 1}, append(proto, 0x7c)...))
	require.ErrorIs(t, err, ErrMalformed)
}

// TestCostCoversMemory decodes what grows most in memory, and compares: the
// estimate is at least what is taken, and no more than six times as much.
func TestCostCoversMemory(t *testing.T) { //nolint:paralleltest // it measures the heap
	wide := Limits{Depth: MaxDepth, Attributes: 1 << 20, Values: 1 << 20, Events: 1 << 20, Links: 1 << 20, Records: 1 << 20, KeyBytes: 1 << 20, NameBytes: 1 << 20}
	const n = 20_000
	for _, c := range []struct {
		name   string
		signal Signal
		r      request
	}{
		{"attributes", Traces, span(func(s ptrace.Span) {
			attributes := make(map[string]any, n)
			for i := range n {
				attributes[fmt.Sprint(i)] = "v"
			}
			if err := s.Attributes().FromRaw(attributes); err != nil {
				panic(err)
			}
		})},
		{"spans", Traces, func() request {
			td := ptrace.NewTraces()
			for spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans(); spans.Len() < n; {
				spans.AppendEmpty().SetKind(1)
			}
			return ptraceotlp.NewExportRequestFromTraces(td)
		}()},
		{"resources", Traces, func() request {
			td := ptrace.NewTraces()
			for td.ResourceSpans().Len() < n {
				td.ResourceSpans().AppendEmpty()
			}
			return ptraceotlp.NewExportRequestFromTraces(td)
		}()},
		{"scopes", Logs, func() request {
			ld := plog.NewLogs()
			for scopes := ld.ResourceLogs().AppendEmpty().ScopeLogs(); scopes.Len() < n; {
				scopes.AppendEmpty()
			}
			return plogotlp.NewExportRequestFromLogs(ld)
		}()},
		{"events", Traces, span(func(s ptrace.Span) {
			for s.Events().Len() < n {
				s.Events().AppendEmpty()
			}
		})},
		{"links", Traces, span(func(s ptrace.Span) {
			for s.Links().Len() < n {
				s.Links().AppendEmpty()
			}
		})},
		{"values", Traces, span(func(s ptrace.Span) {
			for list := s.Attributes().PutEmptySlice("a"); list.Len() < n; {
				list.AppendEmpty()
			}
		})},
		{"numbers", Traces, span(func(s ptrace.Span) {
			for list := s.Attributes().PutEmptySlice("a"); list.Len() < n; {
				list.AppendEmpty().SetInt(1)
			}
		})},
		{"lists", Traces, span(func(s ptrace.Span) {
			for list := s.Attributes().PutEmptySlice("a"); list.Len() < n; {
				list.AppendEmpty().SetEmptySlice().AppendEmpty().SetEmptyMap()
			}
		})},
		{"texts", Traces, span(func(s ptrace.Span) {
			for list := s.Attributes().PutEmptySlice("a"); list.Len() < n; {
				list.AppendEmpty().SetStr("x")
			}
		})},
		{"long text", Traces, span(func(s ptrace.Span) { s.Attributes().PutStr("a", strings.Repeat("x", 10<<20)) })},
		{"log records", Logs, func() request {
			ld := plog.NewLogs()
			for records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords(); records.Len() < n; {
				records.AppendEmpty()
			}
			return plogotlp.NewExportRequestFromLogs(ld)
		}()},
		{"metrics", Metrics, func() request {
			md := pmetric.NewMetrics()
			for ms := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics(); ms.Len() < n; {
				ms.AppendEmpty().SetEmptyGauge()
			}
			return pmetricotlp.NewExportRequestFromMetrics(md)
		}()},
		{"points", Metrics, metric(func(m pmetric.Metric) {
			for sum := m.SetEmptySum(); sum.DataPoints().Len() < n; {
				sum.DataPoints().AppendEmpty()
			}
		})},
		{"histograms", Metrics, metric(func(m pmetric.Metric) {
			for h := m.SetEmptyHistogram(); h.DataPoints().Len() < n; {
				h.DataPoints().AppendEmpty()
			}
		})},
		{"exponential histograms", Metrics, metric(func(m pmetric.Metric) {
			for h := m.SetEmptyExponentialHistogram(); h.DataPoints().Len() < n; {
				h.DataPoints().AppendEmpty()
			}
		})},
		{"summaries", Metrics, metric(func(m pmetric.Metric) {
			for h := m.SetEmptySummary(); h.DataPoints().Len() < n; {
				h.DataPoints().AppendEmpty().QuantileValues().AppendEmpty()
			}
		})},
		{"buckets", Metrics, metric(func(m pmetric.Metric) {
			m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty().Positive().BucketCounts().FromRaw(make([]uint64, n))
		})},
		{"exemplars", Metrics, metric(func(m pmetric.Metric) {
			for p := m.SetEmptyGauge().DataPoints().AppendEmpty(); p.Exemplars().Len() < n; {
				p.Exemplars().AppendEmpty().SetIntValue(1)
			}
		})},
	} {
		proto, err := c.r.MarshalProto()
		require.NoError(t, err)
		text, err := c.r.MarshalJSON()
		require.NoError(t, err)
		cost, err := wide.Protobuf(c.signal, proto)
		require.NoError(t, err)
		checkCost(t, c.name+" in protobuf", cost.Bytes, proto, request.UnmarshalProto, c.signal)
		cost, err = wide.JSON(c.signal, text)
		require.NoError(t, err)
		checkCost(t, c.name+" in JSON", cost.Bytes, text, request.UnmarshalJSON, c.signal)
	}
}

func checkCost(t *testing.T, name string, cost int64, body []byte, decode func(request, []byte) error, s Signal) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // a pool keeps what it has for one more
	runtime.ReadMemStats(&before)
	r := empty(s)
	require.NoError(t, decode(r, body))
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	took := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	runtime.KeepAlive(r)
	runtime.KeepAlive(body)
	t.Logf("%s: took %d KiB, estimated %d KiB", name, took>>10, cost>>10)
	require.GreaterOrEqual(t, cost, took-64<<10, name)
	require.LessOrEqual(t, cost, 6*took+64<<10, name)
}

// chat is a request of n spans as SDKs send them: 25 attributes, three of them
// texts of 1 KB.
func chat(n int) request {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range n {
		s := spans.AppendEmpty()
		s.SetTraceID(pcommon.TraceID{byte(i), 1})
		s.SetSpanID(pcommon.SpanID{byte(i), 2})
		s.SetName("chat")
		s.SetStartTimestamp(1)
		s.SetEndTimestamp(2)
		for j := range 22 {
			s.Attributes().PutStr(fmt.Sprintf("gen_ai.request.attribute.%d", j), "a value")
		}
		for _, key := range []string{"gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"} {
			s.Attributes().PutStr(key, `[{"role":"user","parts":[{"content":"`+strings.Repeat("What is it worth? ", 50)+`"}]}]`)
		}
	}
	return ptraceotlp.NewExportRequestFromTraces(td)
}

var normal = Limits{Depth: 64, Attributes: 10_000, Values: 100_000, Events: 10_000, Links: 10_000, Records: 100_000, KeyBytes: 4096, NameBytes: 65536}

func TestThePassAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts those of all
	for encoding, pass := range encodings(t, &normal, Traces, chat(50)) {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if _, err := pass(); err != nil {
				t.Error(err)
			}
		}), encoding)
	}
	proto, text := nested(100_000)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = normal.Protobuf(Traces, proto) }), 1.0, "the error alone")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = normal.JSON(Traces, text) }), 1.0, "the error alone")
}

func BenchmarkPass(b *testing.B) {
	const spans = 50
	r := chat(spans)
	proto, err := r.MarshalProto()
	require.NoError(b, err)
	text, err := r.MarshalJSON()
	require.NoError(b, err)
	for _, c := range []struct {
		name string
		body []byte
		pass func() (Cost, error)
	}{
		{"protobuf", proto, func() (Cost, error) { return normal.Protobuf(Traces, proto) }},
		{"JSON", text, func() (Cost, error) { return normal.JSON(Traces, text) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.body)))
			for b.Loop() {
				if _, err := c.pass(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spans), "ns/span")
		})
	}
}
