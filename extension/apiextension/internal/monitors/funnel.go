// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"fmt"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a funnel.
const (
	maxFunnelSpans = 10_000
	maxFunnelTime  = 10 * time.Second
)

// Funnel tells how many spans of a period pass the rules of a setup one
// after the other.
type Funnel struct {
	ID         string `json:"id" doc:"The setup."`
	ExternalID string `json:"external_id" doc:"Its name."`
	From       int64  `json:"from_timestamp_sec" doc:"The beginning of the period, Unix seconds."`
	To         int64  `json:"to_timestamp_sec" doc:"Its end."`

	RestsOn   Basis          `json:"rests_on" doc:"What the figures rest on: totals of all spans of the period, or spans that were looked at one by one, the latest first. Rules on aliases, messages and verdicts are not counted by the store." enum:"totals,spans"`
	Spans     int64          `json:"spans" doc:"The spans that the figures are about."`
	Matched   int64          `json:"matched" doc:"Those that pass all rules."`
	Truncated bool           `json:"truncated" doc:"Whether the period has more spans than that."`
	Rules     []FunnelRule   `json:"rules" doc:"The rules in their order."`
	StopsAt   int            `json:"stops_at,omitempty" doc:"The first rule, counted from 1, that no span passes; absent where there is none." schema:"minimum=1"`
	Example   *FindingAnswer `json:"example,omitempty"` // what that rule found of one span
	Sentence  string         `json:"sentence" doc:"The same in a sentence."`
}

// FunnelRule is a rule and how many spans pass it and those before it.
type FunnelRule struct {
	RuleAnswer
	Passed int64 `json:"passed" doc:"Spans that pass this rule and those before it."`
}

// funnel answers how many spans pass the rules of a setup.
func (a *API) funnel(r *http.Request, env tenant.Environment) (rest.Response, error) {
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	from, to, err := rest.QueryPeriod(values).Bounds(a.Now().UnixNano())
	if err != nil {
		return rest.Response{}, err
	}
	f := RuleFunnel{
		Selector: s.Selector, From: from, To: to,
		MaxSpans: maxFunnelSpans, Until: a.Now().Add(min(maxFunnelTime, a.Timeout/2)), Now: a.Now,
	}
	if err := f.Count(r.Context(), a.Records, env); err != nil {
		return rest.Response{}, err
	}
	shown := &Funnel{
		ID: s.ID, ExternalID: s.ExternalID, From: rest.WholeSeconds(from), To: rest.WholeSeconds(to),
		RestsOn: f.Basis, Spans: f.Spans, Matched: f.Spans, Truncated: f.Truncated, Rules: make([]FunnelRule, len(s.Selector)),
	}
	for i := range s.Selector {
		shown.Rules[i] = FunnelRule{ShowRule(&s.Selector[i]), f.Passed[i]}
		shown.Matched = f.Passed[i]
	}
	stop, stopped := f.Stop()
	if stopped {
		shown.StopsAt, shown.Example = stop+1, f.Lost(stop)
	}
	shown.Sentence = shown.say()
	return rest.OK(shown), nil
}

func (f *Funnel) say() string {
	text := fmt.Sprintf("%d of %d spans pass all rules", f.Matched, f.Spans)
	if f.Truncated {
		text = fmt.Sprintf("%d of the latest %d spans pass all rules", f.Matched, f.Spans)
	}
	switch {
	case f.StopsAt == 0:
		return text
	case f.Example == nil:
		return fmt.Sprintf("%s: none passes rule %d", text, f.StopsAt)
	}
	return fmt.Sprintf("%s: none passes rule %d. An example: %s", text, f.StopsAt, f.Example.Sentence(f.StopsAt))
}
