// SPDX-License-Identifier: Apache-2.0

// Package system serves to the operator how the process and its stores do, now
// and minute by minute in the last hour.
package system

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

// Backlog says how many evaluations are owed.
type Backlog interface {
	Stats(ctx context.Context) (store.BacklogStats, error)
}

// API serves how the process does.
type API struct {
	Stores  Stores
	Backlog Backlog
	// Models tells how models do; nil where none are configured.
	Models  func() []model.Status
	Version string // of the collector
	Now     func() time.Time

	hour hour
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		rest.Operator(http.MethodGet, "/v2/system", a.get).Denying("Not allowed with an API key: the state of the process takes the access token"),
	}
}

type answer struct {
	Version   string          `json:"version"`
	StartedAt string          `json:"started_at"`
	UptimeSec int64           `json:"uptime_sec"`
	Problems  []store.Problem `json:"problems"`
	Store     storeAnswer     `json:"store"`
	Intake    intakeAnswer    `json:"intake"`
	Backlog   *backlogAnswer  `json:"backlog"` // nil where the stores cannot say it now
	Models    []modelAnswer   `json:"models"`
	Memory    memory          `json:"memory"`
	Minutes   []minute        `json:"minutes"`
}

type storeAnswer struct {
	Writable bool   `json:"writable"`
	Files    *int64 `json:"files"` // these are nil where spans are kept on another machine, or the disk cannot be read
	Bytes    *int64 `json:"bytes"`
	Free     *int64 `json:"free_bytes"`
	// DaysLeft is nil where the store does not grow, or for too short a time to say.
	DaysLeft *float64 `json:"days_left"`
}

type intakeAnswer struct {
	Spans       int64 `json:"spans"`
	Evaluations int64 `json:"evaluations"`
	Refused     int64 `json:"refused_spans"`
}

type backlogAnswer struct {
	Evaluations int64 `json:"evaluations"`
	Leased      int64 `json:"leased"`
	OldestSec   int64 `json:"oldest_owed_sec"`
}

type modelAnswer struct {
	Name             string       `json:"name"`
	Stopped          bool         `json:"stopped"`
	Requests         int64        `json:"requests"`
	MeanMS           *float64     `json:"mean_ms"` // nil before the first request
	Errors           int64        `json:"errors"`
	LastReason       model.Reason `json:"last_reason,omitempty"`
	LastError        string       `json:"last_error_at,omitempty"`
	PromptTokens     int64        `json:"prompt_tokens"`
	CompletionTokens int64        `json:"completion_tokens"`
	Cost             float64      `json:"cost_usd"`
}

// get answers how the process does. What a store cannot tell now is left out: that is
// when an operator asks.
func (a *API) get(r *http.Request) (rest.Response, error) {
	now := a.look(r.Context())
	begun, minutes := a.hour.until(&now)
	shown := answer{
		Version: a.Version, StartedAt: rest.Time(begun), UptimeSec: int64(now.at.Sub(begun) / time.Second),
		Problems: append([]store.Problem{}, a.Stores.Problems()...),
		Store:    storeAnswer{Writable: true, DaysLeft: a.hour.daysLeft(&now)},
		Intake:   intakeAnswer{Spans: now.intake.Spans, Evaluations: now.intake.Evaluations, Refused: now.intake.Refused},
		Models:   make([]modelAnswer, len(now.models)),
		Memory:   now.memory,
		Minutes:  minutes,
	}
	shown.Store.Writable = !slices.ContainsFunc(shown.Problems, func(p store.Problem) bool { return p.Name == store.ProblemWrite })
	if s := now.space; s != nil {
		shown.Store.Files, shown.Store.Bytes, shown.Store.Free = &s.Files, &s.Bytes, &s.Free
	}
	if owed := now.owed; owed != nil {
		shown.Backlog = &backlogAnswer{Evaluations: owed.Evaluations, Leased: owed.Leased}
		if owed.OldestOwed != 0 {
			shown.Backlog.OldestSec = max(0, int64(now.at.Sub(time.Unix(0, owed.OldestOwed))/time.Second))
		}
	}
	for i := range now.models {
		shown.Models[i] = show(&now.models[i])
	}
	return rest.OK(shown), nil
}

func show(s *model.Status) modelAnswer {
	shown := modelAnswer{
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
