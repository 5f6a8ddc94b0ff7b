// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// DeadSetup is about a setup that matched nothing while many spans came.
type DeadSetup struct {
	Since    string         `json:"since" doc:"Since when nothing matched: the last match or change of the setup, whichever is later." schema:"format=date-time"`
	Spans    int64          `json:"spans" doc:"Spans of the environment that came since, of the latest 1,000."`
	StopsAt  int            `json:"stops_at,omitempty" doc:"The first rule, counted from 1, that none of the latest spans passes." schema:"minimum=1"`
	Example  *FindingAnswer `json:"example,omitempty"`
	Sentence string         `json:"sentence" doc:"The same in a sentence."`
}

// dead returns what there is to say of a setup that is dead, nil of another. A setup
// that worked for long is dead when no span matches any more, say since an SDK
// renamed its attributes.
func (a *API) dead(ctx context.Context, env tenant.Environment, s *monitor.Setup, counts []store.EvaluationCount) (*DeadSetup, error) {
	if s.Status == monitor.Pending || s.Status == monitor.InProgress || s.Paused {
		return nil, nil //nolint:nilnil // it is not dead
	}
	since := s.UpdatedAt.UnixNano()
	for i := range counts {
		since = max(since, counts[i].Last)
	}
	// As long as the request may take, but for what is left to answer.
	until, _ := ctx.Deadline()
	f := RuleFunnel{
		Selector: s.Selector, From: since, To: math.MaxInt64, Arrived: true, MaxSpans: monitor.DeadAfter, Until: until.Add(-a.Timeout / 8), Now: a.Now,
	}
	if err := f.Look(ctx, a.Records, env); err != nil || f.Spans < monitor.DeadAfter {
		return nil, err
	}
	stop, stopped := f.Stop()
	if !stopped { // one that matches has just come
		return nil, nil //nolint:nilnil // as above
	}
	shown := &DeadSetup{Since: rest.Time(time.Unix(0, since)), Spans: f.Spans, StopsAt: stop + 1, Example: f.Lost(stop)}
	shown.Sentence = fmt.Sprintf("none of %d spans matched since %s", shown.Spans, shown.Since)
	if f.Truncated {
		shown.Sentence = fmt.Sprintf("none of the latest %d spans matched, nor any since %s", shown.Spans, shown.Since)
	}
	if shown.Example != nil {
		shown.Sentence += ": " + shown.Example.Sentence(shown.StopsAt)
	}
	return shown, nil
}
