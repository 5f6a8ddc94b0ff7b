// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// The period that setups are counted over: the hour that is under way and those
// before it.
const (
	step  = time.Hour
	steps = 24
)

// Setups is the part of store.Control that is needed here, under the contract of its
// collection.
type Setups interface {
	List(ctx context.Context, env tenant.EnvironmentID) ([]monitor.Setup, error)
}

// setupsAnswer are the figures of all setups, over spans that started since From.
type setupsAnswer struct {
	From int64 `json:"from_timestamp_sec"`
	Step int64 `json:"step_sec"`
	// Times are when the steps begin, in Unix seconds.
	Times  []int64       `json:"times"`
	Setups []setupAnswer `json:"setups"`
}

// setupAnswer is what became of the spans that one setup matched.
type setupAnswer struct {
	ID         string         `json:"id"`
	ExternalID string         `json:"external_id"`
	Status     monitor.Status `json:"status"`
	Paused     bool           `json:"paused,omitempty"`

	Spans     int64                       `json:"spans"`
	ByStatus  map[eval.Status]countAnswer `json:"by_status"`
	Against   int64                       `json:"against"` // spans
	Cost      float64                     `json:"cost"`
	LastRun   string                      `json:"last_run,omitempty"`
	Owed      countAnswer                 `json:"owed"` // whenever the spans started
	OwedSince string                      `json:"owed_since,omitempty"`

	SpentToday    float64 `json:"spent_today"`
	MaxCostPerDay float64 `json:"max_cost_per_day,omitempty"`

	Series seriesAnswer `json:"series"`
}

// countAnswer counts evaluations, and the spans that have one of them.
type countAnswer struct {
	Evaluations int64 `json:"evaluations"`
	Spans       int64 `json:"spans"`
}

// seriesAnswer has a number for each step.
type seriesAnswer struct {
	Spans []int64   `json:"spans"`
	Cost  []float64 `json:"cost"`
}

// setups answers the figures of all setups at once.
func (a *API) setups(r *http.Request, env tenant.Environment) (rest.Response, error) {
	list, err := a.Setups.List(r.Context(), env.ID)
	if err != nil {
		return rest.Response{}, err
	}
	now := a.Now()
	from := now.UTC().Truncate(step).Add(-(steps - 1) * step)
	figures, err := store.ReadSetupFigures(r.Context(), a.Records, env, from.UnixNano(), from.Add(steps*step).UnixNano()-1, step, store.Midnight(now))
	if err != nil {
		return rest.Response{}, err
	}
	shown := setupsAnswer{From: from.Unix(), Step: int64(step / time.Second), Times: make([]int64, steps), Setups: make([]setupAnswer, len(list))}
	for i := range shown.Times {
		shown.Times[i] = shown.From + int64(i)*shown.Step
	}
	for i := range list {
		shown.Setups[i] = showSetup(&list[i], figures[list[i].ID], from)
	}
	return rest.OK(shown), nil
}

// showSetup shows a setup with its figures, nil where there are none.
func showSetup(s *monitor.Setup, f *store.SetupFigures, from time.Time) setupAnswer {
	shown := setupAnswer{
		ID: s.ID, ExternalID: s.ExternalID, Status: s.Status, Paused: s.Paused, MaxCostPerDay: s.MaxCostPerDay,
		ByStatus: map[eval.Status]countAnswer{eval.Done: {}, eval.Deferred: {}, eval.Skipped: {}, eval.Failed: {}},
		Series:   seriesAnswer{Spans: make([]int64, steps), Cost: make([]float64, steps)},
	}
	if f == nil {
		return shown
	}
	for _, x := range f.Steps {
		at := int((x.Time - from.UnixNano()) / int64(step))
		shown.Series.Spans[at], shown.Series.Cost[at] = x.Spans, x.Cost
		shown.Spans += x.Spans
		shown.Cost += x.Cost
	}
	for status, n := range f.Ended {
		shown.ByStatus[status] = countAnswer(n)
	}
	shown.Owed, shown.Against, shown.SpentToday = countAnswer(f.Owed), f.Against, f.Spent
	shown.LastRun, shown.OwedSince = rest.NanosIfAny(f.LastRun), rest.NanosIfAny(f.OwedSince)
	return shown
}
