// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// entails are the answers of a classifier of pairs with these probabilities of entailment.
func entails(probabilities ...float64) []modeltest.Step {
	var steps []modeltest.Step
	for _, p := range probabilities {
		steps = append(steps, modeltest.Labels(
			modeltest.Label{Label: "CONTRADICTION", Score: (1 - p) / 2}, modeltest.Label{Label: "ENTAILMENT", Score: p}, modeltest.Label{Label: "NEUTRAL", Score: (1 - p) / 2}))
	}
	return steps
}

func TestClassifiersOfPairsJudge(t *testing.T) {
	t.Parallel()
	// Four windows, of which three are read.
	var sentences []string
	for i := range 4 {
		sentences = append(sentences, fmt.Sprintf("Part %d says that %s.", i, strings.Repeat("much of it is so ", 50)))
	}
	long := strings.Join(sentences, " ")
	for _, row := range []struct {
		about, slug, input, config, output string
		steps                              []modeltest.Step
		want                               any
		asked                              []string // first and second texts of the first question
	}{
		{"all supported", "faithfulness", `{"question":"","context":"The board approved it.","completion":"It was approved. The board did it."}`, "", "is_faithful", entails(0.9, 0.5), true, []string{"The board approved it.", "It was approved."}},
		{"half supported", "faithfulness", `{"question":"","context":"The board approved it.","completion":"It was approved. It rained."}`, "", "is_faithful", entails(0.9, 0.1), false, nil},
		{"half is enough", "faithfulness", `{"question":"","context":"The board approved it.","completion":"It was approved. It rained."}`, `{"threshold":0.5}`, "is_faithful", entails(0.9, 0.1), true, nil},
		{"the question of a bare yes", "faithfulness", `{"question":"Is it free?","context":"Guests pay nothing.","completion":"Yes."}`, "", "is_faithful", entails(0.8), true, []string{"Is it free? Guests pay nothing.", "Is it free? Yes."}},
		{"nothing claimed", "faithfulness", `{"question":"","context":"C.","completion":"I don't know."}`, "", "is_faithful", nil, true, nil},
		{"no context", "faithfulness", `{"question":"","context":"","completion":"It is so."}`, "", "is_faithful", nil, false, nil},
		{"the likeliest of three windows", "faithfulness", string(toJSON(t, map[string]string{"question": "", "context": long, "completion": "Part 2 says so."})), "", "is_faithful", entails(0.1, 0.2, 0.7), true, []string{sentences[2], "Part 2 says so."}},
		{"both ways", "answer-correctness", `{"question":"Q?","completion":"A. B.","ground_truth":"C."}`, "", "correctness_score", entails(0.9, 0.1, 0.9), 2.0 / 3, []string{"Q? C.", "Q? A."}},
		{"an empty answer", "answer-correctness", `{"question":"Q?","completion":"","ground_truth":"C."}`, "", "correctness_score", nil, 0.0, nil},
	} {
		e, server := classifiedBy(t, row.slug, row.steps...)
		got, result, err := run(t, e, row.input, row.config)
		require.NoError(t, err, row.about)
		if number, ok := row.want.(float64); ok {
			require.InDelta(t, number, got[row.output], 1e-9, row.about)
		} else {
			require.Equal(t, row.want, got[row.output], row.about)
		}
		require.Equal(t, eval.Classifier, result.Backend, row.about)
		require.False(t, result.Uncertain, row.about)
		require.NotEmpty(t, result.Reason, row.about)
		require.Len(t, server.Requests(), len(row.steps), row.about)
		if row.asked != nil {
			var body struct{ Inputs []string }
			require.NoError(t, json.Unmarshal(server.Requests()[0].Body, &body))
			require.Equal(t, row.asked, body.Inputs, row.about)
		}
	}
}

func TestClaimsThatAreNotCheckedMakeAResultUncertain(t *testing.T) {
	t.Parallel()
	claims := strings.Repeat("It is so. ", mostClaims+1)
	input := string(toJSON(t, map[string]string{"question": "", "context": "It is so.", "completion": claims}))
	probabilities := make([]float64, mostClaims)
	for i := range probabilities {
		probabilities[i] = 0.9
	}
	e, server := classifiedBy(t, "faithfulness", entails(probabilities...)...)
	got, result, err := run(t, e, input, "")
	require.NoError(t, err)
	require.Equal(t, true, got["is_faithful"])
	require.True(t, result.Uncertain)
	require.Len(t, server.Requests(), mostClaims)
}

func TestAClassifierWithoutEntailmentGivesNoVerdict(t *testing.T) {
	t.Parallel()
	for slug, input := range map[string]string{
		"faithfulness":       `{"question":"","context":"C.","completion":"It is so."}`,
		"answer-correctness": `{"question":"","completion":"It is so.","ground_truth":"C."}`,
	} {
		e, _ := classifiedBy(t, slug, modeltest.Labels(modeltest.Label{Label: "toxic", Score: 1}))
		_, _, err := run(t, e, input, "")
		require.True(t, fault.Is(err, fault.Unusable), slug)
		e, _ = classifiedBy(t, slug, modeltest.Status(503, "x"))
		_, _, err = run(t, e, input, "")
		require.True(t, fault.Is(err, fault.Unavailable), slug)
	}
}
