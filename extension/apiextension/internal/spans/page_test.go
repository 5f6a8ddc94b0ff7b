// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestPageShowsItsSpansAndCounts(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"spans":{"data":[],"page_size":0,"total_results":0,"next_cursor":""}}`, string(appendPage(nil, &query.Page{}, "")))

	page := query.Page{Spans: []span.Span{{Name: `"`}, {}}, Total: 5_000_000_000}
	var got struct {
		Spans struct {
			Data         []map[string]any
			PageSize     int    `json:"page_size"`
			TotalResults int64  `json:"total_results"`
			NextCursor   string `json:"next_cursor"`
		}
	}
	require.NoError(t, json.Unmarshal(appendPage(nil, &page, "c_-"), &got))
	require.Len(t, got.Spans.Data, 2)
	require.Equal(t, `"`, got.Spans.Data[0]["span_name"])
	require.Equal(t, 2, got.Spans.PageSize)
	require.Equal(t, int64(5_000_000_000), got.Spans.TotalResults)
	require.Equal(t, "c_-", got.Spans.NextCursor)
}
