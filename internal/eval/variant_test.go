// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Stand-ins for models: the name says which one answered.
type (
	judgeStub    struct{ err error }
	embedderStub struct{}
	scorerStub   struct{}
	answererStub struct{}
	labelsStub   struct{}
)

func (j judgeStub) Judge(context.Context, Question) (Verdict, error) {
	return Verdict{JSON: json.RawMessage(`{"text":"judged"}`), Usage: Usage{PromptTokens: 7, Cost: 0.5}}, j.err
}

func (embedderStub) Embed(context.Context, []string) (Embeddings, error) {
	return Embeddings{Model: "embedded by a server", Usage: Usage{PromptTokens: 3}}, nil
}

func (scorerStub) LogProbs(context.Context, string) (LogProbs, error) {
	return LogProbs{Model: "scored"}, nil
}

func (answererStub) Answer(context.Context, string) (Answer, error) {
	return Answer{Text: "answered"}, nil
}

func (labelsStub) Classify(context.Context, string) (Classification, error) {
	return Classification{Model: "classified"}, nil
}

func (labelsStub) ClassifyPair(context.Context, string, string) (Classification, error) {
	return Classification{Model: "classified"}, nil
}

type textOutput struct {
	Text string `json:"text" doc:"What judged."`
}

type textInput struct {
	Text string `json:"text" doc:"A text." need:"required" span:"output"`
}

// manyWays is an evaluator with every variant.
func manyWays() Definition[textInput, None, textOutput] {
	return Definition[textInput, None, textOutput]{
		Slug: "many-ways", Doc: "Says what judged.", Version: "3", Backend: Embedded,
		Run: func(context.Context, textInput, None) (textOutput, error) { return textOutput{"local"}, nil },
		ByJudge: func(ctx context.Context, m Models, _ textInput, _ None) (out textOutput, err error) {
			v, err := m.Judge.Judge(ctx, Question{})
			if err != nil {
				return out, err
			}
			return out, v.Into(&out)
		},
		ByEmbedding: func(ctx context.Context, m Models, _ textInput, _ None) (textOutput, error) {
			v, err := m.Embedder.Embed(ctx, nil)
			return textOutput{v.Model}, err
		},
		ByClassifier: func(ctx context.Context, m Models, _ textInput, _ None) (textOutput, error) {
			v, err := m.Classifier.Classify(ctx, "")
			return textOutput{v.Model}, err
		},
		Examples: []Example{
			{About: "a text", Input: `{"text": "a"}`, Want: `{"text": "local"}`},
			{About: "a verdict", Input: `{"text": "a"}`, Judge: []string{`{"text": "judged"}`}, Want: `{"text": "judged"}`},
		},
	}
}

func makeEvaluator[In, Cfg, Out any](t *testing.T, d Definition[In, Cfg, Out]) *Evaluator {
	t.Helper()
	e, err := New(d)
	require.NoError(t, err)
	return e
}

func TestTheBestConfiguredVariantJudges(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, manyWays())
	all := Models{Judge: judgeStub{}, Embedder: embedderStub{}, Classifier: labelsStub{}}
	for _, row := range []struct {
		models  Models
		config  string
		text    string
		backend Backend
		version string
	}{
		{Models{}, ``, "local", Embedded, ""},
		{Models{}, `{"backend":"auto"}`, "local", Embedded, ""},
		{Models{Judge: judgeStub{}}, ``, "judged", Judge, "3"},
		{Models{Judge: judgeStub{}}, `{"backend":"embedded"}`, "local", Embedded, ""},
		{all, `null`, "classified", Classifier, ""},
		{all, `{"backend":"embedding","other":1}`, "embedded by a server", Embedding, ""},
		{all, `{"backend":"judge"}`, "judged", Judge, "3"},
	} {
		with := e.With(row.models)
		plan, err := with.Plan(json.RawMessage(row.config))
		require.NoError(t, err)
		require.Equal(t, Plan{Backend: row.backend, Deferred: row.backend != Embedded}, plan)
		got, err := with.FromJSON(t.Context(), json.RawMessage(`{"text":"a"}`), json.RawMessage(row.config))
		require.NoError(t, err)
		require.Equal(t, []Output{{"text", row.text}}, got.Outputs)
		require.Equal(t, row.backend, got.Backend)
		require.Equal(t, row.version, got.Version)
		again, err := fromSpan(t.Context(), with, parts{"output": "a"}, json.RawMessage(row.config))
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}

func TestAFailedJudgeIsNotReplaced(t *testing.T) {
	t.Parallel()
	down := judgeStub{fault.New(fault.Unavailable, "the judge is down")}
	e := makeEvaluator(t, manyWays()).With(Models{Judge: down})
	got, err := e.FromJSON(t.Context(), json.RawMessage(`{"text":"a"}`), nil)
	require.True(t, fault.Is(err, fault.Unavailable))
	require.Equal(t, Result{Usage: Usage{PromptTokens: 7, Cost: 0.5}}, got, "the cost is there")
}

func TestUsageIsTold(t *testing.T) {
	t.Parallel()
	got, err := fromSpan(t.Context(), makeEvaluator(t, manyWays()).With(Models{Judge: judgeStub{}}), parts{"output": "a"}, nil)
	require.NoError(t, err)
	require.Equal(t, Usage{PromptTokens: 7, Cost: 0.5}, got.Usage)
}

func TestBackendsAreChecked(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, manyWays())
	for config, want := range map[string]string{
		`{"backend":"deterministic"}`: "config.backend must be one of auto, classifier, embedding, judge, embedded",
		`{"backend":""}`:              "config.backend must be one of auto, classifier, embedding, judge, embedded",
		`{"backend":7}`:               "config.backend must be a string",
		`[]`:                          "config must be an object",
	} {
		require.EqualError(t, e.CheckConfig(json.RawMessage(config)), want)
		_, err := e.Plan(json.RawMessage(config))
		require.EqualError(t, err, want)
		_, err = e.FromJSON(t.Context(), json.RawMessage(`{"text":"a"}`), json.RawMessage(config))
		require.EqualError(t, err, want)
	}
	require.NoError(t, e.CheckConfig(json.RawMessage(`{"backend":"judge"}`)), "whether there is one is for the plan to say")
	_, err := e.Plan(json.RawMessage(`{"backend":"judge"}`))
	require.True(t, fault.Is(err, fault.NotConfigured))
	require.EqualError(t, err, "many-ways needs a judge model; configure one in the models extension")
	_, err = e.FromJSON(t.Context(), json.RawMessage(`{"text":"a"}`), json.RawMessage(`{"backend":"classifier"}`))
	require.EqualError(t, err, "many-ways needs a classifier model; configure one in the models extension")
	require.Equal(t, []string{"auto", "classifier", "embedding", "judge", "embedded"}, e.Config[0].Values)
	require.Equal(t, "auto", e.Config[0].Default)
}

func TestEvaluatorsWithoutALocalVariantSaySo(t *testing.T) {
	t.Parallel()
	d := manyWays()
	d.Run, d.ByEmbedding, d.ByClassifier, d.Backend = nil, nil, nil, ""
	d.Examples = d.Examples[1:]
	e := makeEvaluator(t, d)
	require.Equal(t, Judge, e.Backend)
	require.Empty(t, e.Examples)
	require.Len(t, e.JudgeExamples, 1)
	for _, models := range []Models{{}, {Embedder: embedderStub{}, Classifier: labelsStub{}, Answerer: answererStub{}, Scorer: scorerStub{}}} {
		_, err := fromSpan(t.Context(), e.With(models), parts{"output": "a"}, nil)
		require.True(t, fault.Is(err, fault.NotConfigured))
		_, err = e.With(models).Plan(nil)
		require.EqualError(t, err, "many-ways needs a judge model; configure one in the models extension")
	}
	_, err := e.FromJSON(t.Context(), json.RawMessage(`{}`), nil)
	require.EqualError(t, err, "input.text is required", "the request is looked at first")
	_, err = fromSpan(t.Context(), e, parts{}, nil)
	require.ErrorIs(t, err, ErrMissingInput)
}

func TestLanguageModelsJudgeInOtherWays(t *testing.T) {
	t.Parallel()
	d := manyWays()
	d.ByJudge, d.ByEmbedding, d.ByClassifier, d.Version = nil, nil, nil, ""
	d.Examples = d.Examples[:1]
	d.ByScore = func(ctx context.Context, m Models, in textInput, _ None) (textOutput, error) {
		v, err := m.Scorer.LogProbs(ctx, in.Text)
		return textOutput{v.Model}, err
	}
	d.ByAnswer = func(ctx context.Context, m Models, in textInput, _ None) (textOutput, error) {
		v, err := m.Answerer.Answer(ctx, in.Text)
		return textOutput{v.Text}, err
	}
	e := makeEvaluator(t, d)
	for text, models := range map[string]Models{
		"local": {Judge: judgeStub{}}, "scored": {Scorer: scorerStub{}}, "answered": {Scorer: scorerStub{}, Answerer: answererStub{}},
	} {
		got, err := e.With(models).FromJSON(t.Context(), json.RawMessage(`{"text":"a"}`), nil)
		require.NoError(t, err)
		require.Equal(t, text, got.Outputs[0].Value)
	}
}

func TestCatalogsAreBoundToModels(t *testing.T) {
	t.Parallel()
	c, err := NewCatalog(makeEvaluator(t, manyWays()), newEcho(t))
	require.NoError(t, err)
	var asked []string
	models := Models{}
	bound := c.With(func(slug string) Models {
		asked = append(asked, slug)
		return models
	})
	require.Len(t, bound.All(), 2)
	e, ok := bound.Get("many-ways")
	require.True(t, ok)
	require.Same(t, bound.All()[1], e)
	plan, err := e.Plan(nil)
	require.NoError(t, err)
	require.False(t, plan.Deferred)
	models.Judge = judgeStub{}
	plan, err = e.Plan(nil)
	require.NoError(t, err)
	require.Equal(t, Plan{Backend: Judge, Deferred: true}, plan, "models that come later are used")
	require.Equal(t, []string{"many-ways", "many-ways"}, asked)

	unbound, ok := c.Get("many-ways")
	require.True(t, ok)
	plan, err = unbound.Plan(nil)
	require.NoError(t, err)
	require.Equal(t, Plan{Backend: Embedded}, plan)
	echo, ok := bound.Get("echo")
	require.True(t, ok)
	plan, err = echo.Plan(json.RawMessage(`{"backend":"judge"}`))
	require.NoError(t, err, "an unknown field as far as it is concerned")
	require.Equal(t, Plan{Backend: Embedded}, plan)
}

func TestMalformedVariantsAreRefused(t *testing.T) {
	t.Parallel()
	for want, broken := range map[string]func(d *Definition[textInput, None, textOutput]){
		"prompts have a version": func(d *Definition[textInput, None, textOutput]) { d.Version = "" },
		"nothing else has":       func(d *Definition[textInput, None, textOutput]) { d.ByJudge, d.Examples = nil, d.Examples[:1] },
		"judge that is not":      func(d *Definition[textInput, None, textOutput]) { d.ByJudge, d.Version = nil, "" },
		"example 2":              func(d *Definition[textInput, None, textOutput]) { d.Examples[1].Judge = []string{"{"} },
	} {
		d := manyWays()
		broken(&d)
		_, err := New(d)
		require.ErrorContains(t, err, want)
	}
	_, err := New(Definition[textInput, choiceConfig, textOutput]{
		Slug: "taken", Doc: "Taken.", Examples: []Example{{Input: "{}", Want: "{}"}},
		ByEmbedding: func(context.Context, Models, textInput, choiceConfig) (textOutput, error) { return textOutput{}, nil },
	})
	require.ErrorContains(t, err, "config field backend")
}

func TestMarkdownTellsVariants(t *testing.T) {
	t.Parallel()
	only := manyWays()
	only.Slug, only.Run, only.ByEmbedding, only.ByClassifier, only.Backend, only.Examples = "only-judge", nil, nil, nil, "", only.Examples[1:]
	c, err := NewCatalog(makeEvaluator(t, manyWays()), makeEvaluator(t, only))
	require.NoError(t, err)
	page := string(Markdown(c))
	for _, line := range []string{
		"Backend: classifier if configured, else embedding if configured, else judge with prompts of version 3 if configured, else embedded.",
		"Backend: judge with prompts of version 3, which must be configured.",
		"| `backend` | one of `auto`, `classifier`, `embedding`, `judge`, `embedded` | `auto` | What is to judge: auto is the best that is configured. |",
		"With a judge, a verdict:\n",
		"The judge says:\n\n```json\n{\"text\": \"judged\"}\n```",
	} {
		require.Contains(t, page, line)
	}
	e, _ := c.Get("only-judge")
	request, err := json.Marshal(e.RequestSchema())
	require.NoError(t, err)
	require.Contains(t, string(request), `"enum":["auto","judge"]`)
	require.Contains(t, string(request), `"examples":[{"input":{"text":"a"}}]`)
}

// Models on request judge where the configuration names them, and nowhere else.
func TestModelsOnRequest(t *testing.T) {
	t.Parallel()
	d := manyWays()
	d.Slug, d.OnRequest, d.ByEmbedding = "on-request", true, nil
	e := makeEvaluator(t, d).With(Models{Judge: judgeStub{}, Classifier: labelsStub{}})
	plan, err := e.Plan(nil)
	require.NoError(t, err)
	require.Equal(t, Plan{Backend: Embedded}, plan)
	plan, err = e.Plan(json.RawMessage(`{"backend":"judge"}`))
	require.NoError(t, err)
	require.Equal(t, Plan{Backend: Judge, Deferred: true}, plan)
	_, err = e.With(Models{}).Plan(json.RawMessage(`{"backend":"judge"}`))
	require.True(t, fault.Is(err, fault.NotConfigured))
	c, err := NewCatalog(e)
	require.NoError(t, err)
	require.Equal(t, []Backend{Embedded, Classifier, Judge}, e.Backends())
	require.Contains(t, string(Markdown(c)), "Backend: embedded, or on request classifier or judge with prompts of version 3.")
	d.Cascade = true
	_, err = New(d)
	require.ErrorContains(t, err, "are no cascade")
}
