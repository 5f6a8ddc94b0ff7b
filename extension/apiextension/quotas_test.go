// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// writeEvaluation stores a span of the key's environment with an evaluation.
func (h *testAPI) writeEvaluation(t *testing.T, key string, e eval.Evaluation) {
	t.Helper()
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	e.SetupID, e.Evaluator, e.Time = "s", "tone-detection", h.now().UnixNano()
	_, err = h.spans.Write(t.Context(), store.Batch{Records: []store.Record{{
		Environment: k.Environment, Evaluations: []eval.Evaluation{e},
		Span: span.Span{TraceID: span.TraceID{9}, SpanID: span.ID{9}, Start: h.now().UnixNano(), Name: "chat"},
	}}})
	require.NoError(t, err)
}

// measured waits until it is known what the environments of keys have. Who asks for work
// waits at most a second for the first measurement, which a busy machine may exceed.
func (h *testAPI) measured(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		require.Equal(t, http.StatusOK, h.call(t, "GET", "/v2/me", key, "").status)
	}
}

func TestModelsAreNotAskedWhenTheMoneyOfTheDayIsSpent(t *testing.T) {
	t.Parallel()
	verdict := modeltest.Content(`{"reason":"r","label":"bad","pass":false}`)
	h, server := newJudgedTestAPI(t, verdict)
	h.atNoon()
	org, keys := h.newOrganization(t, "prd", "dev")
	h.operator(t, "PATCH", org+"/environments/prd", `{"quota":{"dollars_per_day":0.5}}`, http.StatusOK)
	for _, key := range keys {
		h.define(t, key, qualityJudge)
		h.writeEvaluation(t, key, eval.Evaluation{Status: eval.Done, Usage: eval.Usage{Cost: 0.5}})
	}
	h.measured(t, keys...)
	const input = `{"input":{"text":"a"}}`
	for _, path := range []string{evaluatorsPath + "/quality-judge/execute", "/v2/guardrails/quality-judge/execute"} {
		r := h.call(t, "POST", path, keys[0], input)
		require.Equal(t, http.StatusTooManyRequests, r.status, r.body)
		require.Equal(t, "models have cost 0.50 dollars today, and may cost 0.50", r.message(t))
		after, err := strconv.Atoi(r.header.Get("Retry-After"))
		require.NoError(t, err)
		require.LessOrEqual(t, after, 24*60*60)
		require.Equal(t, http.StatusOK, h.call(t, "POST", path, keys[1], input).status, "others may")
	}
	begun := into[executionAnswer](t, h.call(t, "POST", evaluatorsPath+"/quality-judge/executions", keys[0], `{"input_schema_mapping":{"text":{"source":"a"}}}`))
	require.Equal(t, http.StatusTooManyRequests, h.call(t, "GET", "/v2"+begun.StreamURL, keys[0], "").status)
	require.Equal(t, http.StatusOK, h.call(t, "POST", evaluatorsPath+"/char-count/execute", keys[0], input).status, "what asks no model costs nothing")
	require.Len(t, server.Requests(), 2)

	used := into[meAnswer](t, h.call(t, "GET", "/v2/me", keys[0], "")).Environment.Usage
	require.InDelta(t, 0.5, used.DollarsToday, 1e-9)
	require.Positive(t, used.StoredBytes)
	require.Zero(t, used.OwedEvaluations)
}

func TestExecutionsCostMoney(t *testing.T) {
	t.Parallel()
	models, _ := modeltest.Models(t, modeltest.Content(`{"reason":"r","label":"bad","pass":false}`))
	h := newTestAPI(t, func(p *parts) {
		p.models, p.cfg.Models = &judges{judge: dear{models.Judge}}, component.MustNewID("models")
		p.atNoon()
	})
	org, keys := h.newOrganization(t, "prd")
	h.operator(t, "PATCH", org+"/environments/prd", `{"quota":{"dollars_per_day":5}}`, http.StatusOK)
	h.define(t, keys[0], qualityJudge)
	h.measured(t, keys...)
	const path, input = evaluatorsPath + "/quality-judge/execute", `{"input":{"text":"a"}}`
	require.Equal(t, http.StatusOK, h.call(t, "POST", path, keys[0], input).status)
	require.Equal(t, http.StatusOK, h.call(t, "POST", tryPath, keys[0], trial(qualityJudge)).status)
	require.Equal(t, http.StatusTooManyRequests, h.call(t, "POST", path, keys[0], input).status)
	require.Equal(t, http.StatusTooManyRequests, h.call(t, "POST", tryPath, keys[0], trial(qualityJudge)).status)
	require.InDelta(t, 6, into[meAnswer](t, h.call(t, "GET", "/v2/me", keys[0], "")).Environment.Usage.DollarsToday, 1e-9)
}

// dear is a judge of which each answer costs 3 dollars.
type dear struct{ eval.JudgeModel }

func TestBackfillsWaitForWhatIsOwed(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd")
	h.operator(t, "PATCH", org+"/environments/prd", `{"quota":{"owed_evaluations":1}}`, http.StatusOK)
	h.create(t, keys[0], `{"external_id":"m/1","evaluators":["char-count"]}`)
	h.writeEvaluation(t, keys[0], eval.Evaluation{Status: eval.Deferred, Reason: eval.ReasonModel})
	h.measured(t, keys...)
	r := h.call(t, "POST", backfillPath, keys[0], `{"from_timestamp_sec":1772905218}`)
	require.Equal(t, http.StatusTooManyRequests, r.status, r.body)
	require.Equal(t, "the environment has 1 pending evaluations, and may have 1: try again when some are done", r.message(t))
	require.Equal(t, "10", r.header.Get("Retry-After"))
}

// Judge implements eval.JudgeModel.
func (d dear) Judge(ctx context.Context, q eval.Question) (eval.Verdict, error) {
	v, err := d.JudgeModel.Judge(ctx, q)
	v.Usage.Cost = 3
	return v, err
}

// stuck is a judge that answers when the test lets it.
type stuck struct {
	eval.JudgeModel
	asked, answer chan struct{}
}

// Judge implements eval.JudgeModel.
func (s stuck) Judge(ctx context.Context, q eval.Question) (eval.Verdict, error) {
	s.asked <- struct{}{}
	<-s.answer
	return s.JudgeModel.Judge(ctx, q)
}

func TestExecutionsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	models, _ := modeltest.Models(t, modeltest.Content(`{"reason":"r","label":"bad","pass":false}`))
	judge := stuck{models.Judge, make(chan struct{}), make(chan struct{})}
	h := newTestAPI(t, func(p *parts) { p.models, p.cfg.Models = &judges{judge: judge}, component.MustNewID("models") })
	key, other := h.newKey(t), h.newKey(t)
	h.define(t, key, qualityJudge)
	const path, input = evaluatorsPath + "/quality-judge/execute", `{"input":{"text":"a"}}`
	const most = 64
	var answers [most]<-chan reply
	for i := range answers {
		answers[i] = h.later(t, "POST", path, key, input)
	}
	for range most {
		<-judge.asked
	}
	for path, body := range map[string]string{path: input, tryPath: trial(qualityJudge)} {
		r := h.call(t, "POST", path, key, body)
		require.Equal(t, http.StatusTooManyRequests, r.status, r.body)
		require.Equal(t, "1", r.header.Get("Retry-After"))
	}
	require.Equal(t, http.StatusOK, h.call(t, "POST", evaluatorsPath+"/char-count/execute", other, input).status, "others may")
	close(judge.answer)
	for _, answered := range answers {
		require.Equal(t, http.StatusOK, (<-answered).status)
	}
	require.Equal(t, http.StatusOK, h.call(t, "POST", evaluatorsPath+"/char-count/execute", key, input).status)
}
