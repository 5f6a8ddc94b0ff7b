// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// stateFault says what is wrong with the trace state of a span.
type stateFault string

const (
	faultNone         stateFault = ""
	faultMalformed    stateFault = "malformed"    // it is no trace state, or its entry ot is none
	faultInconsistent stateFault = "inconsistent" // with its threshold and its randomness the span would not have been kept
)

// state is what the trace state of a span says of sampling.
type state struct {
	parsed     sampling.W3CTraceState
	randomness sampling.Randomness // that of the trace state or, where it has none, of the trace id
	before     sampling.Threshold  // of samplers before us; AlwaysSampleThreshold where it tells of none
	fault      stateFault
}

// stateOf reads the trace state of a span. What cannot be read is as if it were not there.
func stateOf(s ptrace.Span) state {
	st := state{randomness: sampling.TraceIDToRandomness(s.TraceID())}
	raw := s.TraceState().AsRaw()
	if raw == "" {
		return st
	}
	var err error
	if st.parsed, err = sampling.NewW3CTraceState(raw); err != nil {
		st.fault = faultMalformed
	}
	otel := st.parsed.OTelValue()
	if explicit, found := otel.RValueRandomness(); found {
		st.randomness = explicit
	}
	switch before, found := otel.TValueThreshold(); {
	case !found:
	case before.ShouldSample(st.randomness):
		st.before = before
	default:
		st.fault = faultInconsistent
	}
	return st
}

// randomnessOf returns what is held against thresholds of a span.
func randomnessOf(s ptrace.Span) sampling.Randomness {
	st := stateOf(s)
	return st.randomness
}

// mark writes on a span that is kept with which threshold it was: that of samplers before
// us where they kept less. It returns by which factor the probability went down.
func (st *state) mark(s ptrace.Span, threshold sampling.Threshold) float64 {
	final := threshold
	if sampling.ThresholdGreater(st.before, threshold) {
		final = st.before
	}
	s.TraceState().FromRaw(st.written(final))
	return final.Probability() / st.before.Probability()
}

// Bounds of a trace state: of the entry ot in OpenTelemetry, of the list of entries in
// W3C Trace Context, and of all of it in the library that reads it.
//
// https://opentelemetry.io/docs/specs/otel/trace/tracestate-handling/
// https://www.w3.org/TR/trace-context-2/#tracestate-header-field-values
const (
	maxEntryBytes = 256
	maxEntries    = 31 // the library takes one less than the 32 of the specification
	maxStateBytes = 1024
)

// written returns the trace state with a threshold, in front as entries are that were
// changed last. Entries for which there is no room are left out, the last ones first.
func (st *state) written(threshold sampling.Threshold) string {
	otel := st.parsed.OTelValue()
	var b strings.Builder
	b.WriteString("ot=th:")
	b.WriteString(threshold.TValue())
	if explicit := otel.RValue(); explicit != "" {
		b.WriteString(";rv:")
		b.WriteString(explicit)
	}
	for _, part := range otel.ExtraValues() {
		if b.Len()-len("ot=")+len(part.Key)+len(part.Value)+2 > maxEntryBytes {
			break
		}
		b.WriteString(";" + part.Key + ":" + part.Value)
	}
	for i, entry := range st.parsed.ExtraValues() {
		if i+2 > maxEntries || b.Len()+len(entry.Key)+len(entry.Value)+2 > maxStateBytes {
			break
		}
		b.WriteString("," + entry.Key + "=" + entry.Value)
	}
	return b.String()
}
