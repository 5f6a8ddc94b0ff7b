// SPDX-License-Identifier: Apache-2.0

package otlpbound

import (
	"errors"
	"math/rand/v2"
	"runtime/debug"
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

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// author writes requests out of what a fuzzer feeds it: well-formed OTLP of
// random shape, which random bytes hardly ever are.
type author struct{ *rand.Rand }

func newAuthor(seed uint64) author { return author{rand.New(rand.NewPCG(seed, 1))} }

func (a author) value(v pcommon.Value, depth int) {
	switch kind := a.IntN(8); {
	case kind < 3 && depth < 8:
		for list, n := v.SetEmptySlice(), a.IntN(7); list.Len() < n; {
			a.value(list.AppendEmpty(), depth+1)
		}
	case kind < 5 && depth < 8:
		a.attributes(v.SetEmptyMap(), depth+1)
	case kind == 5:
		v.SetStr(strings.Repeat("é", a.IntN(20)))
	case kind == 6:
		v.SetEmptyBytes().FromRaw(make([]byte, a.IntN(20)))
	default:
		v.SetDouble(a.Float64())
	}
}

func (a author) attributes(m pcommon.Map, depth int) {
	for range a.IntN(5) {
		a.value(m.PutEmpty(string(rune('a'+a.IntN(26)))+strings.Repeat("k", a.IntN(9))), depth)
	}
}

func (a author) traces() request {
	td := ptrace.NewTraces()
	for range a.IntN(3) {
		rs := td.ResourceSpans().AppendEmpty()
		a.attributes(rs.Resource().Attributes(), 1)
		ss := rs.ScopeSpans().AppendEmpty()
		a.attributes(ss.Scope().Attributes(), 1)
		for range a.IntN(5) {
			s := ss.Spans().AppendEmpty()
			s.SetName(strings.Repeat("n", a.IntN(18)))
			a.attributes(s.Attributes(), 1)
			for range a.IntN(4) {
				a.attributes(s.Events().AppendEmpty().Attributes(), 1)
			}
			for range a.IntN(3) {
				a.attributes(s.Links().AppendEmpty().Attributes(), 1)
			}
		}
	}
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func (a author) logs() request {
	ld := plog.NewLogs()
	for range a.IntN(3) {
		records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		for range a.IntN(5) {
			r := records.AppendEmpty()
			a.value(r.Body(), 1)
			a.attributes(r.Attributes(), 1)
		}
	}
	return plogotlp.NewExportRequestFromLogs(ld)
}

func (a author) metrics() request {
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for range a.IntN(4) {
		m := metrics.AppendEmpty()
		a.attributes(m.Metadata(), 1)
		switch a.IntN(4) {
		case 0:
			a.attributes(m.SetEmptyGauge().DataPoints().AppendEmpty().Exemplars().AppendEmpty().FilteredAttributes(), 1)
		case 1:
			m.SetEmptyHistogram().DataPoints().AppendEmpty().BucketCounts().FromRaw(make([]uint64, a.IntN(9)))
		case 2:
			m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty().Positive().BucketCounts().FromRaw(make([]uint64, a.IntN(9)))
		default:
			m.SetEmptySummary().DataPoints().AppendEmpty().QuantileValues().AppendEmpty()
		}
	}
	return pmetricotlp.NewExportRequestFromMetrics(md)
}

func (a author) request(s Signal) request {
	switch s {
	case Logs:
		return a.logs()
	case Metrics:
		return a.metrics()
	default:
		return a.traces()
	}
}

// FuzzProtobuf holds what the pass says against what the decoder finds: within
// the limits if it says so, and never malformed what an SDK could have sent.
func FuzzProtobuf(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed, []byte(nil))
	}
	proto, _ := nested(70)
	f.Add(uint64(1), proto)
	f.Fuzz(func(t *testing.T, seed uint64, b []byte) {
		signal, a := Signal(seed%3), newAuthor(seed)
		sound := len(b) == 0 && seed%2 == 1
		if len(b) == 0 {
			var err error
			b, err = a.request(signal).MarshalProto()
			require.NoError(t, err)
			if !sound {
				if a.IntN(4) > 0 {
					b = testbed.Spoil(a.Rand, b)
				}
			}
		}
		cost, err := small.Protobuf(signal, b)
		check(t, signal, cost, err, func(r request) error { return r.UnmarshalProto(b) }, sound)
	})
}

// FuzzJSON is FuzzProtobuf for the other encoding.
func FuzzJSON(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed, []byte(nil))
	}
	_, text := nested(70)
	f.Add(uint64(1), text)
	f.Add(uint64(3), []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"d","value":{"stringValue":[{"arrayValue":["x","values"],"arrayValue":[]}]}}]}]}]}]}`))
	f.Add(uint64(3), []byte(`{"resourceSpans":[{"resource":{"attributes":null},"scopeSpans":[null,{"spans":[null]}]}]}`))
	f.Fuzz(func(t *testing.T, seed uint64, b []byte) {
		signal, a := Signal(seed%3), newAuthor(seed)
		sound := len(b) == 0 && seed%2 == 1
		if len(b) == 0 {
			var err error
			b, err = a.request(signal).MarshalJSON()
			require.NoError(t, err)
			if !sound {
				if a.IntN(4) > 0 {
					b = testbed.Spoil(a.Rand, b)
				}
			}
		}
		cost, err := small.JSON(signal, b)
		check(t, signal, cost, err, func(r request) error { return r.UnmarshalJSON(b) }, sound)
	})
}

// check decodes what the pass has let through, with a stack that what it must
// have refused does not fit into.
func check(t *testing.T, s Signal, cost Cost, err error, decode func(request) error, sound bool) {
	t.Helper()
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	var over *Breach
	switch {
	case errors.As(err, &over):
		require.Positive(t, over.Limit)
		if sound {
			r := empty(s)
			require.NoError(t, decode(r))
			require.True(t, measure(s, r).over(), "%v", err)
		}
	case err != nil:
		require.ErrorIs(t, err, ErrMalformed)
		require.False(t, sound)
	default:
		r := empty(s)
		if decode(r) != nil {
			return
		}
		got := measure(s, r)
		require.False(t, got.over(), "%+v", got)
		require.GreaterOrEqual(t, cost.Records, got.records)
	}
}
