// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Stores are what is asked of the stores.
type Stores interface {
	store.Activity
	store.Health
}

// Backlog says how many evaluations are pending.
type Backlog interface {
	Stats(ctx context.Context) (store.BacklogStats, error)
}

// SystemAPI serves to the operator how the process and its stores do, now and minute by
// minute in the last hour.
type SystemAPI struct {
	Stores  Stores
	Backlog Backlog
	// Models tells how models do; nil where none are configured.
	Models  func() []model.Status
	Version string // of the collector
	Now     func() time.Time

	hour hour
}

// Routes returns what is served.
func (a *SystemAPI) Routes() []rest.Route {
	return []rest.Route{
		GetSystem.Serve(rest.Alone(a.get)).Denying("Not allowed with an API key: the state of the process takes the access token"),
	}
}

// System is the state of the process.
type System struct {
	_ struct{} `doc:"How the process does that answers, with its stores and models. Counts are since it began."`

	Version   string          `json:"version" doc:"That of the collector."`
	StartedAt string          `json:"started_at" doc:"When the process began." schema:"format=date-time"`
	UptimeSec int64           `json:"uptime_sec" doc:"Seconds since then." schema:"minimum=0"`
	Problems  []store.Problem `json:"problems" doc:"What keeps it from its work, as /health tells." items:"doc:\"What does not work.\""`
	Store     systemStore     `json:"store" doc:"The store of spans. What is null is kept on another machine."`
	Intake    systemIntake    `json:"intake" doc:"What was stored through this process."`
	Backlog   *systemBacklog  `json:"backlog" doc:"Pending evaluations; null where the stores cannot count them now." schema:"nullable"`
	Models    []systemModel   `json:"models" doc:"The models that are configured."`
	Memory    systemMemory    `json:"memory" doc:"Memory of the process."`
	Minutes   []systemMinute  `json:"minutes" doc:"The last hour, the oldest minute first. The last one is not over." schema:"maxItems=60"`
}

// systemStore is the state of the store.
type systemStore struct {
	Writable bool     `json:"writable" doc:"Whether spans can be stored."`
	Files    *int64   `json:"files" doc:"Files of spans." schema:"nullable minimum=0"`
	Bytes    *int64   `json:"bytes" doc:"What they take of the disk." schema:"nullable minimum=0"`
	Free     *int64   `json:"free_bytes" doc:"What is left of it." schema:"nullable minimum=0"`
	DaysLeft *float64 `json:"days_left" doc:"In how many days the disk is full if the store goes on growing as in the last hour; null where it does not grow, or is watched for less than ten minutes." schema:"nullable minimum=0"`
}

// systemIntake counts what came.
type systemIntake struct {
	Spans       int64 `json:"spans" doc:"Spans." schema:"minimum=0"`
	Evaluations int64 `json:"evaluations" doc:"Evaluations, pending ones included." schema:"minimum=0"`
	Refused     int64 `json:"refused_spans" doc:"Spans of writes that failed, which senders try again." schema:"minimum=0"`
}

// systemBacklog counts pending evaluations.
type systemBacklog struct {
	Evaluations int64 `json:"evaluations" doc:"Number of pending evaluations, due or not." schema:"minimum=0"`
	Leased      int64 `json:"leased" doc:"Those that are being worked on." schema:"minimum=0"`
	OldestSec   int64 `json:"oldest_owed_sec" doc:"For how many seconds the oldest one that is due or being worked on has been pending; 0 where there is none." schema:"minimum=0"`
}

// systemModel is the state of a model.
type systemModel struct {
	_ struct{} `doc:"How a model does, since the process began."`

	Name             string       `json:"name" doc:"The kind and name of the configuration, such as judges/default."`
	Stopped          bool         `json:"stopped" doc:"Whether nothing is sent for a while because it failed repeatedly."`
	Requests         int64        `json:"requests" doc:"Requests that were sent." schema:"minimum=0"`
	MeanMS           *float64     `json:"mean_ms" doc:"How long they took on average, in milliseconds; null before the first." schema:"nullable minimum=0"`
	Errors           int64        `json:"errors" doc:"Calls that gave nothing usable." schema:"minimum=0"`
	LastReason       model.Reason `json:"last_reason,omitempty" doc:"Why the last of these did not, such as timeout, limited or open."`
	LastError        string       `json:"last_error_at,omitempty" doc:"When that was." schema:"format=date-time"`
	PromptTokens     int64        `json:"prompt_tokens" doc:"Tokens that it read." schema:"minimum=0"`
	CompletionTokens int64        `json:"completion_tokens" doc:"Tokens that it wrote." schema:"minimum=0"`
	Cost             float64      `json:"cost_usd" doc:"What they cost, in US dollars, by the configured prices." schema:"minimum=0"`
}

// get answers how the process does. What a store cannot tell now is left out: that is
// when an operator asks.
func (a *SystemAPI) get(r *http.Request) (rest.Response, error) {
	now := a.look(r.Context())
	begun, minutes := a.hour.until(&now)
	shown := System{
		Version: a.Version, StartedAt: rest.Time(begun), UptimeSec: int64(now.at.Sub(begun) / time.Second),
		Problems: append([]store.Problem{}, a.Stores.Problems()...),
		Store:    systemStore{Writable: true, DaysLeft: a.hour.daysLeft(&now)},
		Intake:   systemIntake{Spans: now.intake.Spans, Evaluations: now.intake.Evaluations, Refused: now.intake.Refused},
		Models:   make([]systemModel, len(now.models)),
		Memory:   now.memory,
		Minutes:  minutes,
	}
	shown.Store.Writable = !slices.ContainsFunc(shown.Problems, func(p store.Problem) bool { return p.Name == store.ProblemWrite })
	if s := now.space; s != nil {
		shown.Store.Files, shown.Store.Bytes, shown.Store.Free = &s.Files, &s.Bytes, &s.Free
	}
	if owed := now.owed; owed != nil {
		shown.Backlog = &systemBacklog{Evaluations: owed.Evaluations, Leased: owed.Leased}
		if owed.OldestOwed != 0 {
			shown.Backlog.OldestSec = max(0, int64(now.at.Sub(time.Unix(0, owed.OldestOwed))/time.Second))
		}
	}
	for i := range now.models {
		shown.Models[i] = showModel(&now.models[i])
	}
	return rest.OK(shown), nil
}

func showModel(s *model.Status) systemModel {
	shown := systemModel{
		Name: s.Name, Stopped: s.Open, Requests: s.Requests, Errors: s.Errors, LastReason: s.LastReason,
		PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens, Cost: s.Cost,
	}
	if s.Requests > 0 {
		shown.MeanMS = new(float64(s.Took) / float64(s.Requests) / float64(time.Millisecond))
	}
	if s.Errors > 0 {
		shown.LastError = rest.Time(s.LastError)
	}
	return shown
}
