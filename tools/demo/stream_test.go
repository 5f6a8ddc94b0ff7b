// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The traffic of a day has several services and models, spans of each hour, and what
// verdicts speak against.
func TestHistoryHasADay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	services, models, hours, text := map[string]bool{}, map[string]bool{}, map[int]int{}, strings.Builder{}
	spans, failed := 0, 0
	for _, td := range newStream().history(now) {
		for _, rs := range td.ResourceSpans().All() {
			service, _ := rs.Resource().Attributes().Get("service.name")
			services[service.Str()] = true
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				begin := s.StartTimestamp().AsTime()
				require.WithinRange(t, begin, now.Add(-past), now)
				require.Greater(t, s.EndTimestamp(), s.StartTimestamp())
				hours[begin.Hour()]++
				spans++
				if s.Status().Code() != 0 {
					failed++
				}
				if model, found := s.Attributes().Get("gen_ai.request.model"); found {
					models[model.Str()] = true
				}
				for _, v := range s.Attributes().All() {
					text.WriteString(v.AsString())
				}
			}
		}
	}
	require.Len(t, services, len(scenes))
	require.Len(t, models, len(scenes))
	require.Len(t, hours, 24)
	require.Positive(t, failed)
	require.Less(t, failed, spans/10)
	for _, wrong := range []string{leak, injection, rude, refusal} {
		require.Contains(t, text.String(), wrong)
	}
}

// The judge answers by the schema that it is asked with, and with 503 while it is
// down.
func TestJudgeAnswersOrIsDown(t *testing.T) {
	t.Parallel()
	down := false
	j, err := newJudge(func(time.Time) bool { return down })
	require.NoError(t, err)
	t.Cleanup(j.close)
	ask := func(text string) (int, map[string]any) {
		body, err := json.Marshal(map[string]any{
			"model": demoModel, "messages": []any{map[string]any{"role": "user", "content": text}},
			"response_format": map[string]any{"json_schema": map[string]any{"schema": map[string]any{
				"type": "object", "properties": map[string]any{"helpful": map[string]any{"type": "boolean"}, "why": map[string]any{"type": "string"}},
			}}},
		})
		require.NoError(t, err)
		resp, err := http.Post(j.url+"/chat/completions", "application/json", strings.NewReader(string(body)))
		require.NoError(t, err)
		defer resp.Body.Close()
		var answer struct {
			Choices []struct {
				Message struct {
					Content string `json:"content"`
				} `json:"message"`
			} `json:"choices"`
		}
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
		var said map[string]any
		if len(answer.Choices) > 0 {
			require.NoError(t, json.Unmarshal([]byte(answer.Choices[0].Message.Content), &said))
		}
		return resp.StatusCode, said
	}
	_, good := ask("Backups run each night at 02:00.")
	require.Equal(t, true, good["helpful"])
	require.NotEmpty(t, good["why"])
	_, bad := ask(offTopic[0])
	require.Equal(t, false, bad["helpful"])
	down = true
	status, _ := ask("Backups run each night at 02:00.")
	require.Equal(t, http.StatusServiceUnavailable, status)
}

// The judge is down for some minutes of each half hour, and not before it began.
func TestWhenTheJudgeIsDown(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]bool{
		0: false, upFirst: true, upFirst + down - time.Second: true, upFirst + down: false, upFirst + cycle: true, upFirst + cycle + down: false,
	} {
		require.Equal(t, want, isDown(begun.UnixNano(), begun.Add(after)), after)
	}
	require.False(t, isDown(0, begun))
}
