// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Trend asks how the verdicts of an output went.
type Trend struct {
	Period
	Evaluator string `json:"evaluator" jsonschema:"its name, such as pii-detector"`
	Output    string `json:"output" jsonschema:"the output to look at, such as has_pii"`
	Steps     int    `json:"steps,omitempty" jsonschema:"how many steps the period is cut into, 1 to 48; default 24"`
}

// Trended are the verdicts of a period, step by step.
type Trended struct {
	Metric string `json:"metric"`
	Steps  []Step `json:"steps"`
}

// Step is one part of a period. What is worked out rests on the newest Sampled
// of its Verdicts.
type Step struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	Verdicts int64    `json:"verdicts"`
	Sampled  int      `json:"sampled"`
	True     *float64 `json:"share_true,omitempty"`
	Mean     *float64 `json:"mean,omitempty"`
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	// Values are the shares of texts, the most frequent ten.
	Values map[string]float64 `json:"values,omitempty"`
}

const (
	maxSteps  = 48
	maxSample = 1000
)

func (t *tools) verdictTrend(ctx context.Context, r *mcp.CallToolRequest, of Trend) (*mcp.CallToolResult, Trended, error) {
	now := time.Now()
	from, err := of.from(now)
	if err != nil {
		return nil, Trended{}, err
	}
	if of.Steps == 0 {
		of.Steps = 24
	}
	if of.Steps < 1 || of.Steps > maxSteps {
		return nil, Trended{}, errors.New("steps must be 1 to 48")
	}
	if of.Evaluator == "" || of.Output == "" {
		return nil, Trended{}, errors.New("evaluator and output are required")
	}
	trended := Trended{Metric: of.Evaluator + "." + of.Output}
	// Whole seconds, which is what the API takes, and up to the one under way.
	from = from.Truncate(time.Second)
	length := (now.Sub(from)/time.Duration(of.Steps) + time.Second).Truncate(time.Second)
	for begin := from; !begin.After(now); begin = begin.Add(length) {
		step, err := t.step(ctx, r, trended.Metric, begin, begin.Add(length))
		if err != nil {
			return nil, Trended{}, err
		}
		trended.Steps = append(trended.Steps, step)
	}
	return nil, trended, nil
}

// step asks for the verdicts on spans that started from a time on and before
// another.
func (t *tools) step(ctx context.Context, r *mcp.CallToolRequest, metric string, from, to time.Time) (Step, error) {
	step := Step{From: from.UTC().Format(time.RFC3339), To: to.UTC().Format(time.RFC3339)}
	body := anything{
		"metric_name": metric, "from_timestamp_sec": from.Unix(), "to_timestamp_sec": to.Unix() - 1,
		"sort_by": "timestamp", "sort_order": "DESC", "limit": maxSample,
	}
	var page struct {
		Metrics struct {
			Data []struct {
				Points []struct {
					Numeric *float64 `json:"numeric_value"`
					Bool    *bool    `json:"bool_value"`
					Enum    *string  `json:"enum_value"`
				} `json:"points"`
			} `json:"data"`
			TotalResults int64 `json:"total_results"`
		} `json:"metrics"`
	}
	if err := call(ctx, t.api, header(r), http.MethodPost, "/v2/metrics", nil, body).decode(&page); err != nil {
		return Step{}, err
	}
	step.Verdicts = page.Metrics.TotalResults
	var s sums
	for _, m := range page.Metrics.Data {
		for _, p := range m.Points {
			step.Sampled++
			switch {
			case p.Bool != nil:
				s.boolean(*p.Bool)
			case p.Numeric != nil:
				s.number(*p.Numeric)
			case p.Enum != nil:
				s.text(*p.Enum)
			}
		}
	}
	s.into(&step)
	return step, nil
}
