// SPDX-License-Identifier: Apache-2.0

package genaitest

import (
	"encoding/json"
	"fmt"
	"path"
	"testing"
)

// Expected is what becomes of one recorded span. Of the spans whose messages
// were recorded as logs it has the messages too.
type Expected struct {
	SpanID        string            `json:"span_id"`
	Name          string            `json:"span_name"`
	Kind          string            `json:"span_kind"`
	StatusCode    string            `json:"status_code"`
	StatusMessage string            `json:"status_message"`
	TraceState    string            `json:"trace_state"`
	ScopeName     string            `json:"scope_name"`
	ScopeVersion  string            `json:"scope_version"`
	Service       string            `json:"service_name"`
	Prompts       map[string]string `json:"prompts"`
	Completions   map[string]string `json:"completions"`
	Input         string            `json:"input"`
	Output        string            `json:"output"`
	// Derived are the llm.* aliases among the span's attributes, all of them.
	Derived  map[string]string `json:"derived_span_attributes"`
	Workflow string            `json:"workflow_name"`
	Entity   string            `json:"entity_name"`
	Logprobs string            `json:"logprobs_event"`
}

// LoadExpected gives, by file, what becomes of its spans, in the order sent.
func LoadExpected() (map[string][]Expected, error) {
	data, err := files.ReadFile(path.Join(dir, "expected.json"))
	if err != nil {
		return nil, err
	}
	var all map[string][]Expected
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("expected spans: %w", err)
	}
	return all, nil
}

// ExpectedSpans is LoadExpected for tests.
func ExpectedSpans(t testing.TB) map[string][]Expected {
	t.Helper()
	all, err := LoadExpected()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
