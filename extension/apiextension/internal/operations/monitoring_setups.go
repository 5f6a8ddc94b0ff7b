// SPDX-License-Identifier: Apache-2.0

package operations

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

// MonitoredSetups are the figures of all setups, over spans that started since From.
type MonitoredSetups struct {
	From   int64          `json:"from_timestamp_sec" doc:"When the period begins, Unix seconds; it lasts until now."`
	Step   int64          `json:"step_sec" doc:"How long a step of the period is, in seconds." schema:"minimum=1"`
	Times  []int64        `json:"times" doc:"When the steps begin, Unix seconds." schema:"minItems=24 maxItems=24"`
	Setups []SetupFigures `json:"setups" doc:"All setups of the environment."`
}

// SetupFigures is what became of the spans that one setup matched.
type SetupFigures struct {
	ID         string         `json:"id" doc:"The setup."`
	ExternalID string         `json:"external_id" doc:"Its name."`
	Status     monitor.Status `json:"status" doc:"How far it got." enum:"pending,in_progress,waiting_for_spans,completed,partial,failed"`
	Paused     bool           `json:"paused,omitempty" doc:"Whether it matches no span that comes; absent where it does."`

	Spans     int64        `json:"spans" doc:"Spans of the period that it matched." schema:"minimum=0"`
	ByStatus  StatusCounts `json:"by_status" doc:"The evaluations of these spans, by how far they got."`
	Against   int64        `json:"against" doc:"Spans of the period that an evaluation of it speaks against." schema:"minimum=0"`
	Cost      float64      `json:"cost" doc:"What models took for these spans, in US dollars." schema:"minimum=0"`
	LastRun   string       `json:"last_run,omitempty" doc:"When the last of these evaluations ended that is done or failed; missing where there is none." schema:"format=date-time"`
	Owed      SetupCount   `json:"owed" doc:"Pending evaluations, whenever their spans started."`
	OwedSince string       `json:"owed_since,omitempty" doc:"When the oldest of them was deferred; missing where none is pending." schema:"format=date-time"`

	SpentToday    float64 `json:"spent_today" doc:"What models took since midnight (UTC), in US dollars."`
	MaxCostPerDay float64 `json:"max_cost_per_day,omitempty" doc:"The bound of costs per day (UTC) in US dollars, where there is one." schema:"exclusiveMinimum=0"`

	Series SetupSeries `json:"series" doc:"A number for each step, by the start of spans."`
}

// SetupCount counts evaluations, and the spans that have one of them.
type SetupCount struct {
	Evaluations int64 `json:"evaluations" doc:"How many evaluations." schema:"minimum=0"`
	Spans       int64 `json:"spans" doc:"How many spans have one of them." schema:"minimum=0"`
}

// StatusCounts are counts by how far evaluations got.
type StatusCounts struct {
	Done      SetupCount `json:"done" doc:"Those that are done."`
	Uncertain SetupCount `json:"uncertain" doc:"Those of which the evaluator cannot know."`
	Deferred  SetupCount `json:"deferred" doc:"Those that are pending."`
	Skipped   SetupCount `json:"skipped" doc:"Those that will not be made."`
	Failed    SetupCount `json:"failed" doc:"Those that were given up."`
}

// SetupSeries has a number for each step.
type SetupSeries struct {
	Spans []int64   `json:"spans" doc:"Spans that it matched." schema:"minItems=24 maxItems=24" items:"schema:\"minimum=0\""`
	Cost  []float64 `json:"cost" doc:"What models took for these, in US dollars." schema:"minItems=24 maxItems=24" items:"schema:\"minimum=0\""`
}

// setups answers the figures of all setups at once.
func (a *MonitoringAPI) setups(r *http.Request, env tenant.Environment) (rest.Response, error) {
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
	shown := MonitoredSetups{From: from.Unix(), Step: int64(step / time.Second), Times: make([]int64, steps), Setups: make([]SetupFigures, len(list))}
	for i := range shown.Times {
		shown.Times[i] = shown.From + int64(i)*shown.Step
	}
	for i := range list {
		shown.Setups[i] = showSetup(&list[i], figures[list[i].ID], from)
	}
	return rest.OK(shown), nil
}

// showSetup shows a setup with its figures, nil where there are none.
func showSetup(s *monitor.Setup, f *store.SetupFigures, from time.Time) SetupFigures {
	shown := SetupFigures{
		ID: s.ID, ExternalID: s.ExternalID, Status: s.Status, Paused: s.Paused, MaxCostPerDay: s.MaxCostPerDay,
		Series: SetupSeries{Spans: make([]int64, steps), Cost: make([]float64, steps)},
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
	shown.ByStatus = StatusCounts{
		Done: SetupCount(f.Ended[eval.Done]), Uncertain: SetupCount(f.Ended[eval.Uncertain]), Deferred: SetupCount(f.Ended[eval.Deferred]),
		Skipped: SetupCount(f.Ended[eval.Skipped]), Failed: SetupCount(f.Ended[eval.Failed]),
	}
	shown.Owed, shown.Against, shown.SpentToday = SetupCount(f.Owed), f.Against, f.Spent
	shown.LastRun, shown.OwedSince = rest.NanosIfAny(f.LastRun), rest.NanosIfAny(f.OwedSince)
	return shown
}
