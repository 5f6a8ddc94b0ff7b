// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

type shownTail struct {
	Rows []shownRow `json:"rows"`
	Next string     `json:"next_cursor"`
	More bool       `json:"more"`
}

func (l *library) tail(t *testing.T, params url.Values) shownTail {
	t.Helper()
	r := l.call(t, "GET", spansPath+"/tail?"+params.Encode(), l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownTail](t, r)
}

func namesOf(rows []shownRow) (list []string) {
	for _, r := range rows {
		list = append(list, r.Name)
	}
	return list
}

func TestTailGivesSpansAsTheyArrive(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 2, func(int, *store.Record) {})
	begin := l.tail(t, url.Values{})
	require.Empty(t, begin.Rows, "what arrived before is left out")

	// A caller that waits gets the spans in the order in which they arrive.
	told := make(chan shownTail, 1)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		l.url+spansPath+"/tail?"+url.Values{"cursor": {begin.Next}, "fields": {"span_id"}, "preview": {"5"}}.Encode(), http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+l.key)
	go func() {
		var got shownTail
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = json.NewDecoder(resp.Body).Decode(&got) // a missing span fails the test below
			_ = resp.Body.Close()
		}
		told <- got
	}()
	now := time.Now().UnixNano()
	l.write(t, 3, func(i int, r *store.Record) {
		r.Span.TraceID[0], r.Span.Arrived, r.Span.Output = 9, now-int64(i), "an output"
		r.Span.Start -= int64(time.Duration(i) * time.Minute)
	})
	got := <-told
	require.Equal(t, []string{"2", "1", "0"}, namesOf(got.Rows))
	require.Equal(t, "an ou", got.Rows[0].Preview["output"])
	require.Equal(t, span.ID{2, 0, 2}.String(), got.Rows[0].Fields["span_id"])
	require.False(t, got.More)

	// No span appears twice, and a wait ends.
	none := l.tail(t, url.Values{"cursor": {got.Next}, "wait_sec": {"0"}})
	require.Empty(t, none.Rows)
	require.Equal(t, got.Next, none.Next)

	// A cursor belongs to its filters and its environment.
	filters := `[{"id":"span_name","operator":"equals","value":"1"}]`
	only := l.tail(t, url.Values{"filters": {filters}})
	l.write(t, 250, func(_ int, r *store.Record) {
		r.Span.TraceID[0], r.Span.Arrived = 10, time.Now().UnixNano()
	})
	require.Equal(t, []string{"1"}, namesOf(l.tail(t, url.Values{"cursor": {only.Next}, "filters": {filters}}).Rows))
	many := l.tail(t, url.Values{"cursor": {got.Next}})
	require.Len(t, many.Rows, 200)
	require.True(t, many.More)
	require.Len(t, l.tail(t, url.Values{"cursor": {many.Next}}).Rows, 50)
	other := libraryOf(t, l.testAPI)
	for _, bad := range []url.Values{
		{"cursor": {only.Next}}, {"cursor": {"x"}}, {"wait_sec": {"21"}}, {"wait_sec": {"-1"}}, {"preview": {"501"}}, {"skip": {"perhaps"}}, {"filters": {"{"}},
	} {
		require.Equal(t, http.StatusBadRequest, l.call(t, "GET", spansPath+"/tail?"+bad.Encode(), l.key, "").status, bad)
	}
	require.Equal(t, http.StatusBadRequest, other.call(t, "GET", spansPath+"/tail?"+url.Values{"cursor": {got.Next}}.Encode(), other.key, "").status)
	require.Equal(t, http.StatusUnauthorized, l.call(t, "GET", spansPath+"/tail", "nobody", "").status)
	require.Empty(t, other.tail(t, url.Values{"cursor": {other.tail(t, url.Values{}).Next}, "wait_sec": {"1"}}).Rows)
}

// Who cannot follow skips to what is new, and has the same page as others who do.
func TestTailSkipsToWhatIsNew(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	begin := l.tail(t, url.Values{})
	arrived := func(trace byte, at time.Time, n int) {
		l.write(t, n, func(i int, r *store.Record) {
			r.Span.TraceID[0], r.Span.Name, r.Span.Arrived = trace, fmt.Sprint(trace), at.UnixNano()+int64(i)
		})
	}
	arrived(10, time.Now(), 300)
	follows := url.Values{"cursor": {begin.Next}, "wait_sec": {"20"}}
	require.Equal(t, "10", l.tail(t, follows).Rows[199].Name)
	skips := url.Values{"cursor": {begin.Next}, "skip": {"true"}, "wait_sec": {"0"}}
	require.Eventually(t, func() bool { return len(l.tail(t, skips).Rows) == 0 }, time.Minute, 100*time.Millisecond, "seconds later they are not new any more")
	require.Len(t, l.tail(t, follows).Rows, 200, "but there")
	// They are new for longest that arrive when a window begins, and when that is still
	// to come, writing them may take its time. A machine that stalls until they are not
	// new any more writes others.
	const windows = 2 * time.Second
	var first, again, others shownTail
	for trace, isOver := byte(11), true; isOver; trace++ {
		at := time.Now().Add(2 * windows).Truncate(windows).Add(time.Millisecond)
		arrived(trace, at, 300)
		require.Eventually(t, func() bool {
			first, isOver = l.tail(t, skips), time.Since(at) > 2*windows
			return isOver || first.More && first.Rows[0].Name == fmt.Sprint(trace)
		}, time.Minute, 100*time.Millisecond)
		again = l.tail(t, skips)
		others = l.tail(t, url.Values{"cursor": {begin.Next}, "skip": {"true"}, "preview": {"5"}, "wait_sec": {"0"}})
		isOver = time.Since(at) > 2*windows
	}
	require.Equal(t, first.Rows, again.Rows, "for others who skip")
	require.Len(t, others.Rows, len(first.Rows))
	require.NotEqual(t, first.Rows[0].Preview, others.Rows[0].Preview, "who asks for other fields has another")
	filters := `[{"id":"span_name","operator":"equals","value":"nothing"}]`
	none := l.tail(t, url.Values{"filters": {filters}})
	require.Empty(t, l.tail(t, url.Values{"cursor": {none.Next}, "filters": {filters}, "skip": {"true"}, "wait_sec": {"0"}}).Rows)
	other := libraryOf(t, l.testAPI)
	require.Empty(t, other.tail(t, url.Values{"cursor": {other.tail(t, url.Values{}).Next}, "skip": {"true"}, "wait_sec": {"0"}}).Rows, "another environment's")
}
