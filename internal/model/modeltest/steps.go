// SPDX-License-Identifier: Apache-2.0

package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// The usage that every answer of a chat tells.
const (
	PromptTokens     = 100
	CompletionTokens = 20
)

// Content answers a chat with a text.
func Content(text string) Step { return choice(map[string]any{"content": text}, "stop", nil) }

// JSON answers a chat with a value as JSON.
func JSON(value any) Step {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // A mistake in the test.
	}
	return Content(string(text))
}

// CutOff answers a chat with a text that reached the token limit.
func CutOff(text string) Step { return choice(map[string]any{"content": text}, "length", nil) }

// Refusal answers a chat with the refusal to answer it.
func Refusal(text string) Step {
	return choice(map[string]any{"content": nil, "refusal": text}, "stop", nil)
}

// Token is a token of an answer and its log probability.
type Token struct {
	Text    string
	LogProb float64
	// Likely are what could have stood in its place, itself among them.
	Likely []Token
}

// Answer answers a chat with tokens and their log probabilities.
func Answer(tokens ...Token) Step {
	text, content := "", []map[string]any{}
	for _, t := range tokens {
		text += t.Text
		likely := []any{}
		for _, l := range t.Likely {
			likely = append(likely, map[string]any{"token": l.Text, "logprob": l.LogProb, "bytes": nil})
		}
		content = append(content, map[string]any{"token": t.Text, "logprob": t.LogProb, "bytes": nil, "top_logprobs": likely})
	}
	return choice(map[string]any{"content": text}, "stop", map[string]any{"content": content})
}

func choice(message map[string]any, finish string, logprobs any) Step {
	message["role"] = "assistant"
	return func(w http.ResponseWriter, r *http.Request, got Request) {
		Body(http.StatusOK, map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": got.Chat().Model,
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}},
			"usage": map[string]any{
				"prompt_tokens": PromptTokens, "completion_tokens": CompletionTokens,
				"total_tokens": PromptTokens + CompletionTokens,
			},
		})(w, r, got)
	}
}

// Vectors answers an embeddings request: the texts get these vectors in turn.
func Vectors(vectors ...[]float64) Step {
	return func(w http.ResponseWriter, r *http.Request, got Request) {
		var data []any
		// Out of order, as the protocol allows.
		for i := len(vectors) - 1; i >= 0; i-- {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectors[i]})
		}
		Body(http.StatusOK, map[string]any{
			"object": "list", "model": "embedder", "data": data,
			"usage": map[string]any{"prompt_tokens": PromptTokens, "total_tokens": PromptTokens},
		})(w, r, got)
	}
}

// Echo answers a completions request with the tokens of its prompt and one
// that was written after it.
func Echo(tokens ...Token) Step {
	return func(w http.ResponseWriter, r *http.Request, got Request) {
		texts, logprobs, offsets, offset := []string{}, []any{}, []int{}, 0
		for i, t := range append(slices.Clone(tokens), Token{Text: " more", LogProb: -1}) {
			texts, offsets = append(texts, t.Text), append(offsets, offset)
			offset += utf8.RuneCountInString(t.Text)
			if i == 0 {
				logprobs = append(logprobs, nil)
				continue
			}
			logprobs = append(logprobs, t.LogProb)
		}
		Body(http.StatusOK, map[string]any{
			"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "scorer",
			"choices": []any{map[string]any{
				"index": 0, "text": "", "finish_reason": "length",
				"logprobs": map[string]any{"tokens": texts, "token_logprobs": logprobs, "text_offset": offsets},
			}},
			"usage": map[string]any{"prompt_tokens": len(tokens), "completion_tokens": 1, "total_tokens": len(tokens) + 1},
		})(w, r, got)
	}
}

// Label is a label of a classifier and its score.
type Label struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
}

// Labels answers a request for a classification.
func Labels(labels ...Label) Step { return Body(http.StatusOK, labels) }

// Body answers with a value as JSON.
func Body(status int, value any) Step {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // A mistake in the test.
	}
	return Raw(status, "application/json", string(body))
}

// Raw answers with any bytes.
func Raw(status int, contentType, body string) Step {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // The client may be gone.
	}
}

// Status answers with an error as OpenAI writes them.
func Status(status int, code string) Step { return refusal(status, code, "") }

// NotUnderstood refuses a request because of one of its parameters.
func NotUnderstood(parameter string) Step {
	return refusal(http.StatusBadRequest, "unsupported_parameter", parameter)
}

func refusal(status int, code, parameter string) Step {
	return Body(status, map[string]any{"error": map[string]any{
		"message": "the message may quote SECRET-PROMPT", "type": "invalid_request_error", "code": code, "param": parameter,
	}})
}

// RetryAfter answers that there were too many requests, and how long to wait.
func RetryAfter(wait time.Duration) Step {
	return Header("Retry-After", strconv.Itoa(int(wait/time.Second)), Status(http.StatusTooManyRequests, "rate_limit_exceeded"))
}

// Header sets a header of the answer of a step.
func Header(name, value string, then Step) Step {
	return func(w http.ResponseWriter, r *http.Request, got Request) {
		w.Header().Set(name, value)
		then(w, r, got)
	}
}

// Garbage answers with something that is no JSON.
func Garbage() Step {
	return Raw(http.StatusOK, "application/json", "<html>\x00 the gateway says hello {\"verdict\":\"yes\"")
}

// Truncated answers with the first half of the answer that a text would be.
func Truncated() Step {
	return Raw(http.StatusOK, "application/json", `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"mess`)
}

// Broken promises more bytes than it sends and drops the connection.
func Broken() Step {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = fmt.Fprint(w, `{"id":`)
		panic(http.ErrAbortHandler)
	}
}

// Dropped drops the connection without an answer.
func Dropped() Step {
	return func(http.ResponseWriter, *http.Request, Request) { panic(http.ErrAbortHandler) }
}

// Hang never answers; it ends when the client goes away or the test does.
func Hang() Step {
	return func(_ http.ResponseWriter, r *http.Request, got Request) {
		select {
		case <-r.Context().Done():
		case <-got.closed:
		}
	}
}

// Hold answers as a step once the gate is closed.
func Hold(gate <-chan struct{}, then Step) Step {
	return func(w http.ResponseWriter, r *http.Request, got Request) {
		select {
		case <-gate:
			then(w, r, got)
		case <-r.Context().Done():
		case <-got.closed:
		}
	}
}
