// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func newGuard() *model.Guard {
	return model.NewGuard("default", model.Limits{Timeout: time.Minute}, modeltest.NewClock(), nil)
}

const verdictSchema = `{"type":"object","properties":{"reason":{"type":"string"},` +
	`"verdict":{"type":"string","enum":["yes","no"]}},"required":["reason","verdict"],"additionalProperties":false}`

var prices = model.Prices{"answers": {Completion: 10}, "judge-1": {Prompt: 2, Completion: 10}}

func question(texts ...string) eval.Question {
	q := eval.Question{
		Evaluator: "faithfulness", Version: "1", Instructions: "Say whether the answer is faithful.",
		Schema: json.RawMessage(verdictSchema),
	}
	for i, text := range texts {
		q.Data = append(q.Data, eval.DataBlock{Name: []string{"answer", "context"}[i], Text: text})
	}
	return q
}

func yes() modeltest.Step { return modeltest.JSON(map[string]any{"reason": "it is", "verdict": "yes"}) }

// setup is a judge on a scripted server with a clock that only sleeping moves.
type setup struct {
	judge  *model.Judge
	server *modeltest.Server
	clock  *modeltest.Clock
	seen   *recorder
}

func newSetup(t *testing.T, limits model.Limits, settings model.JudgeSettings, steps ...modeltest.Step) setup {
	t.Helper()
	s := setup{server: modeltest.NewServer(t, steps...), clock: modeltest.NewClock(), seen: &recorder{}}
	s.server.Now = s.clock.Now
	if limits.Timeout == 0 {
		limits.Timeout = time.Minute
	}
	settings.Server = model.Server{URL: s.server.URL(), Key: "sk-secret", Client: s.server.Client()}
	settings.Model, settings.MaxTokens, settings.Prices = "judge-1", 512, prices
	s.judge = model.NewJudge(settings, model.NewGuard("default", limits, s.clock, s.seen))
	return s
}

var retrying = model.Limits{Attempts: 3, FirstWait: time.Second, MaxWait: time.Minute}

// recorder keeps what an observer receives.
type recorder struct {
	mu           sync.Mutex
	calls        []model.Call
	hits, misses int
	breaks       []bool
}

func (r *recorder) Called(_ context.Context, _ model.Kind, c model.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Took = 0
	r.calls = append(r.calls, c)
}

func (r *recorder) CacheLookup(_ context.Context, _ model.Kind, hit bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if hit {
		r.hits++
	} else {
		r.misses++
	}
}

func (r *recorder) BreakerChanged(open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.breaks = append(r.breaks, open)
}

func (r *recorder) reasons() []model.Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []model.Reason
	for _, c := range r.calls {
		all = append(all, c.Reason)
	}
	return all
}
