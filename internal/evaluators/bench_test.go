// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
)

// Two texts of 1 KB on one subject: one is judged, the other is what it is
// judged by.
var (
	//go:embed testdata/bench_answer.txt
	benchAnswer string
	//go:embed testdata/bench_question.txt
	benchQuestion string
)

// benchJudge answers at once, with whatever fits the schema: what is measured
// is everything but the model.
type benchJudge struct{}

func (benchJudge) Judge(_ context.Context, q eval.Question) (eval.Verdict, error) {
	var schema benchSchema
	if err := json.Unmarshal(q.Schema, &schema); err != nil {
		return eval.Verdict{}, err
	}
	answer, err := json.Marshal(schema.example(0))
	return eval.Verdict{JSON: answer, Model: "none"}, err
}

type benchSchema struct {
	Type       any                    `json:"type"`
	Enum       []any                  `json:"enum"`
	Properties map[string]benchSchema `json:"properties"`
	Items      *benchSchema           `json:"items"`
	Minimum    *float64               `json:"minimum"`
}

// example returns a value that fits; those of one array are numbered.
func (s benchSchema) example(index int) any {
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		object := map[string]any{}
		for name, p := range s.Properties {
			object[name] = p.example(index)
		}
		return object
	case "array":
		return []any{s.Items.example(0), s.Items.example(1)}
	case "integer":
		return index + 1
	case "number":
		return 1
	case "boolean":
		return true
	}
	return "The council decided on the library."
}

// benchList returns a JSON array with pieces of a text.
func benchList(text string, piece func(i int, text string) any) string {
	var list []any
	for i := range 4 {
		list = append(list, piece(i, text[i*len(text)/4:(i+1)*len(text)/4]))
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return string(b)
}

// benchText is what a field holds: 1 KB of English, or of what it asks for.
func benchText(e *eval.Evaluator, f *eval.Field, example any) string {
	plain := func(_ int, text string) any { return text }
	said := func(i int, text string) any {
		return map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text}
	}
	call := func(i int, text string) any {
		return map[string]any{"name": fmt.Sprint("look_up_", i), "input": map[string]any{"query": text, "limit": i}}
	}
	switch e.Slug + "." + f.Name {
	case "json-validator.text":
		return benchList(benchAnswer, call)
	case "sql-validator.text":
		return "SELECT r.id, count(*) AS loans, max(l.due) FROM readers r JOIN loans l ON l.reader = r.id WHERE r.name IN ('" +
			strings.Repeat("a reader', '", 60) + "') AND l.due < now() - interval '7 days' GROUP BY r.id HAVING count(*) > 3 ORDER BY loans DESC LIMIT 50"
	case "html-comparison.html1", "html-comparison.html2":
		return "<html><body><h1>Council</h1>" + strings.ReplaceAll("<p class=\"note\">"+map[string]string{"html1": benchAnswer, "html2": benchQuestion}[f.Name]+"</p>", ". ", ".</p><p>") + "</body></html>"
	case "instruction-adherence.instructions": // such as need no judge
		return "Write at least 100 words. Use at most 12 sentences. Include the words library and council. Do not use the word museum. Write at least one paragraph."
	case "placeholder-regex.placeholder_value":
		return "librar(y|ies)"
	}
	switch f.Name {
	case "prompts", "trajectory_prompts":
		return benchList(benchQuestion, plain)
	case "completions", "trajectory_completions":
		return benchList(benchAnswer, plain)
	case "messages", "input_messages", "output_messages":
		return benchList(benchAnswer, said)
	case "executed_tool_calls", "expected_tool_calls":
		return benchList(benchAnswer, call)
	case "tool_input", "tool_output":
		return benchList(benchAnswer, call)
	case "logprobs":
		return "[" + strings.Repeat("-0.5,", 204) + "-1]"
	case "reference_topics":
		return `["the library budget", "opening hours", "building permits"]`
	case "question", "query", "context", "ground_truth", "reference", "prompt", "instructions", "denominator_text":
		return benchQuestion
	}
	if text, ok := example.(string); f.JSONText && ok {
		return text
	} else if f.JSONText {
		b, err := json.Marshal(example)
		if err != nil {
			panic(err) // a mistake in an example
		}
		return string(b)
	}
	return benchAnswer
}

// benchInput returns an evaluator's input: all of it that is required.
func benchInput(e *eval.Evaluator) (map[string]any, json.RawMessage) {
	var example map[string]any
	var config string
	for _, x := range append(e.Examples, e.JudgeExamples...) {
		if x.Want != "" && example == nil {
			config = x.Config
			if err := json.Unmarshal([]byte(x.Input), &example); err != nil {
				panic(err) // a mistake in an example
			}
		}
	}
	input := map[string]any{}
	for i := range e.Input {
		if f := &e.Input[i]; f.Required {
			input[f.Name] = benchText(e, f, example[f.Name])
		}
	}
	return input, json.RawMessage(config)
}

// benchRun is one row: an evaluator, the models it is given and what it judges.
type benchRun struct {
	name   string // slug/backend
	e      *eval.Evaluator
	span   parts
	config json.RawMessage
}

// benchRuns returns a row for each way in which each evaluator of the catalog
// judges without a model, and for each a row with a judge.
func benchRuns(t testing.TB) []benchRun {
	var runs []benchRun
	for _, e := range Catalog().All() {
		input, config := benchInput(e)
		add := func(e *eval.Evaluator) {
			plan, err := e.Plan(config)
			if fault.Is(err, fault.NotConfigured) {
				return
			}
			require.NoError(t, err, e.Slug)
			name := e.Slug + "/" + string(plan.Backend)
			if len(runs) == 0 || runs[len(runs)-1].name != name {
				runs = append(runs, benchRun{name, e, spanOf(e, input), config})
			}
		}
		add(e)
		add(e.With(eval.Models{Judge: benchJudge{}}))
	}
	return runs
}

func (r *benchRun) judge(ctx context.Context) (eval.Result, error) {
	return fromSpan(ctx, r.e, r.span, r.config)
}

func TestEveryEvaluatorIsMeasured(t *testing.T) {
	t.Parallel()
	measured := map[string]bool{}
	for _, r := range benchRuns(t) {
		first, err := r.judge(t.Context())
		require.NoError(t, err, r.name)
		for range 3 {
			again, err := r.judge(t.Context())
			require.NoError(t, err, r.name)
			require.Equal(t, first, again, "%s: same input, same answer", r.name)
		}
		slug, _, _ := strings.Cut(r.name, "/")
		measured[slug] = true
	}
	require.Len(t, measured, len(Catalog().All()))
	for _, text := range []string{benchAnswer, benchQuestion} {
		require.Len(t, text, 1024)
	}
}

// BenchmarkEvaluator judges 1 KB of English on a span, or as much of what the
// evaluator judges. Where a judge is needed, the row is what is around it.
func BenchmarkEvaluator(b *testing.B) {
	for _, r := range benchRuns(b) {
		b.Run(r.name, func(b *testing.B) {
			_, err := r.judge(b.Context()) // what is made once is made
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.judge(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSpanByPIIProfanityTone is one passing span with an answer of 1 KB,
// judged by three evaluators.
func BenchmarkSpanByPIIProfanityTone(b *testing.B) {
	var three []*eval.Evaluator
	for _, slug := range []string{"pii-detector", "profanity-detector", "tone-detection"} {
		e, ok := Catalog().Get(slug)
		require.True(b, ok)
		three = append(three, e)
	}
	s := ptrace.NewSpan()
	for key, text := range map[string]string{
		"gen_ai.system": "openai", "gen_ai.request.model": "gpt-4o-mini", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": benchQuestion,
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": benchAnswer, "traceloop.workflow.name": "minutes",
	} {
		s.Attributes().PutStr(key, text)
	}
	resource := pcommon.NewResource()
	view := genai.NewView(resource, s)
	b.ReportAllocs()
	for b.Loop() {
		view.Reset(resource, s)
		for _, e := range three {
			if _, err := fromSpan(b.Context(), e, view, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkSetup judges a text by all evaluators of a usual setup.
func BenchmarkSetup(b *testing.B) {
	for _, row := range []struct {
		name  string
		text  string
		slugs []string
	}{
		{"chat of 1 KB", benchAnswer, []string{"pii-detector", "profanity-detector", "tone-detection", "prompt-injection", "secrets-detector"}},
		{"counts of 1.3 KB", benchAnswer + benchQuestion[:300], []string{"toxicity-detector", "prompt-injection", "pii-detector", "word-count", "char-count", "char-count-ratio"}},
	} {
		b.Run(row.name, func(b *testing.B) {
			runs := make([]benchRun, len(row.slugs))
			for i, slug := range row.slugs {
				e, ok := Catalog().Get(slug)
				require.True(b, ok, slug)
				input := map[string]any{}
				for j := range e.Input {
					input[e.Input[j].Name] = row.text
				}
				runs[i] = benchRun{slug, e, spanOf(e, input), nil}
				_, err := runs[i].judge(b.Context()) // what is made once is made
				require.NoError(b, err, slug)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, r := range runs {
					if _, err := r.judge(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
