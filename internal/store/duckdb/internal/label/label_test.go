// SPDX-License-Identifier: Apache-2.0

package label

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLabelsAreReadable(t *testing.T) {
	t.Parallel()
	l := Label{Class: MonthClass, Opened: time.Date(2025, 11, 21, 0, 0, 0, 0, time.UTC), Serial: 17}
	require.Equal(t, "0720h-20251121T000000Z-000017", l.String())
	parsed, ok := Parse(l.String())
	require.True(t, ok)
	require.Equal(t, l, parsed)
}

func TestOnlyNamesThatLabelsHaveAreLabels(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"",
		"0720h-20251121T000000Z",
		"0000h-20251121T000000Z-000017",
		"0720h-20251121T000000.5112Z-000017",
		"0720h-20251121T000000,5Z-000017",
		"720h-20251121T000000Z-000017",
		"0720h-20251121T000000Z-17",
		"0720h-20251121T000000Z-+00017",
		"0720h-20251121T000000Z-000017 (copy)",
	} {
		_, ok := Parse(name)
		require.False(t, ok, name)
	}
}

func FuzzParseLabel(f *testing.F) {
	f.Add("0720h-20251121T000000Z-000017")
	f.Add("h--")
	f.Add("0000h-20251121T000000Z-1")
	f.Add("24h-20251121T000000Z--1")
	f.Add("0024h-20251121T000000.5112Z-000001")
	f.Fuzz(func(t *testing.T, name string) {
		l, ok := Parse(name)
		if !ok {
			return
		}
		require.Equal(t, name, l.String())
	})
}

func TestClassesCoverTheirRetention(t *testing.T) {
	t.Parallel()
	for _, retention := range []time.Duration{-1, 0, time.Hour, DayClass, DayClass + 1, WeekClass, WeekClass + 1, MonthClass, MonthClass + 1, 9000 * time.Hour} {
		class := ClassOf(retention)
		require.GreaterOrEqual(t, class, retention)
		require.LessOrEqual(t, PeriodOf(class)*20, class)
	}
	require.Equal(t, ClassOf(1<<62), ClassOf(1<<61), "there are not endlessly many")
}
