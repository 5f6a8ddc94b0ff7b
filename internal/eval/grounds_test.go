// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

type gradedOutput struct {
	Score  float64 `json:"score" doc:"A number."`
	Reason string  `json:"reason" doc:"Why."`
	Judged
}

// doubting is an evaluator that takes its text for a reason, and doubts an empty one.
func doubting() Definition[textInput, None, gradedOutput] {
	return Definition[textInput, None, gradedOutput]{
		Slug: "doubting", Doc: "Doubts.", Version: "1", Cascade: true,
		Run: func(_ context.Context, in textInput, _ None) (gradedOutput, error) {
			if in.Text == "" {
				return gradedOutput{Judged: Unsure("It is empty.")}, nil
			}
			return gradedOutput{Score: 0.5, Reason: in.Text, Judged: Judged{Grounds: Grounds{Evidence: []Evidence{{Input: "text", End: 1}}}}}, nil
		},
		ByJudge: func(ctx context.Context, m Models, _ textInput, _ None) (out gradedOutput, err error) {
			_, err = m.Judge.Judge(ctx, Question{})
			return gradedOutput{Score: 1, Reason: "judged"}, err
		},
		Examples: []Example{{About: "a text", Input: `{"text": "a"}`, Want: `{"score": 0.5, "reason": "a"}`}},
	}
}

func TestWhatIsSaidBesideOutputs(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, doubting())
	require.Len(t, e.Output, 2, "the other answers are no outputs")
	for text, body := range map[string]string{
		`{"text": "a"}`: `{"score": 0.5, "reason": "a", "evidence": [{"input": "text", "start": 0, "end": 1}]}`,
		`{"text": ""}`:  `{"score": 0, "reason": "", "uncertain": true}`,
	} {
		got, err := e.FromJSON(t.Context(), json.RawMessage(text), nil)
		require.NoError(t, err)
		require.InDelta(t, got.Outputs[0].Value, *got.Score, 0, "score and reason are those of outputs of these names")
		told, err := json.Marshal(got)
		require.NoError(t, err)
		require.JSONEq(t, body, string(told))
	}
}

func TestACascadeAsksTheJudgeWhereItIsUncertain(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, doubting()).With(Models{Judge: judgeStub{}})
	plan, err := e.Plan(nil)
	require.NoError(t, err)
	require.Equal(t, Plan{Backend: Deterministic, Then: Judge}, plan)
	for _, row := range []struct {
		text, config string
		backend      Backend
		uncertain    bool
	}{
		{"a", ``, Deterministic, false},
		{"", ``, Judge, false},
		{"a", `{"backend":"judge"}`, Judge, false},
		{"", `{"backend":"deterministic"}`, Deterministic, true},
	} {
		got, err := fromSpan(t.Context(), e, parts{"output": row.text}, json.RawMessage(row.config))
		require.NoError(t, err)
		require.Equal(t, row.backend, got.Backend, row)
		require.Equal(t, row.uncertain, got.Uncertain, row)
		require.Equal(t, row.backend == Judge, got.Usage.PromptTokens > 0, "nothing is paid for what is certain")
	}
}

func TestGroundsAreKeptAsText(t *testing.T) {
	t.Parallel()
	for _, want := range []Grounds{
		{}, {Reason: "one"}, {Score: Scored(0), Evidence: []Evidence{{Input: "text", Kind: "K", Start: 1, End: 2}}}, {Score: Scored(-0.25), Reason: "r", Evidence: []Evidence{{}}},
	} {
		var got Grounds
		got.SetNumber(want.Number())
		got.SetText(want.Text())
		require.Equal(t, want, got)
	}
	var damaged Grounds
	damaged.SetText("why\n[{")
	damaged.SetNumber(math.NaN())
	require.Equal(t, Grounds{Reason: "why"}, damaged)
}
