// SPDX-License-Identifier: Apache-2.0

package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func post(t *testing.T, s *modeltest.Server, path, body string) (*http.Response, string) {
	t.Helper()
	res, err := s.Client().Post(s.URL()+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(text)
}

func TestScriptIsFollowedAndRecorded(t *testing.T) {
	t.Parallel()
	clock := modeltest.NewClock()
	s := modeltest.NewServer(t)
	s.Now = clock.Now
	res, _ := post(t, s, "/chat/completions", "{}")
	require.Equal(t, http.StatusNotImplemented, res.StatusCode, "no script")

	s.Then(modeltest.Content("skipped: its turn is over"), modeltest.RetryAfter(3*time.Second), modeltest.Content("last"))
	res, _ = post(t, s, "/chat/completions", "{}")
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode)
	require.Equal(t, "3", res.Header.Get("Retry-After"))
	clock.Advance(time.Minute)
	for range 2 {
		_, text := post(t, s, "/chat/completions", `{"messages":[{"role":"user","content":"no system"}]}`)
		require.Contains(t, text, `"last"`)
	}
	all := s.Requests()
	require.Len(t, all, 4)
	require.Equal(t, time.Minute, all[2].At.Sub(all[1].At))
	require.Equal(t, "/v1/chat/completions", all[0].Path)
	require.Empty(t, all[3].System())
	_, ok := all[3].Data("answer")
	require.False(t, ok)
	require.Empty(t, modeltest.Request{Body: []byte("no JSON")}.Chat())
	_, most := s.InFlight()
	require.Equal(t, 1, most)
}

func TestHeldAnswersEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t, modeltest.Hold(make(chan struct{}), modeltest.Content("never")), modeltest.Hang())
	for range 2 {
		go func() {
			res, err := s.Client().Post(s.URL(), "application/json", nil)
			if err == nil {
				res.Body.Close()
			}
		}()
	}
	require.Eventually(t, func() bool { now, _ := s.InFlight(); return now == 2 }, time.Minute, time.Millisecond)
}
