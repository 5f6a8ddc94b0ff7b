// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools are what an agent can call.
type tools struct{ api http.Handler }

func (t *tools) addTo(s *mcp.Server) {
	reading := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	mcp.AddTool(s, &mcp.Tool{
		Name: "find_spans", Annotations: reading,
		Description: "Find spans by their fields, attributes and verdicts, the newest first unless sorted otherwise.",
	}, t.findSpans)
	mcp.AddTool(s, &mcp.Tool{
		Name: "get_trace", Annotations: reading,
		Description: "All spans of one trace in the order of their start, with verdicts and the beginning of their texts.",
	}, t.getTrace)
	mcp.AddTool(s, &mcp.Tool{
		Name: "explain_span", Annotations: reading,
		Description: "For each auto monitor setup, or one: why it judged a span, or why not, with the rules that fail.",
	}, t.explainSpan)
	mcp.AddTool(s, &mcp.Tool{
		Name: "verdict_trend", Annotations: reading,
		Description: "How the verdicts of one output of an evaluator went over time, in steps: counts, and the share of true or the mean.",
	}, t.verdictTrend)
	mcp.AddTool(s, &mcp.Tool{
		Name: "list_setups", Annotations: reading,
		Description: "The auto monitor setups of the environment: which evaluators run on which spans, and how far each got.",
	}, t.listSetups)
	mcp.AddTool(s, &mcp.Tool{
		Name: "preview_setup", Annotations: reading,
		Description: "What a setup would see on spans that are stored. Nothing is judged and nothing is kept.",
	}, t.previewSetup)
	mcp.AddTool(s, &mcp.Tool{
		Name: "run_evaluator", Annotations: &mcp.ToolAnnotations{DestructiveHint: new(bool)},
		Description: "Run an evaluator on texts. Nothing is stored; one that asks a model costs money, so the key must be allowed to write.",
	}, t.runEvaluator)
}

// header returns the headers of the HTTP request that a call came with.
func header(r *mcp.CallToolRequest) http.Header {
	if r.Extra == nil {
		return nil
	}
	return r.Extra.Header
}

// get asks the API for a path and decodes its answer.
func (t *tools) get(ctx context.Context, r *mcp.CallToolRequest, path string, query url.Values, v any) error {
	return call(ctx, t.api, header(r), http.MethodGet, path, query, nil).decode(v)
}

// Period is how far back a tool looks.
type Period struct {
	SinceHours float64 `json:"since_hours,omitempty" jsonschema:"how many hours to look back; default 24"`
}

// maxHours is as far as one can look back.
const maxHours = 24 * 366

func (p Period) from(now time.Time) (time.Time, error) {
	hours := p.SinceHours
	if hours == 0 {
		hours = 24
	}
	if hours < 0 || hours > maxHours {
		return time.Time{}, errors.New("since_hours must be above 0 and at most 8784")
	}
	return now.Add(-time.Duration(hours * float64(time.Hour))), nil
}

func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// Span names one span.
type Span struct {
	TraceID string `json:"trace_id" jsonschema:"32 hexadecimal digits"`
	SpanID  string `json:"span_id" jsonschema:"16 hexadecimal digits"`
}

// anything is an answer of the API as it is.
type anything = map[string]any

func (t *tools) listSetups(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, anything, error) {
	var all []anything
	if err := t.get(ctx, r, "/v2/auto-monitor-setups", nil, &all); err != nil {
		return nil, nil, err
	}
	for _, s := range all { // schemas of inputs are long, and the same for all
		list, _ := s["evaluators"].([]any)
		for _, e := range list {
			if e, ok := e.(anything); ok {
				delete(e, "input_schema")
				delete(e, "output_schema")
			}
		}
	}
	const most = 200
	return nil, anything{"total": len(all), "setups": all[:min(len(all), most)]}, nil
}

// Preview is a setup to try.
type Preview struct {
	Period
	Selector   []anything `json:"selector" jsonschema:"rules that must all hold: {key, source: span_attributes or resource_attributes, operator, value}"`
	Evaluators []string   `json:"evaluators,omitempty" jsonschema:"names of evaluators; without any only what the selector matches is shown"`
	Limit      int        `json:"limit,omitempty" jsonschema:"how many samples to show, 1 to 10; default 3"`
}

func (t *tools) previewSetup(ctx context.Context, r *mcp.CallToolRequest, p Preview) (*mcp.CallToolResult, anything, error) {
	from, err := p.from(time.Now())
	if err != nil {
		return nil, nil, err
	}
	if p.Limit == 0 {
		p.Limit = 3
	}
	if p.Limit < 1 || p.Limit > 10 {
		return nil, nil, errors.New("limit must be 1 to 10")
	}
	body := anything{"from_timestamp_sec": from.Unix(), "limit": p.Limit, "selector": append([]anything{}, p.Selector...), "evaluators": append([]string{}, p.Evaluators...)}
	var told anything
	if err := call(ctx, t.api, header(r), http.MethodPost, "/v2/auto-monitor-setups/preview", nil, body).decode(&told); err != nil {
		return nil, nil, err
	}
	told["notice"] = notice
	return nil, told, nil
}

// Execution is an evaluator and what it is to judge.
type Execution struct {
	Evaluator string            `json:"evaluator" jsonschema:"its name, such as word-count"`
	Input     map[string]string `json:"input" jsonschema:"its inputs by name, such as text"`
	Config    anything          `json:"config,omitempty" jsonschema:"its configuration"`
}

func (t *tools) runEvaluator(ctx context.Context, r *mcp.CallToolRequest, x Execution) (*mcp.CallToolResult, anything, error) {
	name, err := segment("evaluator", x.Evaluator)
	if err != nil {
		return nil, nil, err
	}
	body := anything{"input": x.Input}
	if x.Config != nil {
		body["config"] = x.Config
	}
	got := call(ctx, t.api, header(r), http.MethodPost, "/v2/evaluators/"+name+"/execute", nil, body)
	var told json.RawMessage
	if err := got.decode(&told); err != nil {
		return nil, nil, err
	}
	return nil, anything{"result": told, "backend": got.header.Get("X-Evaluator-Backend")}, nil
}
