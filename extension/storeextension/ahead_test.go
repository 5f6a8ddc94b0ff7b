// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func TestFilesGoByAClockThatIsBelieved(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{time.Hour, 24 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			d := doubtful{begun: begun}
			wall := func(now time.Time) time.Time {
				at, _ := d.at(now)
				return at.Round(0)
			}
			require.Equal(t, begun.Round(0), wall(begun))
			small := storetest.Stepped(t, begun.Add(time.Minute), 4*time.Minute)
			require.Equal(t, begun.Add(5*time.Minute).Round(0), wall(small), "a time server's step")

			// Set forward by mistake: for an hour nothing goes that would not have gone.
			wrong := storetest.Stepped(t, small, step)
			at, found := d.at(wrong)
			require.Equal(t, small.Round(0), at.Round(0))
			require.Equal(t, step, found)
			at, found = d.at(wrong.Add(time.Hour - 1))
			require.Equal(t, small.Add(time.Hour-1).Round(0), at.Round(0))
			require.Zero(t, found, "it is reported once")

			// Set right again, or back, it is believed at once.
			right := storetest.Stepped(t, wrong.Add(time.Hour-1), -step)
			require.Equal(t, small.Add(time.Hour-1).Round(0), wall(right))
			back := storetest.Stepped(t, right, -step)
			require.Equal(t, right.Add(-step).Round(0), wall(back))

			// What stays is right.
			stays := storetest.Stepped(t, back, step)
			require.Equal(t, back.Round(0), wall(stays))
			require.Equal(t, back.Add(time.Hour).Round(0).Add(step), wall(stays.Add(time.Hour)))
			require.Equal(t, back.Add(time.Hour+1).Round(0).Add(step), wall(stays.Add(time.Hour+1)))
		})
	}
}
