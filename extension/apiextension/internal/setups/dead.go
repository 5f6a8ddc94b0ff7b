// SPDX-License-Identifier: Apache-2.0

package setups

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/selection"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// deadSample is how many of the latest spans are looked at to tell why a setup
// is dead.
const deadSample = 1000

// deadAnswer is about a setup that matched nothing while many spans came.
type deadAnswer struct {
	Since string `json:"since"` // when it was checked last
	Spans int64  `json:"spans"` // of the environment that started since
	// StopsAt is the first rule, counted from 1, that none of the latest spans
	// passes; Example what it found of one of them.
	StopsAt  int                      `json:"stops_at,omitempty"`
	Example  *selection.FindingAnswer `json:"example,omitempty"`
	Sentence string                   `json:"sentence"`
}

// dead returns what there is to say of a setup that is dead, nil of another. A
// setup moves when it was checked, and next when enough spans have matched.
func (a *API) dead(ctx context.Context, env tenant.Environment, s *monitor.Setup, counts []store.EvaluationCount) (*deadAnswer, error) {
	if s.Status != monitor.WaitingForSpans || s.Paused {
		return nil, nil //nolint:nilnil // it is not dead
	}
	since := s.UpdatedAt.UnixNano()
	for i := range counts {
		if counts[i].Last >= since { // some matched, though fewer than min_spans
			return nil, nil //nolint:nilnil // as above
		}
	}
	period := query.Query{From: since, To: math.MaxInt64, Total: true, Order: query.Order{By: query.SortTimestamp}}
	page, err := a.Records.Search(ctx, env, period)
	if err != nil || page.Total < monitor.DeadAfter {
		return nil, err
	}
	f := selection.Funnel{Selector: s.Selector, From: since, To: math.MaxInt64, MaxSpans: deadSample, Until: a.Now().Add(a.Timeout / 4), Now: a.Now}
	if err := f.Look(ctx, a.Records, env); err != nil {
		return nil, err
	}
	stop, stopped := f.Stop()
	if !stopped { // one that matches has just come
		return nil, nil //nolint:nilnil // as above
	}
	shown := &deadAnswer{Since: rest.Time(time.Unix(0, since)), Spans: page.Total, StopsAt: stop + 1, Example: f.Lost(stop)}
	shown.Sentence = fmt.Sprintf("none of %d spans matched since %s", shown.Spans, shown.Since)
	if shown.Example != nil {
		shown.Sentence += ": " + shown.Example.Sentence(shown.StopsAt)
	}
	return shown, nil
}
