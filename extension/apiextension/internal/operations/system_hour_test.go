// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/store"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// after is how everything is some minutes after noon: 10 spans came in each, and
// the store grew by a MiB.
func after(minutes int) *state {
	n := int64(minutes)
	return &state{
		at:     noon.Add(time.Duration(minutes) * time.Minute),
		intake: store.Intake{Spans: 10 * n, Evaluations: 20 * n, Refused: n}, owed: &store.BacklogStats{Evaluations: n},
		space:  &store.Space{Bytes: n << 20, Free: 1440 << 20},
		models: []model.Status{{Requests: 3 * n}, {Requests: n, Errors: 2 * n, Cost: float64(n)}},
		memory: systemMemory{Resident: 7},
	}
}

func TestMinutesOfTheLastHour(t *testing.T) {
	t.Parallel()
	var h hour
	begun, none := h.until(after(0))
	require.Equal(t, noon, begun)
	require.Empty(t, none)
	for i := range 100 {
		h.note(after(i))
	}
	begun, minutes := h.until(after(100))
	require.Equal(t, noon, begun)
	require.Len(t, minutes, kept)
	for i, m := range minutes {
		owed, bytes := int64(41+i), int64(41+i)<<20
		require.Equal(t, systemMinute{
			At: noon.Add(time.Duration(40+i) * time.Minute).Unix(), Spans: 10, Evaluations: 20, Refused: 1, Owed: &owed, StoreBytes: &bytes, Memory: 7,
			ModelRequests: 4, ModelErrors: 2, Cost: 1,
		}, m)
	}
}

// What could not be had is left out of its minute alone.
func TestMinutesOfWhichNotAllIsKnown(t *testing.T) {
	t.Parallel()
	var h hour
	for i := range 3 {
		s := after(i)
		if i == 1 {
			s.owed, s.space = nil, nil
		}
		h.note(s)
	}
	_, minutes := h.until(after(3))
	require.Len(t, minutes, 3)
	require.Nil(t, minutes[0].Owed)
	require.Nil(t, minutes[0].StoreBytes)
	require.EqualValues(t, 10, minutes[0].Spans)
	require.EqualValues(t, 2, *minutes[1].Owed)
	require.NotNil(t, minutes[1].StoreBytes)
}

func TestDaysUntilTheDiskIsFull(t *testing.T) {
	t.Parallel()
	var h hour
	require.Nil(t, h.daysLeft(after(20)), "nothing is known")
	h.note(after(0))
	require.Nil(t, h.daysLeft(after(9)), "too short a time")
	require.InDelta(t, 1.0, *h.daysLeft(after(20)), 1e-9, "1,440 MiB at a MiB a minute")
	still := after(20)
	still.space.Bytes = 0
	require.Nil(t, h.daysLeft(still))
	still.space = nil
	require.Nil(t, h.daysLeft(still))
}

func TestMemoryIsThatOfTheProcess(t *testing.T) {
	t.Parallel()
	m := readMemory()
	require.Positive(t, m.Heap)
	require.Greater(t, m.Resident, m.Heap/2)
	pages, found := resident("100 23 4\n")
	require.True(t, found)
	require.EqualValues(t, 23, pages)
	_, found = resident("x")
	require.False(t, found)
}
