// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// period is which spans a command looks at, by their start.
type period struct{ since, until string }

func (p *period) flags(cmd *cobra.Command, since string) {
	cmd.Flags().StringVar(&p.since, "since", since, "how far back to look (30m, 6h, 7d) or from when on (2026-01-31, 2026-01-31T15:04:05Z, Unix seconds)")
	cmd.Flags().StringVar(&p.until, "until", "", "until when, as --since (default: now)")
}

// into writes the period as parameters of the API.
func (p *period) into(q url.Values, now time.Time) error {
	from, err := instant(p.since, now)
	if err != nil {
		return usage("--since %w", err)
	}
	q.Set("from_timestamp_sec", strconv.FormatInt(from.Unix(), 10))
	if p.until == "" {
		return nil
	}
	to, err := instant(p.until, now)
	if err != nil {
		return usage("--until %w", err)
	}
	q.Set("to_timestamp_sec", strconv.FormatInt(to.Unix(), 10))
	return nil
}

// instant returns the time that a text names, absolute or back from now.
func instant(s string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		return time.Unix(n, 0), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("must be such as 30m, 6h, 7d, 2026-01-31 or Unix seconds")
}
