// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// Evaluations that spans of tests have.
var (
	passed  = evaluation("pii-detector", eval.Done, eval.Output{Name: "has_pii", Value: false})
	flagged = evaluation("pii-detector", eval.Done, eval.Output{Name: "has_pii", Value: true})
	angry   = evaluation("tone-detection", eval.Done, eval.Output{Name: "tone", Value: "anger"}, eval.Output{Name: "score", Value: 0.75})
	counted = evaluation("word-count", eval.Done, eval.Output{Name: "word_count", Value: int64(12)})
	failed  = evaluation("json-validator", eval.Failed)
	skipped = evaluation("json-validator", eval.Skipped)
	owed    = evaluation("faithfulness", eval.Deferred)
)

func evaluation(slug string, status eval.Status, outputs ...eval.Output) eval.Evaluation {
	return eval.Evaluation{SetupID: "setup-of-" + slug, Evaluator: slug, Status: status, Outputs: outputs, Probability: 0.5}
}

func number(x float64) *float64 { return &x }

func TestPoliciesMatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy  Policy
		matches []eval.Evaluation
		others  []eval.Evaluation
		bare    bool // a span without evaluations matches
	}{
		"anything":   {policy: Policy{}, matches: []eval.Evaluation{passed, flagged, angry, counted, failed, skipped, owed}},
		"fail":       {policy: Policy{Verdicts: []Verdict{verdictFail}}, matches: []eval.Evaluation{flagged}, others: []eval.Evaluation{passed, angry, counted, failed, skipped, owed}},
		"pass":       {policy: Policy{Verdicts: []Verdict{verdictPass}}, matches: []eval.Evaluation{passed}, others: []eval.Evaluation{flagged, angry, counted, failed, skipped, owed}},
		"scored":     {policy: Policy{Verdicts: []Verdict{verdictScored}}, matches: []eval.Evaluation{angry, counted}, others: []eval.Evaluation{passed, flagged, failed, skipped, owed}},
		"failed":     {policy: Policy{Verdicts: []Verdict{verdictFailed}}, matches: []eval.Evaluation{failed}, others: []eval.Evaluation{passed, flagged, skipped, owed}},
		"no verdict": {policy: Policy{Verdicts: []Verdict{verdictSkipped, verdictOwed, verdictNone}}, matches: []eval.Evaluation{skipped, owed}, others: []eval.Evaluation{passed, flagged, angry, failed}, bare: true},
		"no such verdict": {
			policy:  Policy{Verdicts: []Verdict{verdictNone}, Evaluators: []string{"pii-detector"}},
			matches: []eval.Evaluation{angry, failed, owed}, others: []eval.Evaluation{passed, flagged}, bare: true,
		},
		"setup":     {policy: Policy{Setups: []string{"setup-of-word-count"}}, matches: []eval.Evaluation{counted}, others: []eval.Evaluation{passed, angry}},
		"evaluator": {policy: Policy{Evaluators: []string{"word-count", "tone-detection"}}, matches: []eval.Evaluation{counted, angry}, others: []eval.Evaluation{passed, failed}},
		"label":     {policy: Policy{Output: "tone", Values: []string{"disgust", "anger"}}, matches: []eval.Evaluation{angry}, others: []eval.Evaluation{passed, counted, failed}},
		"other":     {policy: Policy{Output: "tone", Values: []string{"joy"}}, others: []eval.Evaluation{angry}},
		"boolean":   {policy: Policy{Output: "has_pii", Values: []string{"true"}}, matches: []eval.Evaluation{flagged}, others: []eval.Evaluation{passed}},
		"there":     {policy: Policy{Output: "score"}, matches: []eval.Evaluation{angry}, others: []eval.Evaluation{passed, owed}},
		"at least":  {policy: Policy{Output: "score", AtLeast: number(0.75)}, matches: []eval.Evaluation{angry}, others: []eval.Evaluation{counted}},
		"at most":   {policy: Policy{Output: "word_count", AtMost: number(12)}, matches: []eval.Evaluation{counted}, others: []eval.Evaluation{angry}},
		"above":     {policy: Policy{Output: "word_count", AtLeast: number(12.5)}, others: []eval.Evaluation{counted}},
		"below":     {policy: Policy{Output: "score", AtMost: number(0.7)}, others: []eval.Evaluation{angry}},
		"no number": {policy: Policy{Output: "tone", AtMost: number(1)}, others: []eval.Evaluation{angry}},
		"both":      {policy: Policy{Verdicts: []Verdict{verdictFail}, Output: "has_pii"}, matches: []eval.Evaluation{flagged}, others: []eval.Evaluation{passed}},
	} {
		for i := range c.matches {
			require.True(t, c.policy.matches(c.matches[i:i+1]), "%s: %v", name, c.matches[i])
			require.True(t, c.policy.matches([]eval.Evaluation{counted, c.matches[i], angry}), "%s: %v", name, c.matches[i])
		}
		for i := range c.others {
			require.False(t, c.policy.matches(c.others[i:i+1]), "%s: %v", name, c.others[i])
		}
		require.Equal(t, c.bare, c.policy.matches(nil), name)
	}
}

// Several evaluations that a policy asks things of are not taken together.
func TestOnePolicyIsOfOneEvaluation(t *testing.T) {
	t.Parallel()
	p := Policy{Verdicts: []Verdict{verdictFail}, Evaluators: []string{"tone-detection"}}
	require.False(t, p.matches([]eval.Evaluation{flagged, angry}))
}

func TestTheLargestShareCounts(t *testing.T) {
	t.Parallel()
	cfg := &Config{Otherwise: 0.3, Policies: []Policy{
		{Name: "owed", Share: 0.01, Verdicts: []Verdict{verdictOwed}},
		{Name: "pass", Share: 0.1, Verdicts: []Verdict{verdictPass}},
		{Name: "fail", Share: 1, Verdicts: []Verdict{verdictFail}},
	}}
	p, err := newPolicies(cfg)
	require.NoError(t, err)
	for want, evaluations := range map[string][]eval.Evaluation{
		"owed": {owed}, "pass": {owed, passed}, "fail": {passed, flagged, owed}, otherwise: {angry},
	} {
		attributes := pcommon.NewMap()
		monitor.Carry(attributes, evaluations)
		require.Equal(t, want, p.of(attributes).policy)
	}
	require.Equal(t, otherwise, p.of(pcommon.NewMap()).policy)
	for i, share := range []float64{0.01, 0.1, 1, 0.3} {
		require.InEpsilon(t, share, p.shares[i].threshold.Probability(), 1.0/50_000)
	}
	_, err = newPolicies(&Config{Otherwise: 2})
	require.Error(t, err)
}

// Behind the evaluation connector spans have what verdicts say, and nothing else of them.
func TestVerdictsAreReadFromAttributesWhereNothingElseIsThere(t *testing.T) {
	t.Parallel()
	attributes := pcommon.NewMap()
	monitor.Carry(attributes, []eval.Evaluation{flagged, angry, counted})
	whole := evaluationsOf(attributes)
	require.Len(t, whole, 3)
	require.Equal(t, "setup-of-pii-detector", whole[0].SetupID)
	attributes.Remove("touchstone.evaluations")
	attributes.PutStr("evaluation.broken", "no output")
	attributes.PutStr("evaluations.pii-detector.has_pii", "not ours")
	bySlug := map[string]eval.Evaluation{}
	for _, e := range evaluationsOf(attributes) {
		bySlug[e.Evaluator] = e
	}
	require.Len(t, bySlug, 3)
	shown := bySlug["pii-detector"]
	require.Equal(t, verdictFail, verdictOf(&shown))
	require.Equal(t, eval.Done, shown.Status)
	require.ElementsMatch(t, angry.Outputs, bySlug["tone-detection"].Outputs)
	require.Equal(t, counted.Outputs, bySlug["word-count"].Outputs)
	require.True(t, (&Policy{Verdicts: []Verdict{verdictNone}}).matches(evaluationsOf(pcommon.NewMap())))
}
