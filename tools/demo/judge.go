// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// judge is a model server of the demo: it speaks the API of OpenAI's chat
// completions, and answers by whether a text has one of the demo's bad answers
// in it.
type judge struct {
	server *http.Server
	url    string
	// down reports whether it refuses everything now.
	down func(now time.Time) bool
}

// newJudge starts a judge on a free port.
func newJudge(down func(now time.Time) bool) (*judge, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	j := &judge{url: "http://" + listener.Addr().String() + "/v1", down: down}
	j.server = &http.Server{Handler: http.HandlerFunc(j.answer), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = j.server.Serve(listener) }() // until it is closed
	return j, nil
}

// demoModel is what the demo's judge is called.
const demoModel = "demo-judge"

// settings are the arguments that have a collector ask it.
func (j *judge) settings() []string {
	var args []string
	for _, s := range []string{
		"judges::default::http::endpoint: " + j.url, "judges::default::model: " + demoModel, "prices::" + demoModel + ": {prompt: 0.15, completion: 0.6}",
	} {
		args = append(args, "--config", "yaml:extensions::models::"+s)
	}
	return args
}

// isDown reports whether a judge is down that began its work at a time, in Unix
// nanoseconds; 0 is not yet.
func isDown(begun int64, now time.Time) bool {
	if begun == 0 {
		return false
	}
	at := (now.Sub(time.Unix(0, begun)) - upFirst) % cycle
	return at >= 0 && at < down
}

func (j *judge) close() { _ = j.server.Close() }

// asked is what the demo's judge reads of a request.
type asked struct {
	Model    string `json:"model"`
	Messages []struct {
		Content string `json:"content"`
	} `json:"messages"`
	ResponseFormat struct {
		JSONSchema struct {
			Schema schema `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (j *judge) answer(w http.ResponseWriter, r *http.Request) {
	if j.down(time.Now()) {
		http.Error(w, `{"error":{"message":"the model is being loaded"}}`, http.StatusServiceUnavailable)
		return
	}
	var a asked
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 8<<20)).Decode(&a); err != nil {
		http.Error(w, `{"error":{"message":"not a request"}}`, http.StatusBadRequest)
		return
	}
	var text strings.Builder
	for _, m := range a.Messages {
		text.WriteString(m.Content)
	}
	content, err := json.Marshal(a.ResponseFormat.JSONSchema.Schema.fill(isBad(text.String())))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": fmt.Sprintf("judged-%d", time.Now().UnixNano()), "object": "chat.completion", "model": a.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": string(content)}}},
		"usage":   map[string]any{"prompt_tokens": text.Len()/4 + 1, "completion_tokens": len(content)/4 + 1},
	})
}

// schema is as much of a JSON schema as judges are asked with.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
}

// fill makes a value that fits: what is true of a good text is false of a bad
// one.
func (s schema) fill(bad bool) any {
	switch {
	case len(s.Enum) > 0 && bad:
		return s.Enum[len(s.Enum)-1]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "object":
		object := map[string]any{}
		for member, of := range s.Properties {
			object[member] = of.fill(bad)
		}
		return object
	case s.Type == "array" && s.Items != nil:
		return []any{s.Items.fill(bad)}
	case s.Type == "boolean":
		return !bad
	case s.Type == "integer", s.Type == "number":
		return map[bool]int{false: 1, true: 0}[bad]
	case bad:
		return "The answer talks about something else and leaves the question open."
	}
	return "The answer says what was asked, in a way that one can act on."
}
