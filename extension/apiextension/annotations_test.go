// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
)

const taskPath = "/v2/annotation-tasks/answers/annotations"

type annotated struct {
	TraceID    string   `json:"trace_id"`
	SpanID     string   `json:"span_id"`
	Evaluators []string `json:"evaluators"`
}

// chats writes two traces of a chat, of two spans each, and one of another chat.
func chats(t *testing.T) *library {
	t.Helper()
	l := newLibrary(t)
	l.write(t, 5, func(i int, r *store.Record) {
		r.Span.TraceID = span.TraceID{9, byte(i / 2)}
		r.Span.SpanID = span.ID{9, byte(i)}
		r.Span.Start += int64(i) * 1000
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "traceloop.association.properties.chat_id", Value: []string{"12345", "other"}[i/4]}})
	})
	return l
}

// What the SDKs for Python and JavaScript send as feedback of users.
func TestFeedbackOfUsers(t *testing.T) {
	t.Parallel()
	l := chats(t)
	r := l.call(t, "POST", taskPath, l.key, `{"entity_instance_id":"12345","tags":{"sentiment":"positive","relevance":0.95,"tones":["happy","nice"],"is_helpful":true},
		"source":"sdk","flow":"user_feedback","actor":{"type":"service","id":"shop"}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	got := into[annotated](t, r)
	require.Equal(t, annotated{
		"09010000000000000000000000000000", "0902000000000000",
		[]string{"sdk:answers.is_helpful", "sdk:answers.relevance", "sdk:answers.sentiment", "sdk:answers.tones"},
	}, got, "the first span of the chat's latest trace")
	made := l.evaluationsOf(t, l.key, spansPath+"/"+got.TraceID+"/"+got.SpanID+"/evaluations")
	require.Len(t, made, 4)
	for i, value := range []any{true, 0.95, "positive", `["happy","nice"]`} {
		require.Equal(t, map[string]any{"value": value, "kind": "human"}, made[i].Outputs)
		require.Equal(t, "sdk", made[i].Source)
		require.Equal(t, "sdk:shop", made[i].SetupID)
	}
	r = l.call(t, "POST", taskPath, l.key, `{"entity_instance_id":"12345","tags":{"sentiment":"negative"},"actor":{"type":"service","id":"shop"}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	made = l.evaluationsOf(t, l.key, spansPath+"/"+got.TraceID+"/"+got.SpanID+"/evaluations")
	require.Equal(t, int64(2), made[3].Revision, "changed their mind")
}

// What older SDKs for JavaScript send as a score.
func TestScoresOfAssociationProperties(t *testing.T) {
	t.Parallel()
	l := chats(t)
	r := l.call(t, "POST", "/v1/traceloop/score", l.key, `{"score":0.5,"entity_name":"traceloop.association.properties.chat_id","entity_id":"other"}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	got := into[annotated](t, r)
	made := l.evaluationsOf(t, l.key, spansPath+"/"+got.TraceID+"/"+got.SpanID+"/evaluations")
	require.Equal(t, "sdk:score", made[0].Evaluator)
	require.Equal(t, map[string]any{"score": 0.5}, made[0].Outputs)
}

func TestAnnotationsThatAreRefused(t *testing.T) {
	t.Parallel()
	l := chats(t)
	for body, want := range map[string]string{
		`{"tags":{"a":1}}`:                                                             "entity_instance_id is required",
		`{"entity_instance_id":"12345"}`:                                               "tags is required",
		`{"entity_instance_id":"12345","tags":{}}`:                                     "tags must contain at least one item",
		`{"entity_instance_id":"12345","tags":{"a":{}}}`:                               "tags.a must be",
		`{"entity_instance_id":"12345","tags":{"a":[1]}}`:                              "tags.a[0] must be a string",
		`{"entity_instance_id":"12345","tags":{"` + strings.Repeat("t", 199) + `":1}}`: "tags: the names of task and tag",
	} {
		r := l.call(t, "POST", taskPath, l.key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want)
	}
	for body, want := range map[string]string{
		`{"score":1,"entity_id":"a"}`:                              "entity_name is required",
		`{"score":"high","entity_name":"a","entity_id":"a"}`:       "score must be a number",
		`{"score":1,"entity_name":"evaluation.x","entity_id":"a"}`: "entity_name must",
		`{"score":1,"entity_name":"a","entity_id":""}`:             "entity_id",
	} {
		r := l.call(t, "POST", "/v1/traceloop/score", l.key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, l.call(t, "POST", taskPath, l.key, `{"entity_instance_id":"`+strings.Repeat("n", 5<<20)+`","tags":{"a":1}}`).status)
}

// associated writes one span with an attribute.
func (l *library) associated(t *testing.T, n byte, key, value string) {
	t.Helper()
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.TraceID, r.Span.SpanID = span.TraceID{8, n}, span.ID{8, n}
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: key, Value: value}})
	})
}

func TestFeedbackFindsAssociationsOfEverySpelling(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for n, key := range []string{
		"traceloop.association.properties.userId", "traceloop.association.properties.sessionId", "ai.telemetry.metadata.chatId",
		"langfuse.trace.metadata.user_id", "traceloop.association.properties.answers", "enduser.id", "traceloop.association.properties.ticket",
	} {
		l.associated(t, byte(n), key, "7"+strconv.Itoa(n))
		path, body := taskPath, `{"entity_instance_id":7`+strconv.Itoa(n)+`,"tags":{"liked":true}}`
		if strings.HasSuffix(key, "ticket") { // as the configuration says of this task
			path = "/v2/annotation-tasks/support/annotations"
		}
		r := l.call(t, "POST", path, l.key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.Equal(t, span.ID{8, byte(n)}.String(), into[annotated](t, r).SpanID, key)
	}
	r := l.call(t, "POST", "/v1/traceloop/score", l.key, `{"score":1,"entity_name":"userId","entity_id":70}`)
	require.Equal(t, span.ID{8, 0}.String(), into[annotated](t, r).SpanID, r.body)
	r = l.call(t, "POST", taskPath, l.key, `{"entity_instance_id":"76","entity_name":"ticket","tags":{"liked":true}}`)
	require.Equal(t, span.ID{8, 6}.String(), into[annotated](t, r).SpanID, r.body)
}

// A user presses the button before the span of the request is exported.
func TestFeedbackWaitsForItsSpan(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	other := l.newKey(t)
	for _, key := range []string{l.key, other} {
		r := l.call(t, "POST", taskPath, key, `{"entity_instance_id":"12345","tags":{"liked":true},"actor":{"type":"service","id":"shop"}}`)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.Equal(t, annotated{Evaluators: []string{"sdk:answers.liked"}}, into[annotated](t, r))
	}
	require.NoError(t, l.book.Round(t.Context()))
	require.Equal(t, 2, l.book.Waiting())
	l.associated(t, 1, "traceloop.association.properties.chatId", "12345")
	require.Eventually(t, func() bool {
		require.NoError(t, l.book.Round(t.Context()))
		return l.book.Waiting() == 1
	}, time.Minute, 10*time.Millisecond, "the other environment has no such span")
	made := l.evaluationsOf(t, l.key, spansPath+"/"+span.TraceID{8, 1}.String()+"/"+span.ID{8, 1}.String()+"/evaluations")
	require.Len(t, made, 1)
	require.Equal(t, "sdk:answers.liked", made[0].Evaluator)
	require.Equal(t, map[string]any{"value": true, "kind": "human"}, made[0].Outputs)

	liked := opinionOf(t, opinion.Opinion{Source: eval.FromSDK, Name: "n", Outputs: []eval.Output{{Name: "value", Value: true}}})
	for n := range opinions.MaxSought {
		given := []opinions.Given{{About: &opinions.Entity{Keys: []string{"id"}, ID: strconv.Itoa(n)}, Evaluations: []eval.Evaluation{liked}}}
		require.NoError(t, l.book.Add(t.Context(), l.env, given))
	}
	r := l.call(t, "POST", taskPath, l.key, `{"entity_instance_id":"one too many","tags":{"liked":true}}`)
	require.Equal(t, http.StatusServiceUnavailable, r.status, r.body)
	r = l.call(t, "POST", taskPath, l.key, `{"entity_instance_id":"12345","tags":{"liked":false}}`)
	require.Equal(t, http.StatusOK, r.status, "one whose span is there")
}
