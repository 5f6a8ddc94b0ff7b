// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWrongAnswersInTheRightWordsAreNotCorrect(t *testing.T) {
	t.Parallel()
	e, ok := Catalog().Get("answer-correctness")
	require.True(t, ok)
	score := func(question, truth, answer string) float64 {
		got, _, err := run(t, e, string(toJSON(t, map[string]string{"question": question, "ground_truth": truth, "completion": answer})), ``)
		require.NoError(t, err)
		s, _ := got["correctness_score"].(float64)
		return s
	}
	for _, c := range []struct{ question, truth, right, wrong string }{
		{"Who discovered penicillin?", "Alexander Fleming discovered penicillin.", "Fleming", "Louis Pasteur discovered penicillin."},
		{"Is the pool heated?", "The pool is heated.", "Yes, it is.", "The pool is not heated."},
		{"Is the pool heated?", "No, the pool is not heated.", "It isn't.", "Yes, the pool is heated."},
		{"Are cats allowed?", "Cats are allowed.", "Yes", "Cats are forbidden."},
		{"How heavy is the bag?", "The bag weighs 7 kilograms.", "Seven kilograms", "The bag weighs 17 kilograms."},
		{"Who hired whom?", "Maria hired Peter.", "Peter was hired by Maria.", "Peter hired Maria."},
		{"When is the deadline?", "The deadline is in March.", "In March", "The deadline is in May."},
		{"", "The lamp is switched on.", "The lamp is on.", "The lamp is switched off."},
	} {
		right, wrong := score(c.question, c.truth, c.right), score(c.question, c.truth, c.wrong)
		require.GreaterOrEqual(t, right, 0.5, c.right)
		require.Less(t, wrong, 0.5, c.wrong)
	}
	for _, same := range []string{"", " ", "The lamp is on.", "?"} {
		require.InDelta(t, 1, score("Is it on?", same, same), 1e-9)
	}
	require.Less(t, score("Can penguins fly?", "Penguins cannot fly.", "I don't know."), 0.3, "who does not know says no no")
	require.Zero(t, score("Where is it?", "In Bonn.", ""))
	require.Zero(t, score("Where is it?", "", "In Bonn."))
	half := score("When does it open?", "It opens at nine. It closes at five.", "It opens at nine. It closes at six.")
	require.Greater(t, half, 0.2)
	require.Less(t, half, 0.8)
}

func TestQuantitiesAreRightHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	e, ok := Catalog().Get("answer-correctness")
	require.True(t, ok)
	for _, c := range []struct{ truth, right, wrong string }{
		{"5 km", "5,000 metres", "5 miles"},
		{"90 minutes", "1.5 hours", "90 seconds"},
		{"2 September 1945", "1945-09-02", "1945-09-03"},
		{"Sep 2, 1945", "02.09.1945", "September 3, 1945"},
		{"2 June", "June 2nd", "2 May"},
		{"€20", "twenty euros", "$20"},
		{"$1.5 million", "1,500,000 USD", "$2.5M"},
		{"12", "Twelve", "Eleven"},
		{"It is -5 degrees.", "Minus five degrees", "It is 5 degrees."},
	} {
		for answer, want := range map[string]float64{c.right: 1, c.wrong: 0} {
			got, _, err := run(t, e, string(toJSON(t, map[string]string{"question": "What is it?", "ground_truth": c.truth, "completion": answer})), ``)
			require.NoError(t, err)
			require.InDelta(t, want, got["correctness_score"], 1e-9, "%s for %s", answer, c.truth)
		}
	}
	got, _, err := run(t, e, `{"question": "When?", "ground_truth": "May 2020", "completion": "In May"}`, ``)
	require.NoError(t, err)
	require.Positive(t, got["correctness_score"], "half of it is said")
}

func TestLongAnswersAreComparedSoon(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the quick brown fox never jumps over 12 dogs in the yard of Maria ", 3000)
	in := answerCorrectnessInput{Question: "Does the fox jump?", Completion: text, GroundTruth: text + " twice"}
	require.Greater(t, in.wordFacts(), 0.5)
	require.Zero(t, polarity("Where is it?", "No"))
	// Many sentences that are most like one of many words.
	claims := strings.Repeat("The quick brown fox jumps over 12 lazy dogs. ", 10_000)
	var all strings.Builder
	all.WriteString("the quick brown fox jumps over 12 lazy dogs")
	for i := range 100_000 {
		all.WriteString(" w" + strconv.Itoa(i))
	}
	start := time.Now()
	in = answerCorrectnessInput{Question: "Does the fox jump?", Completion: claims, GroundTruth: all.String()}
	require.Positive(t, in.wordFacts())
	require.Less(t, time.Since(start), 20*time.Second)
}
