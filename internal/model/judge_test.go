// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestJudgeAsksOnceAndGivesVerdictAndCost(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{}, yes())
	got, err := s.judge.Judge(t.Context(), question("a", "b"))
	require.NoError(t, err)

	var answer struct{ Reason, Verdict string }
	require.NoError(t, got.Into(&answer))
	require.Equal(t, "yes", answer.Verdict)
	require.Equal(t, "judge-1", got.Model)
	require.False(t, got.Cached)
	require.Equal(t, eval.Usage{PromptTokens: 100, CompletionTokens: 20, Cost: 0.0004}, got.Usage)

	require.Len(t, s.server.Requests(), 1)
	r := s.server.Requests()[0]
	require.Equal(t, "/v1/chat/completions", r.Path)
	require.Equal(t, "Bearer sk-secret", r.Header.Get("Authorization"))
	chat := r.Chat()
	require.Zero(t, *chat.Temperature)
	require.Equal(t, int64(1), *chat.Seed)
	require.Equal(t, int64(512), chat.MaxTokens)
	require.Equal(t, "json_schema", chat.ResponseFormat.Type)
	require.True(t, chat.ResponseFormat.JSONSchema.Strict)
	require.JSONEq(t, verdictSchema, string(chat.ResponseFormat.JSONSchema.Schema))
	require.Equal(t, []model.Call{{Sent: true, Usage: got.Usage}}, s.seen.calls)
}

func TestSchemaKeepsTheOrderOfItsProperties(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{}, yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	schema := string(s.server.Requests()[0].Chat().ResponseFormat.JSONSchema.Schema)
	require.Less(t, strings.Index(schema, `"reason"`), strings.Index(schema, `"verdict"`))
}

func TestAnswersAreReadAsTheyCome(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"fenced":          "```json\n{\"reason\":\"r\",\"verdict\":\"no\"}\n```",
		"fenced, no name": "```\n{\"reason\":\"r\",\"verdict\":\"no\"}\n```",
		"after thoughts":  "<think>the text says {\"verdict\":\"yes\"}</think>\n{\"reason\":\"r\",\"verdict\":\"no\"}",
		"spaces":          " \n{\"reason\" : \"r\",\"verdict\":\"no\"}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, model.Limits{}, model.JudgeSettings{}, modeltest.Content(text))
			got, err := s.judge.Judge(t.Context(), question("a"))
			require.NoError(t, err)
			require.JSONEq(t, `{"reason":"r","verdict":"no"}`, string(got.JSON))
		})
	}
}

func TestUnusableAnswerIsAskedForAgainWithTheReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step modeltest.Step
		says string
	}{
		"wrong value":      {modeltest.JSON(map[string]any{"reason": "r", "verdict": "maybe"}), "verdict"},
		"missing key":      {modeltest.JSON(map[string]any{"reason": "r"}), "verdict"},
		"further key":      {modeltest.JSON(map[string]any{"reason": "r", "verdict": "yes", "extra": 1}), "extra"},
		"twice":            {modeltest.Content(`{"reason":"r","verdict":"no","verdict":"yes"}`), "twice"},
		"prose":            {modeltest.Content(`My instruction is to say {"reason":"r","verdict":"yes"}`), "not a JSON object"},
		"prose after":      {modeltest.Content(`{"reason":"r","verdict":"yes"} is what it wanted`), "follows"},
		"list":             {modeltest.Content(`[{"reason":"r","verdict":"yes"}]`), "not a JSON object"},
		"null":             {modeltest.Content(`null`), "null"},
		"truncated JSON":   {modeltest.Content(`{"reason":"r","verd`), "not a JSON object"},
		"number too large": {modeltest.Content(`{"reason":1e99999,"verdict":"yes"}`), "not a JSON object"},
		"empty":            {modeltest.Content(""), "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, model.Limits{}, model.JudgeSettings{Repairs: 1}, c.step, yes())
			got, err := s.judge.Judge(t.Context(), question("a"))
			require.NoError(t, err)
			require.JSONEq(t, `{"reason":"it is","verdict":"yes"}`, string(got.JSON))
			require.Equal(t, int64(200), got.Usage.PromptTokens, "both answers are paid for")
			require.Len(t, s.server.Requests(), 2)
			last := s.server.Requests()[1]
			problem, ok := last.Data("problem")
			require.True(t, ok)
			require.Contains(t, problem, c.says)
			require.Equal(t, s.server.Requests()[0].System(), last.System(), "the system message stays")
			require.Equal(t, []model.Reason{"", model.ReasonBroken, ""}, s.seen.reasons())
		})
	}
}

func TestAnswerThatNeverFitsIsOneErrorWithoutItsText(t *testing.T) {
	t.Parallel()
	s := newSetup(t, retrying, model.JudgeSettings{Repairs: 2}, modeltest.Content("SECRET-ANSWER yes"))
	got, err := s.judge.Judge(t.Context(), question("SECRET-PROMPT"))
	require.True(t, fault.Is(err, fault.Unusable), err)
	require.Equal(t, `the model "default" gave no usable answer`, fault.Message(err))
	require.NotContains(t, err.Error(), "SECRET")
	require.Nil(t, got.JSON)
	require.Equal(t, int64(300), got.Usage.PromptTokens)
	require.Len(t, s.server.Requests(), 3)
}

func TestCutOffAnswerIsAskedForWithMoreTokens(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{Repairs: 1},
		modeltest.CutOff(`{"reason":"r","verdict":"yes"}`), yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	require.Equal(t, int64(512), s.server.Requests()[0].Chat().MaxTokens)
	require.Equal(t, int64(1024), s.server.Requests()[1].Chat().MaxTokens)
}

func TestRefusalIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newSetup(t, retrying, model.JudgeSettings{Repairs: 3}, modeltest.Refusal("I cannot SECRET"))
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unusable))
	require.ErrorContains(t, err, "declined")
	require.NotContains(t, err.Error(), "SECRET")
	require.Len(t, s.server.Requests(), 1)
}

func TestModelsAreAskedOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{Allowed: []string{"judge-2"}}, yes())
	q := question("a")
	q.Model = "judge-2"
	got, err := s.judge.Judge(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, "judge-2", s.server.Requests()[0].Chat().Model)
	require.True(t, got.Usage.Unpriced)
	require.Zero(t, got.Usage.Cost)

	q.Model = "judge-3"
	_, err = s.judge.Judge(t.Context(), q)
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, `"judge-3"`)
	require.Len(t, s.server.Requests(), 1)
}

func TestSamplingDepartsFromTheDefaults(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{}, yes())
	warm, top := 0.7, 0.9
	q := question("a")
	q.Turns = []eval.Turn{{Role: eval.RoleUser, Text: "an example"}, {Role: eval.RoleAssistant, Text: "its verdict"}}
	q.Sampling = eval.Sampling{Temperature: &warm, TopP: &top, MaxTokens: 7, Stop: []string{"END"}}
	_, err := s.judge.Judge(t.Context(), q)
	require.NoError(t, err)
	chat := s.server.Requests()[0].Chat()
	require.InDelta(t, 0.7, *chat.Temperature, 0)
	require.InDelta(t, 0.9, *chat.TopP, 0)
	require.Equal(t, int64(7), chat.MaxTokens)
	require.Equal(t, []string{"END"}, chat.Stop)
	var roles []string
	for _, m := range chat.Messages {
		roles = append(roles, m.Role)
	}
	require.Equal(t, []string{"system", "user", "assistant", "user"}, roles)
}

func TestMistakesOfAnEvaluatorAreInternalAndSendNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*eval.Question){
		"schema":    func(q *eval.Question) { q.Schema = json.RawMessage(`{"type":`) },
		"type":      func(q *eval.Question) { q.Schema = json.RawMessage(`{"type":"nothing"}`) },
		"reference": func(q *eval.Question) { q.Schema = json.RawMessage(`{"$ref":"file:///etc/passwd"}`) },
		"name":      func(q *eval.Question) { q.Data[0].Name = "a\"]\nb" },
		"role":      func(q *eval.Question) { q.Turns = []eval.Turn{{Role: "system", Text: "x"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, model.Limits{}, model.JudgeSettings{}, yes())
			q := question("a")
			spoil(&q)
			_, err := s.judge.Judge(t.Context(), q)
			require.True(t, fault.Is(err, fault.Internal), err)
			require.Empty(t, s.server.Requests())
		})
	}
}
