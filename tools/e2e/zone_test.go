// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Times are in the reader's zone, which is named, and in UTC for users who want that.
func TestTimesAreInTheZoneOfTheReader(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, len(agent()))
	p := chrome.Open(t, c.API)
	p.Zone("Asia/Tokyo")
	p.Go(c.API + "/ui/spans")
	signIn(t, p, key)
	p.Text("10 spans")
	p.Text("Time (GMT+9)")
	shown := func() string { return browser.Eval[string](p, `document.querySelector("td.time").title`) }
	there, err := time.ParseInLocation("2006-01-02 15:04:05.000", shown(), time.FixedZone("", 9*3600))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), there, 10*time.Minute)
	p.ByRole("button", "GMT+9").Click()
	p.Text("Time (UTC)")
	utc, err := time.Parse("2006-01-02 15:04:05.000", shown())
	require.NoError(t, err)
	require.True(t, utc.Equal(there))
	p.Reload()
	p.Text("Time (UTC)")
	p.ByRole("button", "UTC").Click()
	p.ByRole("button", "GMT+9")
}
