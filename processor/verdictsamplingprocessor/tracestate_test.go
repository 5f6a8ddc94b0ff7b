// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// threshold returns the threshold that is written so.
func threshold(t require.TestingT, digits string) sampling.Threshold {
	th, err := sampling.TValueToThreshold(digits)
	require.NoError(t, err)
	return th
}

// spanWith has a trace id with this randomness, and a trace state.
func spanWith(randomness uint64, state string) ptrace.Span {
	s := ptrace.NewSpan()
	s.SetTraceID(traceID(1, randomness))
	s.TraceState().FromRaw(state)
	return s
}

// traceID has a number in front, and a randomness of 56 bits at the end.
func traceID(n uint32, randomness uint64) pcommon.TraceID {
	id := pcommon.TraceID{0xab, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n), 1, 2, 3, 0xff}
	for i := range 7 {
		id[15-i] = byte(randomness >> (8 * i))
	}
	return id
}

const highRandomness = 0xffffffffffffff

func TestThresholdsAreWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state, ours, want string
		fault             stateFault
		factor            float64
	}{
		"nothing before":         {"", "8", "ot=th:8", faultNone, 0.5},
		"all are kept":           {"", "0", "ot=th:0", faultNone, 1},
		"others are kept":        {"a=b,c@d=e f", "8", "ot=th:8,a=b,c@d=e f", faultNone, 0.5},
		"ours is in front":       {"a=b,ot=p:1;x:y", "8", "ot=th:8;p:1;x:y,a=b", faultNone, 0.5},
		"randomness stays":       {"ot=rv:ffffffffffffff", "c", "ot=th:c;rv:ffffffffffffff", faultNone, 0.25},
		"more was dropped":       {"ot=th:c", "8", "ot=th:c", faultNone, 1},
		"less was dropped":       {"ot=th:8", "c", "ot=th:c", faultNone, 0.5},
		"as much was dropped":    {"ot=th:8", "8", "ot=th:8", faultNone, 1},
		"all failures":           {"ot=th:8", "0", "ot=th:8", faultNone, 1},
		"inconsistent":           {"ot=th:8;rv:00000000000000", "0", "ot=th:0;rv:00000000000000", faultInconsistent, 1},
		"no hexadecimal digits":  {"ot=th:xyz,a=b", "8", "ot=th:8,a=b", faultMalformed, 0.5},
		"too many digits":        {"ot=th:" + strings.Repeat("8", 15), "8", "ot=th:8", faultMalformed, 0.5},
		"empty threshold":        {"ot=th:", "8", "ot=th:8", faultMalformed, 0.5},
		"short randomness":       {"ot=rv:ff;th:8", "8", "ot=th:8", faultMalformed, 1},
		"no entry":               {"what is this?", "8", "ot=th:8", faultMalformed, 0.5},
		"upper case":             {"OT=th:8", "8", "ot=th:8", faultMalformed, 0.5},
		"entry twice":            {"ot=th:4,ot=th:c", "8", "ot=th:c", faultNone, 1},
		"line breaks":            {"a=b\r\nc=d", "8", "ot=th:8", faultMalformed, 0.5},
		"too long":               {"a=" + strings.Repeat("x", 2000), "8", "ot=th:8", faultMalformed, 0.5},
		"a longer value than is": {"a=" + strings.Repeat("x", 257), "8", "ot=th:8", faultMalformed, 0.5},
	} {
		s := spanWith(highRandomness, c.state)
		st := stateOf(s)
		require.Equal(t, c.fault, st.fault, name)
		require.InEpsilon(t, c.factor, st.mark(s, threshold(t, c.ours)), 1e-12, name)
		require.Equal(t, c.want, s.TraceState().AsRaw(), name)
	}
}

func TestRandomness(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 0x0123456789abcd, randomnessOf(spanWith(0x0123456789abcd, "")).Unsigned(), "the low 56 bits of the trace id")
	require.EqualValues(t, 0x0123456789abcd, randomnessOf(spanWith(0x0123456789abcd, "ot=rv:ff")).Unsigned())
	require.EqualValues(t, 0x11223344556677, randomnessOf(spanWith(0x0123456789abcd, "a=b,ot=rv:11223344556677")).Unsigned())
}

// What is written can be read, however long the rest was.
func TestWhatIsWrittenHasRoom(t *testing.T) {
	t.Parallel()
	long := "ot=rv:ffffffffffffff"
	for len(long) < 240 {
		long += ";k" + strconv.Itoa(len(long)) + ":v"
	}
	many := make([]string, 31)
	for i := range many {
		many[i] = "k" + strconv.Itoa(i) + "=" + strings.Repeat("v", 28)
	}
	for _, state := range []string{long, strings.Join(many, ","), "a=" + strings.Repeat("x", 255) + ",b=" + strings.Repeat("x", 255) + ",c=" + strings.Repeat("x", 255) + ",d=" + strings.Repeat("x", 240)} {
		s := spanWith(highRandomness, state)
		st := stateOf(s)
		require.Equal(t, faultNone, st.fault)
		require.InEpsilon(t, 1.0/(1<<56), st.mark(s, threshold(t, "ffffffffffffff")), 1e-12)
		read, err := sampling.NewW3CTraceState(s.TraceState().AsRaw())
		require.NoError(t, err)
		require.Equal(t, "ffffffffffffff", read.OTelValue().TValue())
		require.Greater(t, s.TraceState().AsRaw(), state[:5], "the first of the others stay")
		require.Greater(t, len(s.TraceState().AsRaw()), 200)
	}
}

// Whatever is sent, the threshold that is written can be read, is never below ours, and
// keeps the span.
func FuzzTraceState(f *testing.F) {
	for _, state := range []string{"", "ot=th:8", "ot=rv:00000000000000;th:c,a=b", "a@b=c,ot=x:y;th:;th:1", ",,\t,", "ot=rv:zz", "ot=" + strings.Repeat("a:b;", 70)} {
		f.Add(state, uint64(highRandomness), uint64(1)<<55)
	}
	f.Fuzz(func(t *testing.T, state string, randomness, unsigned uint64) {
		ours, err := sampling.UnsignedToThreshold(unsigned % sampling.MaxAdjustedCount)
		require.NoError(t, err)
		s := spanWith(randomness, state)
		st := stateOf(s)
		if !ours.ShouldSample(st.randomness) {
			return
		}
		factor := st.mark(s, ours)
		require.Positive(t, factor)
		require.LessOrEqual(t, factor, 1.0)
		again := stateOf(s)
		require.Equal(t, faultNone, again.fault, "%q", s.TraceState().AsRaw())
		require.Equal(t, st.randomness, again.randomness)
		require.False(t, sampling.ThresholdLessThan(again.before, ours))
		require.True(t, again.before.ShouldSample(again.randomness))
		require.LessOrEqual(t, len(s.TraceState().AsRaw()), maxStateBytes)
		require.InEpsilon(t, 1.0, again.mark(s, ours), 1e-12, "it is stable")
	})
}
