// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of an explanation.
const (
	maxSetups     = 30
	maxRules      = 3 // of a setup
	maxEvaluators = 10
	maxOpinions   = 20
)

// Explain names a span, and perhaps the setup that is meant.
type Explain struct {
	Span
	Setup string `json:"setup,omitempty" jsonschema:"the id or external_id of one setup; all of them without it"`
}

// Explained is why a span was judged or not.
type Explained struct {
	Notice     string         `json:"notice"`
	OwnTraffic bool           `json:"own_traffic,omitempty"`
	Sentence   string         `json:"sentence"`
	Setups     []ShownSetup   `json:"setups"`
	Opinions   []ShownOpinion `json:"opinions,omitempty"`
	// LeftOut says what the answer does not have.
	LeftOut string `json:"left_out,omitempty"`
}

// ShownSetup is a setup with the rules that do not hold, and what became of its
// evaluators.
type ShownSetup struct {
	Setup      string            `json:"setup"`
	Status     string            `json:"status,omitempty"`
	Deleted    bool              `json:"deleted,omitempty"`
	Paused     bool              `json:"paused,omitempty"`
	Matched    bool              `json:"matched"`
	Failing    []ShownRule       `json:"failing_rules,omitempty"`
	Evaluators []ShownEvaluator  `json:"evaluators,omitempty"`
	Texts      map[string]string `json:"untrusted_text,omitempty"`
}

// ShownRule is a rule that does not hold.
type ShownRule struct {
	Key      string            `json:"key"`
	Source   string            `json:"source"`
	Operator string            `json:"operator"`
	Wanted   []string          `json:"wanted"`
	Present  bool              `json:"present"`
	Texts    map[string]string `json:"untrusted_text,omitempty"`
}

// ShownEvaluator is what became of an evaluator.
type ShownEvaluator struct {
	Evaluator string            `json:"evaluator"`
	Status    string            `json:"status"`
	Texts     map[string]string `json:"untrusted_text,omitempty"` // what a model answered may be in it
}

// ShownOpinion is a verdict that an SDK or a person gave.
type ShownOpinion struct {
	Source string            `json:"source"`
	Status string            `json:"status"`
	Texts  map[string]string `json:"untrusted_text,omitempty"`
}

// apiExplanation is what is read of an explanation of the API.
type apiExplanation struct {
	OwnTraffic bool   `json:"own_traffic"`
	Sentence   string `json:"sentence"`
	Truncated  bool   `json:"truncated"`
	Setups     []struct {
		SetupID    string `json:"setup_id"`
		ExternalID string `json:"external_id"`
		Status     string `json:"status"`
		Deleted    bool   `json:"deleted"`
		Paused     bool   `json:"paused"`
		Matched    bool   `json:"matched"`
		Sentence   string `json:"sentence"`
		Rules      []struct {
			Key      string   `json:"key"`
			Source   string   `json:"source"`
			Operator string   `json:"operator"`
			Wanted   []string `json:"wanted"`
			Actual   string   `json:"actual"`
			Present  bool     `json:"present"`
			Holds    bool     `json:"holds"`
			Hint     string   `json:"hint"`
		} `json:"rules"`
		Evaluators []struct {
			EvaluatorType string `json:"evaluator_type"`
			Status        string `json:"status"`
			Sentence      string `json:"sentence"`
		} `json:"evaluators"`
	} `json:"setups"`
	Opinions []struct {
		Source   string `json:"source"`
		Name     string `json:"name"`
		By       string `json:"by"`
		Status   string `json:"status"`
		Sentence string `json:"sentence"`
	} `json:"opinions"`
}

func (t *tools) explainSpan(ctx context.Context, r *mcp.CallToolRequest, of Explain) (*mcp.CallToolResult, Explained, error) {
	q := url.Values{}
	if of.Setup != "" {
		q.Set("setup", of.Setup)
	}
	trace, err := segment("trace_id", of.TraceID)
	if err != nil {
		return nil, Explained{}, err
	}
	span, err := segment("span_id", of.SpanID)
	if err != nil {
		return nil, Explained{}, err
	}
	var told apiExplanation
	if err := t.get(ctx, r, "/v2/warehouse/spans/"+trace+"/"+span+"/explain", q, &told); err != nil {
		return nil, Explained{}, err
	}
	return nil, told.show(), nil
}

func (x *apiExplanation) show() Explained {
	out := Explained{Notice: notice, OwnTraffic: x.OwnTraffic, Sentence: x.Sentence, Setups: []ShownSetup{}}
	for i := range x.Setups[:min(len(x.Setups), maxSetups)] {
		out.Setups = append(out.Setups, x.setup(i))
	}
	for _, o := range x.Opinions[:min(len(x.Opinions), maxOpinions)] {
		out.Opinions = append(out.Opinions, ShownOpinion{
			Source: o.Source, Status: o.Status, Texts: texts("name", o.Name, "by", o.By, "why", o.Sentence),
		})
	}
	if setups, opinions := len(x.Setups)-len(out.Setups), len(x.Opinions)-len(out.Opinions); setups+opinions > 0 || x.Truncated {
		out.LeftOut = fmt.Sprintf("%d setups and %d opinions of others", setups, opinions)
		if x.Truncated {
			out.LeftOut += ", and all setups beyond the first 200"
		}
		out.LeftOut += ": name one with setup"
	}
	return out
}

// setup shows one setup: rules that hold say nothing of why.
func (x *apiExplanation) setup(i int) ShownSetup {
	s := &x.Setups[i]
	out := ShownSetup{
		Setup: cut(cmp.Or(s.ExternalID, s.SetupID)), Status: s.Status, Deleted: s.Deleted, Paused: s.Paused, Matched: s.Matched,
		Texts: texts("why", s.Sentence),
	}
	for _, f := range s.Rules {
		if f.Holds || len(out.Failing) == maxRules {
			continue
		}
		out.Failing = append(out.Failing, ShownRule{
			Key: f.Key, Source: f.Source, Operator: f.Operator, Wanted: f.Wanted[:min(len(f.Wanted), maxRules)], Present: f.Present,
			Texts: texts("actual", f.Actual, "hint", f.Hint),
		})
	}
	for _, e := range s.Evaluators[:min(len(s.Evaluators), maxEvaluators)] {
		out.Evaluators = append(out.Evaluators, ShownEvaluator{Evaluator: e.EvaluatorType, Status: e.Status, Texts: texts("why", e.Sentence)})
	}
	return out
}

// texts returns names and the beginnings of what they are of, without those that
// are empty.
func texts(pairs ...string) map[string]string {
	out := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		if name, text := pair[0], pair[1]; text != "" {
			out[name] = cut(text)
		}
	}
	return out
}
