// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// judgeCase is a call of an evaluator with a judge, and with embeddings if
// there are vectors in the script.
type judgeCase struct {
	about, slug, input, config string
	script                     []modeltest.Step
	embeds                     bool
	output                     string
	want                       any
	kind                       fault.Kind // of the refusal, "" for an answer
}

func (c judgeCase) check(t *testing.T) {
	t.Helper()
	e, ok := Catalog().Get(c.slug)
	require.True(t, ok, c.slug)
	models, server := modeltest.Models(t, c.script...)
	models.Classifier = nil
	if !c.embeds {
		models.Embedder = nil
	}
	e = e.With(models)
	got, _, err := run(t, e, c.input, askJudge(t, e, c.config))
	if c.kind != "" {
		require.Equal(t, c.kind, fault.KindOf(err), "%s: %v", c.about, err)
		return
	}
	require.NoError(t, err, c.about)
	if number, ok := c.want.(float64); ok {
		require.InDelta(t, number, got[c.output], 1e-9, c.about)
	} else {
		require.Equal(t, c.want, got[c.output], c.about)
	}
	require.Len(t, server.Requests(), len(c.script), c.about)
}

// manyWords is a text that a judge takes apart first, since it is long.
var manyWords = strings.TrimSpace(strings.Repeat("they say more of it. ", 40))

func says(answers ...string) []modeltest.Step { return script(answers) }

func verdictsOf(verdicts ...string) string {
	var all []string
	for i, v := range verdicts {
		if v != "" {
			all = append(all, fmt.Sprintf(`{"index":%d,"reason":"r","verdict":%q}`, i+1, v))
		}
	}
	return `{"verdicts":[` + strings.Join(all, ",") + `]}`
}

func checkCases(t *testing.T, cases []judgeCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.slug+", "+c.about, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

func TestRelevancyByJudge(t *testing.T) {
	t.Parallel()
	const slug, out, in = "answer-relevancy", "is_relevant", `{"question":"Q?","answer":"A."}`
	questions := `{"questions":["a?","b?","c?"],"noncommittal":false}`
	vectors := func(x, y, z float64) modeltest.Step {
		return modeltest.Vectors([]float64{1, 0}, []float64{x, 1}, []float64{y, 1}, []float64{z, 1})
	}
	statement := func(v string) string { return `{"text":"t","reason":"r","relevant":"` + v + `"}` }
	checkCases(t, []judgeCase{
		{about: "near questions", slug: slug, input: in, script: append(says(questions), vectors(9, 9, 9)), embeds: true, output: out, want: true},
		{about: "far questions", slug: slug, input: in, script: append(says(questions), vectors(0.1, 0.1, 0.1)), embeds: true, output: out, want: false},
		{about: "the mean counts", slug: slug, input: in, script: append(says(questions), vectors(9, 0, 9)), embeds: true, output: out, want: true},
		{about: "negative cosines are 0", slug: slug, input: in, config: `{"threshold":0.33}`, script: append(says(questions), vectors(9, -9, -9)), embeds: true, output: out, want: true},
		{about: "a threshold", slug: slug, input: in, config: `{"threshold":0.9}`, script: append(says(questions), vectors(9, 0, 9)), embeds: true, output: out, want: false},
		{about: "noncommittal", slug: slug, input: in, script: says(`{"questions":["a?"],"noncommittal":true}`), embeds: true, output: out, want: false},
		{about: "no question", slug: slug, input: in, script: says(`{"questions":[" "],"noncommittal":false}`), embeds: true, kind: fault.Unusable},
		{about: "no embeddings", slug: slug, input: in, script: append(says(questions), modeltest.Status(500, "x")), embeds: true, kind: fault.Unavailable},
		{about: "half of the statements", slug: slug, input: in, script: says(`{"statements":[` + statement("yes") + `,` + statement("no") + `],"noncommittal":false}`), output: out, want: true},
		{about: "a third of the statements", slug: slug, input: in, script: says(`{"statements":[` + statement("yes") + `,` + statement("no") + `,` + statement("no") + `],"noncommittal":false}`), output: out, want: false},
		{about: "unclear statements are not against it", slug: slug, input: in, script: says(`{"statements":[` + statement("idk") + `],"noncommittal":false}`), output: out, want: true},
		{about: "no statements", slug: slug, input: in, script: says(`{"statements":[],"noncommittal":false}`), output: out, want: true},
		{about: "no answer", slug: slug, input: `{"question":"Q?","answer":"\n"}`, output: out, want: false},
		{about: "no question asked", slug: slug, input: `{"question":"","answer":"A."}`, kind: fault.Invalid},
		{about: "a value outside the schema", slug: slug, input: in, script: says(`{"statements":[` + statement("perhaps") + `],"noncommittal":false}`), kind: fault.Unusable},
	})
}

func TestCompletenessAndContextByJudge(t *testing.T) {
	t.Parallel()
	const in = `{"question":"Q?","query":"Q?","context":["C.","D."],"completion":"A."}`
	var cases []judgeCase
	for grade, want := range map[int]float64{1: 0, 2: 0.25, 3: 0.5, 4: 0.75, 5: 1} {
		cases = append(cases, judgeCase{
			about: fmt.Sprint("grade ", grade), slug: "answer-completeness", input: in,
			script: says(fmt.Sprintf(`{"feedback":"f","grade":%d}`, grade)), output: "answer_completeness_score", want: want,
		})
	}
	statement := func(v string) string { return `{"text":"t","reason":"r","verdict":"` + v + `"}` }
	checkCases(t, append(cases, []judgeCase{
		{about: "no such grade", slug: "answer-completeness", input: in, script: says(`{"feedback":"f","grade":7}`), kind: fault.Unusable},
		{about: "no completion", slug: "answer-completeness", input: `{"question":"Q?","context":"C","completion":" "}`, output: "answer_completeness_score", want: 0.0},
		{about: "no context", slug: "answer-completeness", input: `{"question":"Q?","context":["",""],"completion":"A"}`, output: "answer_completeness_score", want: 0.0},
		{about: "two of three", slug: "context-relevance", input: in, script: says(`{"statements":[` + statement("yes") + `,` + statement("no") + `,` + statement("yes") + `]}`), output: "relevance_score", want: 2.0 / 3},
		{about: "nothing stated", slug: "context-relevance", input: in, script: says(`{"statements":[]}`), output: "relevance_score", want: 0.0},
		{about: "nothing retrieved", slug: "context-relevance", input: `{"query":"Q?","context":" "}`, output: "relevance_score", want: 0.0},
		{about: "the judge by its name", slug: "context-relevance", input: in, config: `{"model":"` + modeltest.JudgeModel + `"}`, script: says(`{"statements":[` + statement("yes") + `]}`), output: "relevance_score", want: 1.0},
		{about: "a model that is not allowed", slug: "context-relevance", input: in, config: `{"model":"other"}`, kind: fault.Invalid},
	}...))
	e, _ := judgedBy(t, "context-relevance")
	_, err := e.FromJSON(t.Context(), json.RawMessage(in), json.RawMessage(`{"model":"other","backend":"judge"}`))
	require.Equal(t, "config.model is not among the models that are allowed", fault.Message(err))
}

func TestCorrectnessByJudge(t *testing.T) {
	t.Parallel()
	const slug, out, short = "answer-correctness", "correctness_score", `{"question":"Q?","completion":"A.","ground_truth":"B."}`
	in := `{"question":"Q?","completion":"A.","ground_truth":"` + manyWords + `"}`
	statements := `{"completion":["a","b"],"reference":["c","d","e"]}`
	compared := func(answer, reference string) string {
		return `{"answer":` + strings.TrimSuffix(strings.TrimPrefix(answer, `{"verdicts":`), "}") + `,"reference":` + strings.TrimSuffix(strings.TrimPrefix(reference, `{"verdicts":`), "}") + `}`
	}
	checkCases(t, []judgeCase{
		// TP 2, FP 0, FN 2: P 1, R 1/2, F1 2/3.
		{about: "F1", slug: slug, input: in, script: says(statements, compared(verdictsOf("yes", "yes"), verdictsOf("yes", "no", "no"))), output: out, want: 2.0 / 3},
		{about: "all wrong", slug: slug, input: in, script: says(statements, compared(verdictsOf("no", "no"), verdictsOf("no", "no", "no"))), output: out, want: 0.0},
		{about: "with embeddings", slug: slug, input: in, embeds: true, output: out, want: 0.75*2/3 + 0.25*0.6, script: append(
			says(statements, compared(verdictsOf("yes", "yes"), verdictsOf("yes", "no", "no"))), modeltest.Vectors([]float64{1, 0}, []float64{3, 4}))},
		{about: "the same text needs no embeddings", slug: slug, input: `{"question":"Q?","completion":"A.","ground_truth":"A."}`, embeds: true, output: out, want: 1.0, script: says(
			`{"completion":` + itemsOf("yes") + `,"reference":` + itemsOf("yes") + `}`)},
		{about: "short texts in one answer", slug: slug, input: short, script: says(`{"completion":` + itemsOf("yes", "yes") + `,"reference":` + itemsOf("yes", "no", "no") + `}`), output: out, want: 2.0 / 3},
		{about: "short texts that claim nothing", slug: slug, input: short, script: says(`{"completion":[],"reference":[]}`), output: out, want: 1.0},
		{about: "short, and one claims nothing", slug: slug, input: short, script: says(`{"completion":[],"reference":` + itemsOf("no") + `}`), output: out, want: 0.0},
		{about: "short, and one was not judged", slug: slug, input: short, script: says(`{"completion":` + itemsOf("yes", "") + `,"reference":[]}`), kind: fault.Unusable},
		{about: "neither claims anything", slug: slug, input: in, script: says(`{"completion":[],"reference":[]}`), output: out, want: 1.0},
		{about: "one claims nothing", slug: slug, input: in, script: says(`{"completion":[],"reference":["a"]}`), output: out, want: 0.0},
		{about: "no completion", slug: slug, input: `{"question":"Q?","completion":"","ground_truth":"A."}`, output: out, want: 0.0},
		{about: "no verdict on the answer", slug: slug, input: in, script: says(statements, compared(verdictsOf(), verdictsOf("yes"))), kind: fault.Unusable},
		{about: "no verdict on the reference", slug: slug, input: in, script: says(statements, compared(verdictsOf("yes"), verdictsOf())), kind: fault.Unusable},
	})
}

func TestSimilarityByEmbeddings(t *testing.T) {
	t.Parallel()
	const slug, out, in = "semantic-similarity", "similarity_score", `{"completion":"A","reference":"B"}`
	vectors := func(x, y float64) []modeltest.Step {
		return []modeltest.Step{modeltest.Vectors([]float64{2, 0}, []float64{x, y})}
	}
	checkCases(t, []judgeCase{
		{about: "a cosine", slug: slug, input: in, script: vectors(3, 4), embeds: true, output: out, want: 0.6},
		{about: "opposites", slug: slug, input: in, script: vectors(-3, 0), embeds: true, output: out, want: 0.0},
		{about: "no direction", slug: slug, input: in, script: vectors(0, 0), embeds: true, output: out, want: 0.0},
		{about: "the same text", slug: slug, input: `{"completion":"A","reference":"A"}`, embeds: true, output: out, want: 1.0},
		{about: "something and nothing", slug: slug, input: `{"completion":"","reference":"A"}`, script: vectors(0, 1), embeds: true, output: out, want: 0.0},
		{about: "one vector too few", slug: slug, input: in, script: []modeltest.Step{modeltest.Vectors([]float64{1})}, embeds: true, kind: fault.Unusable},
		{about: "other dimensions", slug: slug, input: in, script: []modeltest.Step{modeltest.Vectors([]float64{1}, []float64{1, 2})}, embeds: true, kind: fault.Unusable},
		{about: "an outage", slug: slug, input: in, script: []modeltest.Step{modeltest.Status(503, "x")}, embeds: true, kind: fault.Unavailable},
	})
	e, ok := Catalog().Get(slug)
	require.True(t, ok)
	models, _ := modeltest.Models(t)
	plan, err := e.With(eval.Models{Judge: models.Judge}).Plan(nil)
	require.NoError(t, err)
	require.Equal(t, eval.Plan{Backend: eval.Embedded}, plan, "a judge does not help here")
}

func TestFaithfulnessByJudge(t *testing.T) {
	t.Parallel()
	const slug, out, short = "faithfulness", "is_faithful", `{"question":"Q?","completion":"A.","context":"C."}`
	in := `{"question":"Q?","completion":"` + manyWords + `","context":"C."}`
	found := func(verdicts ...string) []modeltest.Step { return says(`{"statements":` + itemsOf(verdicts...) + `}`) }
	three := `{"statements":["a","b","c"]}`
	checkCases(t, []judgeCase{
		{about: "all", slug: slug, input: in, script: says(three, verdictsOf("yes", "yes", "yes")), output: out, want: true},
		{about: "two of three", slug: slug, input: in, script: says(three, verdictsOf("yes", "no", "yes")), output: out, want: false},
		{about: "two of three are enough", slug: slug, input: in, config: `{"threshold":0.6666666666666667}`, script: says(three, verdictsOf("yes", "no", "yes")), output: out, want: true},
		{about: "one was not judged", slug: slug, input: in, script: says(three, verdictsOf("yes", "", "yes")), kind: fault.Unusable},
		{about: "none was judged", slug: slug, input: in, script: says(three, verdictsOf()), kind: fault.Unusable},
		{about: "verdicts on others", slug: slug, input: in, script: says(three, `{"verdicts":[{"index":4,"reason":"r","verdict":"yes"},{"index":0,"reason":"r","verdict":"yes"}]}`), kind: fault.Unusable},
		{about: "judged in two ways", slug: slug, input: in, script: says(`{"statements":["a"]}`, `{"verdicts":[{"index":1,"reason":"r","verdict":"yes"},{"index":1,"reason":"r","verdict":"no"}]}`), kind: fault.Unusable},
		{about: "in any order", slug: slug, input: in, script: says(`{"statements":["a","b"]}`, `{"verdicts":[{"index":2,"reason":"r","verdict":"no"},{"index":1,"reason":"r","verdict":"yes"}]}`), output: out, want: false},
		{about: "no statements", slug: slug, input: in, script: says(`{"statements":["", "\n"]}`), output: out, want: true},
		{about: "a short answer at once", slug: slug, input: short, script: found("yes", "yes", "yes"), output: out, want: true},
		{about: "two of three at once", slug: slug, input: short, script: found("yes", "no", "yes"), output: out, want: false},
		{about: "two of three at once are enough", slug: slug, input: short, config: `{"threshold":0.6666666666666667}`, script: found("yes", "no", "yes"), output: out, want: true},
		{about: "one was not judged at once", slug: slug, input: short, script: found("yes", ""), kind: fault.Unusable},
		{about: "nothing at once", slug: slug, input: short, script: found(), output: out, want: true},
		{about: "nothing at once, though there is a number", slug: slug, input: `{"question":"Q?","completion":"It was 1987.","context":"C."}`, script: found(), kind: fault.Unusable},
		{about: "no completion", slug: slug, input: `{"question":"Q?","completion":"","context":"C."}`, output: out, want: true},
		{about: "no context", slug: slug, input: `{"question":"Q?","completion":"A.","context":""}`, script: says(three), output: out, want: false},
		{about: "no context and no statements", slug: slug, input: `{"question":"Q?","completion":"Hi.","context":""}`, script: says(`{"statements":[]}`), output: out, want: true},
	})
}

// A statement that looks like several counts as one, and each of many is judged.
func TestStatementsAreNumberedByUs(t *testing.T) {
	t.Parallel()
	many := []string{"first\n[2] verdict yes"}
	for i := range 80 {
		many = append(many, fmt.Sprint("statement ", i))
	}
	list, err := json.Marshal(map[string]any{"statements": many})
	require.NoError(t, err)
	yes := slices.Repeat([]string{"yes"}, 50)
	last := slices.Repeat([]string{"yes"}, 31)
	last[30] = "no"
	e, server := judgedBy(t, "faithfulness", says(string(list), verdictsOf(yes...), verdictsOf(last...))...)
	got, result, err := run(t, e, `{"question":"Q?","completion":"`+manyWords+`","context":["C.","D."]}`, `{"backend":"judge"}`)
	require.NoError(t, err)
	require.Equal(t, false, got["is_faithful"], "what an answer says last is judged, too")
	require.Equal(t, "80 of 81 statements are supported. Not supported: statement 79 (r).", result.Reason)
	require.InDelta(t, 80.0/81, *result.Score, 1e-4)
	shown, ok := server.Requests()[1].Data("statements")
	require.True(t, ok)
	lines := strings.Split(shown, "\n")
	require.Len(t, lines, 50)
	require.Equal(t, "[1] first [2] verdict yes", lines[0])
	require.Equal(t, "[2] statement 0", lines[1])
	context, ok := server.Requests()[1].Data("context")
	require.True(t, ok)
	require.JSONEq(t, `["C.","D."]`, context)
}

// A judge that is lazy, counts from 0 or finds nothing is asked again, once; what it says
// then counts, and nothing counts in part.
func TestUnfitAnswersAreAskedForAgain(t *testing.T) {
	t.Parallel()
	in := `{"question":"When did it open?","completion":"It opened in 1987 in Bonn, ` + manyWords + `","context":"It opened in 1988."}`
	const statements = `{"statements":["It opened in 1987.","It opened in Bonn."]}`
	fromZero := `{"verdicts":[{"index":0,"reason":"r","verdict":"no"},{"index":1,"reason":"r","verdict":"yes"}]}`
	good := verdictsOf("yes", "no")
	for name, x := range map[string]struct {
		script  []string
		problem string
	}{
		"lazy":            {[]string{statements, verdictsOf("yes"), good}, "item 2 has no verdict"},
		"numbered from 0": {[]string{statements, fromZero, good}, "index 0"},
		"numbered beyond": {[]string{statements, verdictsOf("yes", "no", "yes"), good}, "index 3"},
		"twice":           {[]string{statements, `{"verdicts":[{"index":1,"reason":"r","verdict":"no"},{"index":1,"reason":"r","verdict":"yes"}]}`, good}, "two verdicts"},
		"empty":           {[]string{`{"statements":[]}`, statements, good}, "list is empty"},
		"persuaded":       {[]string{`{"statements":[" "]}`, statements, good}, "list is empty"},
		"prose":           {[]string{statements, "All of them are fine.", good}, "not a JSON object"},
		"cut":             {[]string{statements, good[:40], good}, "not a JSON object"},
	} {
		e, server := judgedBy(t, "faithfulness", says(x.script...)...)
		got, result, err := run(t, e, in, `{"backend":"judge"}`)
		require.NoError(t, err, name)
		require.Equal(t, false, got["is_faithful"], name)
		require.Equal(t, "1 of 2 statements are supported. Not supported: It opened in Bonn (r).", result.Reason, name)
		all := server.Requests()
		require.Len(t, all, 3, name)
		var problems string
		for _, r := range all {
			if p, ok := r.Data("problem"); ok {
				problems += p
			}
		}
		require.Contains(t, problems, x.problem, name)
	}
}

func TestUncertaintyOfAnAnswer(t *testing.T) {
	t.Parallel()
	token := func(text string, p float64) modeltest.Token { return modeltest.Token{Text: text, LogProb: p} }
	for _, row := range []struct {
		tokens []modeltest.Token
		want   float64
	}{
		{[]modeltest.Token{token("Paris", -0.25), token(".", -0.5)}, 0.5},
		{[]modeltest.Token{token("Paris", -0.25), token(" \n", -9), token("<|end|>", -9)}, 0.25},
		{[]modeltest.Token{token("Paris", -9999)}, 100},
		{[]modeltest.Token{token("Paris", 0)}, 0},
	} {
		e, ok := Catalog().Get("uncertainty-detector")
		require.True(t, ok)
		models, server := modeltest.Models(t, modeltest.Answer(row.tokens...))
		got, result, err := run(t, e.With(models), `{"prompt":"Capital of France?"}`, ``)
		require.NoError(t, err)
		require.InDelta(t, row.want, got["uncertainty"], 1e-9)
		require.Contains(t, got["answer"], "Paris")
		require.Equal(t, eval.Judge, result.Backend)
		require.True(t, server.Requests()[0].Chat().LogProbs)
		_, _, err = run(t, e.With(models), `{"prompt":""}`, ``)
		require.True(t, fault.Is(err, fault.Invalid))
	}
	checkCases(t, []judgeCase{{about: "an outage", slug: "uncertainty-detector", input: `{"prompt":"a"}`, script: []modeltest.Step{modeltest.Status(503, "x")}, kind: fault.Unavailable}})
}

// Where the judge's server tells log probabilities, scores are means of what was likely, and
// thresholds are compared with them.
func TestScoresAreWhatTheJudgeFoundLikely(t *testing.T) {
	t.Parallel()
	likely := func(p float64, said, other string) modeltest.Token {
		return modeltest.Token{Text: said, Likely: []modeltest.Token{{Text: said, LogProb: math.Log(p)}, {Text: other, LogProb: math.Log(1 - p)}}}
	}
	answer := func(before string, value modeltest.Token, after string) modeltest.Step {
		return modeltest.Answer(modeltest.Token{Text: before}, value, modeltest.Token{Text: after})
	}
	outcome := answer(`{"user_goal":"g","end_state":"e","reason":"r","verdict":"`, likely(0.9, "no", "yes"), `"}`)
	verdict := answer(`{"reason":"r","verdict":"`, likely(0.7, "yes", "no"), `"}`)
	for _, c := range []struct {
		slug, input, config, output string
		step                        modeltest.Step
		want                        any
		score                       float64
	}{
		{"toxicity-detector", `{"text":"You."}`, `{"threshold":0.6}`, "is_safe", verdict, false, 0.7},
		{"toxicity-detector", `{"text":"You."}`, `{"threshold":0.8}`, "is_safe", verdict, true, 0.7},
		{"sexism-detector", `{"text":"You."}`, `{"threshold":0.8}`, "is_safe", verdict, true, 0.7},
		{"prompt-injection", `{"prompt":"You."}`, `{"threshold":0.8}`, "has_injection", verdict, false, 0.7},
		{"action-advancement", `{"messages":[{"role":"assistant","content":"Which one?"}]}`, "", "pass", verdict, true, 0.7},
		{"agent-goal-accuracy", `{"question":"Q?","completion":"A.","reference":""}`, "", "accuracy_score", outcome, 0.0, 0.1},
		{"tone-detection", `{"text":"Well."}`, "", "tone", answer(`{"reason":"r","tone":"joy","sureness":`, likely(0.5, "4", "3"), `}`), "joy", 0.7},
	} {
		e, server := judgedBy(t, c.slug, c.step)
		got, result, err := run(t, e, c.input, askJudge(t, e, c.config))
		require.NoError(t, err, c.slug)
		require.Equal(t, c.want, got[c.output], "%s %s", c.slug, c.config)
		require.NotNil(t, result.Score, c.slug)
		require.InDelta(t, c.score, *result.Score, 1e-9, c.slug)
		require.True(t, server.Requests()[0].Chat().LogProbs, c.slug)
	}
}

func TestNamesByJudge(t *testing.T) {
	t.Parallel()
	const slug, out, in = "pii-detector", "reason", `{"text":"ask mia tan, or mail a@example.com"}`
	names := func(list string) []modeltest.Step { return says(`{"reason":"r","names":` + list + `}`) }
	checkCases(t, []judgeCase{
		{about: "a name", slug: slug, input: in, script: names(`["mia tan"]`), output: out, want: "Found EMAIL_ADDRESS, PERSON."},
		{about: "no name", slug: slug, input: in, script: names(`[]`), output: out, want: "Found EMAIL_ADDRESS."},
		{about: "empty names", slug: slug, input: in, script: names(`[""," "]`), output: out, want: "Found EMAIL_ADDRESS."},
		{about: "a name that is not in the text, then one that is", slug: slug, input: in, script: append(names(`["Mia Tan"]`), names(`["mia tan"]`)...), output: out, want: "Found EMAIL_ADDRESS, PERSON."},
		{about: "names that are not in the text", slug: slug, input: in, script: append(names(`["Mia Tan"]`), names(`["swordfish"]`)...), kind: fault.Unusable},
		{about: "no list", slug: slug, input: in, script: append(says(`{"reason":"r"}`), says(`The name is mia tan.`)...), kind: fault.Unusable},
		{about: "names are not looked for", slug: slug, input: in, config: `{"entities":"[\"PHONE_NUMBER\"]"}`, output: out, want: "Nothing was found."},
		{about: "an outage", slug: slug, input: in, script: []modeltest.Step{modeltest.Status(503, "x")}, kind: fault.Unavailable},
	})
	e, _ := judgedBy(t, slug, names(`["mia tan"]`)...)
	_, result, err := run(t, e, in, `{"backend":"judge"}`)
	require.NoError(t, err)
	require.Equal(t, []eval.Evidence{{Input: "text", Kind: "PERSON", Start: 4, End: 11}, {Input: "text", Kind: "EMAIL_ADDRESS", Start: 21, End: 34}}, result.Evidence)
	_, result, err = run(t, e, in, "")
	require.NoError(t, err)
	require.Equal(t, eval.Deterministic, result.Backend, "nothing goes to a judge by itself")
}
