// SPDX-License-Identifier: Apache-2.0

package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Request is one request that arrived.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
	At     time.Time

	closed <-chan struct{}
}

// Message is one message of a chat request.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Chat is the body of a chat request, as far as tests look at it.
type Chat struct {
	Model               string    `json:"model"`
	Messages            []Message `json:"messages"`
	Temperature         *float64  `json:"temperature"`
	TopP                *float64  `json:"top_p"`
	Seed                *int64    `json:"seed"`
	MaxTokens           int64     `json:"max_tokens"`
	MaxCompletionTokens int64     `json:"max_completion_tokens"`
	LogProbs            bool      `json:"logprobs"`
	Stop                []string  `json:"stop"`
	ResponseFormat      struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// Chat decodes the body of a chat request; what is none is empty.
func (r Request) Chat() Chat {
	var c Chat
	if err := json.Unmarshal(r.Body, &c); err != nil {
		return Chat{}
	}
	return c
}

// System is the system message, "" if there is none.
func (r Request) System() string {
	for _, m := range r.Chat().Messages {
		if m.Role == "system" {
			return m.Content
		}
	}
	return ""
}

// Data is the part of the data that has the name, read as the prompt instructs a judge:
// between the delimiters with the boundary that the first line of the data gives.
func (r Request) Data(name string) (string, bool) {
	boundary := r.Boundary()
	if boundary == "" {
		return "", false
	}
	for _, m := range r.Chat().Messages {
		_, after, found := strings.Cut(m.Content, fmt.Sprintf("[data %s %q]\n", boundary, name))
		if m.Role != "user" || !found {
			continue
		}
		text, _, closed := strings.Cut(after, "\n[end of data "+boundary+"]")
		return text, closed
	}
	return "", false
}

// Boundary is that of the delimiters, "" without data.
func (r Request) Boundary() string {
	for _, m := range r.Chat().Messages {
		if found := dataBoundary.FindStringSubmatch(m.Content); m.Role == "user" && found != nil {
			return found[1]
		}
	}
	return ""
}

var dataBoundary = regexp.MustCompile(`\AThe boundary is ([0-9a-f]{32})\.\n`)
