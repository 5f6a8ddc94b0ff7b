// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Call sends a request to the API, with body as JSON unless it is nil, and
// gives the status and the answer's body.
func (c *Collector) Call(ctx context.Context, method, path, credential string, body any) (int, []byte, error) {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.API+path, payload)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+credential)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// Ask is Call for a request that is meant to succeed; it decodes the answer.
func Ask[T any](ctx context.Context, c *Collector, method, path, credential string, body any) (answer T, err error) {
	status, b, err := c.Call(ctx, method, path, credential, body)
	if err != nil {
		return answer, err
	}
	if status >= http.StatusMultipleChoices {
		return answer, fmt.Errorf("%s %s: %d: %s", method, path, status, b)
	}
	if len(b) > 0 {
		err = json.Unmarshal(b, &answer)
	}
	return answer, err
}

// Keys makes an organization and gives the API keys of its environments, in
// their order; without environments there is one, prd.
func (c *Collector) Keys(ctx context.Context, name string, environments ...string) ([]string, error) {
	body := map[string]any{"org_name": name}
	if len(environments) > 0 {
		body["envs"] = environments
	}
	made, err := Ask[struct {
		Environments []struct {
			APIKey string `json:"api_key"`
		} `json:"environments"`
	}](ctx, c, http.MethodPost, "/v2/organizations", AccessToken, body)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(made.Environments))
	for _, e := range made.Environments {
		keys = append(keys, e.APIKey)
	}
	return keys, nil
}

// Page is what GET /v2/warehouse/spans answers.
type Page struct {
	Spans struct {
		Data         []Span `json:"data"`
		PageSize     int    `json:"page_size"`
		TotalResults int64  `json:"total_results"`
		NextCursor   string `json:"next_cursor"`
	} `json:"spans"`
}

// Span is one span of a Page.
type Span struct {
	Environment    string            `json:"environment"`
	Timestamp      int64             `json:"timestamp"`
	TraceID        string            `json:"trace_id"`
	SpanID         string            `json:"span_id"`
	ParentSpanID   string            `json:"parent_span_id"`
	TraceState     string            `json:"trace_state"`
	Name           string            `json:"span_name"`
	Kind           string            `json:"span_kind"`
	Service        string            `json:"service_name"`
	Resource       map[string]string `json:"resource_attributes"`
	ScopeName      string            `json:"scope_name"`
	ScopeVersion   string            `json:"scope_version"`
	SpanAttributes map[string]string `json:"span_attributes"`
	Duration       int64             `json:"duration"`
	StatusCode     string            `json:"status_code"`
	StatusMessage  string            `json:"status_message"`
	Prompts        map[string]string `json:"prompts"`
	Completions    map[string]string `json:"completions"`
	Input          string            `json:"input"`
	Output         string            `json:"output"`
}

// Loaded reports whether the evaluators of a setup were checked, which they are once they
// have loaded what they need.
func (c *Collector) Loaded(ctx context.Context, key, externalID string) (bool, error) {
	s, err := Ask[struct{ Status string }](ctx, c, http.MethodGet, "/v2/auto-monitor-setups/"+url.PathEscape(externalID), key, nil)
	return err == nil && s.Status != "pending" && s.Status != "in_progress", err
}
