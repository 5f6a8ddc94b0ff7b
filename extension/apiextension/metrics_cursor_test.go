// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPagesOfMetricsNeitherLoseNorRepeatPoints(t *testing.T) {
	t.Parallel()
	l, _ := newMeasured(t)
	for _, by := range []string{"timestamp", "event_time", "metric_name", "numeric_value"} {
		for _, order := range []string{"ASC", "desc"} {
			body := `,"sort_by":"` + by + `","sort_order":"` + order + `"`
			want := l.metrics(t, body+`,"limit":1000`)
			seen := map[string]bool{}
			cursor, pages := `0`, 0
			for ; cursor != `""` && pages < 20; pages++ {
				page := l.metrics(t, body+`,"limit":4,"cursor":`+cursor)
				require.EqualValues(t, 15, page.Metrics.TotalResults)
				for _, d := range page.Metrics.Data {
					for _, p := range d.Points {
						key := d.Name + p.Labels["span_id"]
						require.False(t, seen[key], key)
						seen[key] = true
					}
				}
				cursor = strconv.Quote(page.Metrics.NextCursor)
			}
			require.Len(t, seen, 15)
			require.Equal(t, 4, pages)
			require.Equal(t, 15, want.Metrics.TotalPoints)
		}
	}
	sorted := l.metrics(t, `,"sort_by":"numeric_value","sort_order":"DESC","limit":2`)
	require.InDelta(t, 50, *sorted.Metrics.Data[0].Points[0].Numeric, 0)
	require.InDelta(t, 40, *sorted.Metrics.Data[0].Points[1].Numeric, 0)
	require.Equal(t, "answer-relevancy.is_relevant", l.metrics(t, `,"sort_by":"metric_name","limit":1`).Metrics.Data[0].Name)
}

func TestCursorsOfMetricsAreBound(t *testing.T) {
	t.Parallel()
	l, start := newMeasured(t)
	cursor := l.metrics(t, `,"limit":2`).Metrics.NextCursor
	require.NotEmpty(t, cursor)
	millis := start.Add(3 * time.Second).UnixMilli()
	require.Equal(t, 7, l.metrics(t, fmt.Sprintf(`,"cursor":%d`, millis)).Metrics.TotalPoints, "from a time on, as some clients ask")
	require.Equal(t, 7, l.metrics(t, fmt.Sprintf(`,"cursor":"%d"`, millis)).Metrics.TotalPoints)
	require.Equal(t, 10, l.metrics(t, fmt.Sprintf(`,"cursor":%d,"sort_order":"DESC"`, start.Add(4*time.Second).UnixMilli()-1)).Metrics.TotalPoints)
	resumed := l.metrics(t, fmt.Sprintf(`,"cursor":%d,"limit":2`, millis))
	require.Equal(t, 5, l.metrics(t, `,"limit":50,"cursor":`+strconv.Quote(resumed.Metrics.NextCursor)).Metrics.TotalPoints, "and on from there")
	require.Zero(t, l.metrics(t, `,"cursor":9223372036853`).Metrics.TotalPoints)

	refused := func(key, more string) {
		t.Helper()
		r := l.call(t, "POST", metricsPath, key, `{"from_timestamp_sec":`+l.from+more+`}`)
		require.Equal(t, http.StatusBadRequest, r.status, more)
		require.True(t, strings.HasPrefix(r.message(t), "cursor "), r.body)
	}
	refused(l.newKey(t), `,"cursor":"`+cursor+`"`)
	for _, other := range []string{`"sort_order":"DESC"`, `"sort_by":"metric_name"`, `"metric_name":"word-count"`, `"to_timestamp_sec":9000000000`, `"filters":[{"field":"labels.user","operator":"exists"}]`} {
		refused(l.key, `,`+other+`,"cursor":"`+cursor+`"`)
	}
	for _, bad := range []string{cursor[1:], cursor + "A", strings.ToUpper(cursor), "x", "' OR 1=1", `\u0000`, cursor + `\n`, "99999999999999999999999", "-5", "9223372036854775807", "1.5"} {
		refused(l.key, `,"cursor":"`+bad+`"`)
	}
	for _, bad := range []string{`-1`, `1.5`, `true`, `9223372036854775807`} {
		refused(l.key, `,"cursor":`+bad)
	}
	refused(l.key, `,"cursor":[]`)
	refused(l.key, `,"sort_by":"numeric_value","cursor":1772905218000`)
	spans := l.page(t, url.Values{"limit": {"1"}})
	refused(l.key, `,"cursor":"`+spans.Spans.NextCursor+`"`)
	r := l.ask(t, l.key, url.Values{"cursor": {cursor}})
	require.Equal(t, http.StatusBadRequest, r.status, "nor the other way round")
}
