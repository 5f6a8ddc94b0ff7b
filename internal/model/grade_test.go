// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

const gradeSchema = `{"type":"object","properties":{"feedback":{"type":"string"},"grade":{"type":"integer","enum":[1,2,3,4,5]}},` +
	`"required":["feedback","grade"],"additionalProperties":false}`

// The grade is the mean of the likely ones where the server tells them: not one draw.
func TestGradesAreMeansOfTheLikelyOnes(t *testing.T) {
	t.Parallel()
	likely := func(text string, p float64) modeltest.Token { return modeltest.Token{Text: text, LogProb: math.Log(p)} }
	graded := func(grade modeltest.Token) modeltest.Step {
		return modeltest.Answer(modeltest.Token{Text: `{"feedback":"it has 4 of`}, modeltest.Token{Text: " "}, modeltest.Token{Text: "4"}, modeltest.Token{Text: ` parts","`},
			modeltest.Token{Text: `grade":`}, grade, modeltest.Token{Text: "}"})
	}
	for name, row := range map[string]struct {
		grade    modeltest.Token
		logProbs bool
		want     float64
	}{
		"between two":         {modeltest.Token{Text: "4", Likely: []modeltest.Token{likely("4", 0.6), likely("3", 0.4)}}, true, 3.6},
		"others do not count": {modeltest.Token{Text: " 4", Likely: []modeltest.Token{likely(" 4", 0.3), likely("5", 0.1), likely("four", 0.6)}}, true, 4.25},
		"no alternatives":     {modeltest.Token{Text: "4"}, true, 0},
		"not asked for":       {modeltest.Token{Text: "4"}, false, 0},
	} {
		s := newSetup(t, model.Limits{}, model.JudgeSettings{LogProbs: row.logProbs}, graded(row.grade))
		q := question("a")
		q.Schema, q.Graded = json.RawMessage(gradeSchema), "grade"
		got, err := s.judge.Judge(t.Context(), q)
		require.NoError(t, err, name)
		require.InDelta(t, row.want, got.Grade, 1e-9, name)
		require.Equal(t, row.logProbs, s.server.Requests()[0].Chat().LogProbs, name)
		q.Graded, q.Version = "", "2"
		_, err = s.judge.Judge(t.Context(), q)
		require.NoError(t, err)
		require.False(t, s.server.Requests()[1].Chat().LogProbs, "nothing else asks for them")
	}
}
