// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ExecutionsAPI serves the execution of evaluators.
type ExecutionsAPI struct {
	Records    Records
	Evaluators *registry.Registry
	Jobs       *Jobs
	Money      Money

	atOnce atOnce
}

// Routes returns what is served.
func (a *ExecutionsAPI) Routes() []rest.Route {
	return []rest.Route{
		ExecuteEvaluator.Serve(rest.InEnvironment(a.execute)),
		ExecuteEvaluatorOnSpan.Serve(rest.InEnvironment(a.executeSpan)),
		TryCustomEvaluator.Serve(rest.InEnvironment(a.try)),
		StartExecution.Serve(rest.InEnvironment(a.start)),
		ReadExecution.Serve(rest.InEnvironment(a.stream)).Waiting(),
		GuardEvaluator.Serve(rest.InEnvironment(a.guard)),
	}
}

// ExecuteRequest has what the evaluator's own schema, which the OpenAPI document
// has too, is for.
type ExecuteRequest struct {
	Input       json.RawMessage     `json:"input" doc:"The inputs by their names. Unknown ones are ignored." schema:"required types=object"`
	Config      json.RawMessage     `json:"config" doc:"How to judge." schema:"types=object,null"`
	OnUncertain monitor.OnUncertain `json:"on_uncertain" doc:"What a guard does with an uncertain verdict: keep, which is the default, lets the text pass, drop_content does not."`
}

// execute runs one evaluator and says what computed the verdict.
func (a *ExecutionsAPI) execute(r *http.Request, env tenant.Environment) (rest.Response, error) {
	begun := time.Now()
	_, result, _, err := a.judge(r, env, asWritten)
	if err != nil {
		return rest.Response{}, err
	}
	return executed(&result, time.Since(begun)), nil
}

// meaning returns the input that is meant by the one that was written.
type meaning func(e *eval.Evaluator, input json.RawMessage) json.RawMessage

func asWritten(_ *eval.Evaluator, input json.RawMessage) json.RawMessage { return input }

// executed is the answer with a verdict.
func executed(r *eval.Result, took time.Duration) rest.Response {
	return rest.Response{Status: http.StatusOK, Header: costHeader(r, took), Body: *r}
}

// costHeader is verdictHeader with whether the verdict speaks for what was judged, and
// what it took.
func costHeader(r *eval.Result, took time.Duration) http.Header {
	h := verdictHeader(*r)
	if r.Version != "" {
		h.Set("X-Evaluator-Version", r.Version)
	}
	if good := (&eval.Evaluation{Status: eval.Done, Outputs: r.Outputs}).Good(); good != nil && !r.Uncertain {
		h.Set("X-Evaluator-Good", strconv.FormatBool(*good))
	}
	h.Set("X-Evaluator-Duration-Ms", strconv.FormatFloat(milliseconds(took), 'f', 3, 64))
	h.Set("X-Evaluator-Prompt-Tokens", strconv.FormatInt(r.Usage.PromptTokens, 10))
	h.Set("X-Evaluator-Completion-Tokens", strconv.FormatInt(r.Usage.CompletionTokens, 10))
	h.Set("X-Evaluator-Cost-Usd", strconv.FormatFloat(r.Usage.Cost, 'f', -1, 64))
	return h
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// judge runs the evaluator that the path names on the body, which is decoded only once it
// has its place among the executions of all.
func (a *ExecutionsAPI) judge(r *http.Request, env tenant.Environment, meant meaning) (*eval.Evaluator, eval.Result, ExecuteRequest, error) {
	var want ExecuteRequest
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return nil, eval.Result{}, want, err
	}
	body, err := a.atOnce.read(r, env.ID)
	if err != nil {
		return nil, eval.Result{}, want, err
	}
	decoded := make(chan ExecuteRequest, 1) // decoding may continue after the caller has gone
	result, err := a.run(r.Context(), env, e, len(body), func() (want ExecuteRequest, err error) {
		if err = rest.DecodeObject(body, &want); err == nil {
			err = want.OnUncertain.Check("on_uncertain")
		}
		if err == nil {
			want.Input = meant(e, want.Input)
			decoded <- want
		}
		return want, err
	})
	if err == nil {
		want = <-decoded
	}
	return e, result, want, err
}

// run runs an evaluator for a request of so many bytes that waits for the verdict, within
// the bounds that all such executions of an environment have together. What is asked is
// decoded in its turn.
func (a *ExecutionsAPI) run(ctx context.Context, env tenant.Environment, e *eval.Evaluator, bytes int, asked func() (ExecuteRequest, error)) (eval.Result, error) {
	leave, err := a.atOnce.enter(env.ID, bytes)
	if err != nil {
		return eval.Result{}, err
	}
	with, record := a.paid(ctx, env, e)
	return within(ctx, func(ctx context.Context) (eval.Result, error) {
		defer leave()
		defer record()
		end, err := a.atOnce.turn(ctx, env.ID, bytes)
		if err != nil {
			return eval.Result{}, err
		}
		defer end()
		want, err := asked()
		if err != nil {
			return eval.Result{}, err
		}
		if plan, err := with.Plan(want.Config); err == nil && plan.AsksModel() { // it waits for a model
			end()
		}
		return with.FromJSON(tenant.WithEnvironment(ctx, env.ID), want.Input, want.Config)
	})
}

// within returns what run returns, or an error when ctx is done. A local evaluator
// that is computing does not look whether anybody waits: it goes on, and keeps the
// place of its environment until it is done.
func within(ctx context.Context, run func(context.Context) (eval.Result, error)) (eval.Result, error) {
	type outcome struct {
		result eval.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("execution panicked with a %T", p) // what it holds may be a user's text
			}
			done <- o
		}()
		o.result, o.err = run(ctx)
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		select {
		case o := <-done: // the result of the execution itself is more precise
			return o.result, o.err
		case <-time.After(promptly):
			return eval.Result{}, interrupted(ctx, ctx.Err())
		}
	}
}

// promptly is how long an evaluator has to say itself that its time is over.
const promptly = 100 * time.Millisecond

// verdictHeader says what computed a verdict and, where that depends on the
// language, which it took the text for.
func verdictHeader(r eval.Result) http.Header {
	h := http.Header{"X-Evaluator-Backend": {string(r.Backend)}}
	if r.Language != "" {
		h.Set("X-Evaluator-Language", r.Language)
	}
	return h
}

// required returns the names of the inputs that an evaluator requires.
func required(e *eval.Evaluator) []string {
	var names []string
	for i := range e.Input {
		if e.Input[i].Required {
			names = append(names, e.Input[i].Name)
		}
	}
	return names
}
