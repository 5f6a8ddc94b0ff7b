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

// A yes has the probability that the server tells, of yes and no alone.
func TestVerdictsHaveTheProbabilityOfYes(t *testing.T) {
	t.Parallel()
	likely := func(text string, p float64) modeltest.Token { return modeltest.Token{Text: text, LogProb: math.Log(p)} }
	for name, row := range map[string]struct {
		tokens []modeltest.Token
		want   float64
	}{
		"a word of its own":          {[]modeltest.Token{{Text: `":"`}, {Text: "yes", Likely: []modeltest.Token{likely("yes", 0.6), likely("no", 0.2), likely("1", 0.1)}}, {Text: `"}`}}, 0.75},
		"with its quotation mark":    {[]modeltest.Token{{Text: `":`}, {Text: ` "no"`, Likely: []modeltest.Token{likely(` "no"`, 0.9), likely(` "yes"`, 0.1)}}, {Text: `}`}}, 0.1},
		"in pieces":                  {[]modeltest.Token{{Text: `":"y`}, {Text: "es", Likely: []modeltest.Token{likely("es", 1)}}, {Text: `"}`}}, 0},
		"without the alternatives":   {[]modeltest.Token{{Text: `":"`}, {Text: "yes"}, {Text: `"}`}}, 0},
		"a word in the reason first": {[]modeltest.Token{{Text: `":"`}, {Text: "no", Likely: []modeltest.Token{likely("no", 1)}}, {Text: `"}`}}, 0},
	} {
		tokens := append([]modeltest.Token{{Text: `{"reason":"`}, {Text: "yes", Likely: []modeltest.Token{likely("yes", 1)}}, {Text: `, it is","verdict`}}, row.tokens...)
		s := newSetup(t, model.Limits{}, model.JudgeSettings{LogProbs: true}, modeltest.Answer(tokens...))
		q := question("a")
		q.Schema = json.RawMessage(`{"type":"object","properties":{"reason":{"type":"string"},"verdict":{"enum":["yes","no"]}},"required":["reason","verdict"],"additionalProperties":false}`)
		q.Graded = "verdict"
		got, err := s.judge.Judge(t.Context(), q)
		require.NoError(t, err, name)
		require.InDelta(t, row.want, got.Grade, 1e-9, name)
	}
}
