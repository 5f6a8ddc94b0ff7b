// SPDX-License-Identifier: Apache-2.0

package genaitest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
)

func TestEveryRecordingDecodesToWhatItSays(t *testing.T) {
	t.Parallel()
	expected := genaitest.ExpectedSpans(t)
	for _, r := range genaitest.Recordings(t) {
		require.NotEmpty(t, r.Path, r.File)
		switch r.Signal {
		case genaitest.Traces:
			traces, err := r.Traces()
			require.NoError(t, err)
			require.Equal(t, len(expected[r.File]), traces.SpanCount(), r.File)
		case genaitest.Logs:
			logs, err := r.Logs()
			require.NoError(t, err)
			require.Positive(t, logs.LogRecordCount(), r.File)
		}
	}
}

func TestABrokenBodyIsAnError(t *testing.T) {
	t.Parallel()
	for _, r := range []genaitest.Recording{
		{File: "a", ContentType: "application/json", Body: []byte("{")},
		{File: "b", ContentType: "application/x-protobuf", Body: []byte{0xff}},
		{File: "c", ContentType: "application/json", ContentEncoding: "gzip", Body: []byte("{}")},
	} {
		_, err := r.Traces()
		require.ErrorContains(t, err, r.File)
		_, err = r.Logs()
		require.ErrorContains(t, err, r.File)
	}
}

func TestRecordingsAtAnotherTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, r := range genaitest.Recordings(t) {
		moved, err := r.At(now)
		require.NoError(t, err)
		require.Equal(t, r.File, moved.File)
		last := pcommon.Timestamp(0)
		if r.Signal == genaitest.Traces {
			before, err := r.Traces()
			require.NoError(t, err)
			after, err := moved.Traces()
			require.NoError(t, err)
			require.Equal(t, before.SpanCount(), after.SpanCount())
			for _, resource := range after.ResourceSpans().All() {
				for _, scope := range resource.ScopeSpans().All() {
					for _, s := range scope.Spans().All() {
						last = max(last, s.EndTimestamp())
					}
				}
			}
		} else {
			after, err := moved.Logs()
			require.NoError(t, err)
			for _, l := range after.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
				last = max(last, l.Timestamp(), l.ObservedTimestamp())
			}
		}
		require.Equal(t, now, last.AsTime(), r.File)
	}
	_, err := genaitest.Recording{File: "broken", ContentType: "application/json", Body: []byte("{")}.At(now)
	require.Error(t, err)
	_, err = genaitest.Recording{File: "broken", Signal: genaitest.Logs, ContentType: "application/json", Body: []byte("{")}.At(now)
	require.Error(t, err)
}
