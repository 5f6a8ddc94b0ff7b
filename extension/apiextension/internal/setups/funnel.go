// SPDX-License-Identifier: Apache-2.0

package setups

import (
	"fmt"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/selection"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a funnel.
const (
	maxFunnelSpans = 10_000
	maxFunnelTime  = 10 * time.Second
)

// funnelAnswer tells how many spans of a period pass the rules of a setup one
// after the other.
type funnelAnswer struct {
	ID         string `json:"id"`
	ExternalID string `json:"external_id"`
	From       int64  `json:"from_timestamp_sec"`
	To         int64  `json:"to_timestamp_sec"`

	RestsOn   selection.Basis `json:"rests_on"`
	Spans     int64           `json:"spans"`
	Matched   int64           `json:"matched"`
	Truncated bool            `json:"truncated"`
	Rules     []passedAnswer  `json:"rules"`
	// StopsAt is the first rule, counted from 1, that no span passes; absent where
	// some span passes all, and where there are no spans.
	StopsAt  int                      `json:"stops_at,omitempty"`
	Example  *selection.FindingAnswer `json:"example,omitempty"` // what that rule found of one span
	Sentence string                   `json:"sentence"`
}

// passedAnswer is a rule and how many spans pass it and those before it.
type passedAnswer struct {
	selection.RuleAnswer
	Passed int64 `json:"passed"`
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
	f := selection.Funnel{
		Selector: s.Selector, From: from, To: to,
		MaxSpans: maxFunnelSpans, Until: a.Now().Add(min(maxFunnelTime, a.Timeout/2)), Now: a.Now,
	}
	if err := f.Count(r.Context(), a.Records, env); err != nil {
		return rest.Response{}, err
	}
	shown := &funnelAnswer{
		ID: s.ID, ExternalID: s.ExternalID, From: rest.WholeSeconds(from), To: rest.WholeSeconds(to),
		RestsOn: f.Basis, Spans: f.Spans, Matched: f.Spans, Truncated: f.Truncated, Rules: make([]passedAnswer, len(s.Selector)),
	}
	for i := range s.Selector {
		shown.Rules[i] = passedAnswer{selection.ShowRule(&s.Selector[i]), f.Passed[i]}
		shown.Matched = f.Passed[i]
	}
	stop, stopped := f.Stop()
	if stopped {
		shown.StopsAt, shown.Example = stop+1, f.Lost(stop)
	}
	shown.Sentence = shown.say()
	return rest.OK(shown), nil
}

func (f *funnelAnswer) say() string {
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
