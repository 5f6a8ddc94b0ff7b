// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// eachEvaluator runs test for every evaluator of the catalog. What these tests
// prove holds for evaluators that are yet to be written.
func eachEvaluator(t *testing.T, test func(t *testing.T, e *eval.Evaluator)) {
	t.Helper()
	require.NotEmpty(t, Catalog().All())
	for _, e := range Catalog().All() {
		t.Run(e.Slug, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

func TestExamplesHold(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		require.NotEmpty(t, append(e.Examples, e.JudgeExamples...))
		for _, x := range e.Examples {
			got, err := e.FromJSON(t.Context(), json.RawMessage(x.Input), json.RawMessage(x.Config))
			if x.Refused != "" {
				require.True(t, fault.Is(err, fault.Invalid), "%s: %v", x.About, err)
				require.Equal(t, x.Refused, fault.Message(err), x.About)
				continue
			}
			require.NoError(t, err, x.About)
			answer, err := json.Marshal(got)
			require.NoError(t, err, x.About)
			requireSameAnswer(t, x.Want, string(answer), x.About)
			require.Equal(t, e.Backend, got.Backend)
		}
	})
}

// requireSameAnswer compares two objects; numbers may differ by noise. The answers besides
// outputs is compared where it is wanted, but for what is uncertain, which always is.
func requireSameAnswer(t *testing.T, want, got, about string) {
	t.Helper()
	var wanted, given map[string]any
	require.NoError(t, json.Unmarshal([]byte(want), &wanted), about)
	require.NoError(t, json.Unmarshal([]byte(got), &given), about)
	require.Equal(t, wanted["uncertain"], given["uncertain"], about)
	for _, beside := range []string{"score", "reason", "evidence"} {
		if _, is := wanted[beside]; !is {
			delete(given, beside)
		}
	}
	require.Len(t, given, len(wanted), about)
	for name, value := range wanted {
		if number, ok := value.(float64); ok {
			require.InDelta(t, number, given[name], 1e-9, about)
			continue
		}
		require.Equal(t, value, given[name], about)
	}
}

func TestSomeExampleIsAnswered(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		for _, x := range append(e.Examples, e.JudgeExamples...) {
			if x.Want != "" {
				return
			}
		}
		require.Fail(t, "every example is refused")
	})
}

// fullInput is the input of the first example that is answered: it has every
// required field.
func fullInput(t *testing.T, e *eval.Evaluator) (input map[string]any, config json.RawMessage) {
	t.Helper()
	for _, x := range append(e.Examples, e.JudgeExamples...) {
		if x.Want != "" {
			require.NoError(t, json.Unmarshal([]byte(x.Input), &input))
			return input, json.RawMessage(x.Config)
		}
	}
	return nil, nil
}

func TestRequiredInputsAreRequired(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		input, config := fullInput(t, e)
		for _, f := range e.Input {
			if !f.Required {
				continue
			}
			without := maps.Clone(input)
			delete(without, f.Name)
			refuses(t, e, without, config, fault.Invalid, "input."+f.Name+" is required")
			without[f.Name] = nil
			refuses(t, e, without, config, fault.Invalid, "input."+f.Name+" is required")
		}
	})
}

func TestInputsHaveATypeAndASize(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		input, config := fullInput(t, e)
		for _, f := range e.Input {
			wrong := maps.Clone(input)
			for _, value := range []any{7, true} {
				wrong[f.Name] = value
				refuses(t, e, wrong, config, fault.Invalid, "input."+f.Name+" must be a string")
			}
			if !f.JSONText {
				wrong[f.Name] = []string{"list"}
				refuses(t, e, wrong, config, fault.Invalid, "input."+f.Name+" must be a string")
			}
			wrong[f.Name] = string(bytes.Repeat([]byte("a"), eval.MaxText+1))
			refuses(t, e, wrong, config, fault.TooLarge, "input."+f.Name)
		}
	})
}

func TestConfigsHaveTypesAndBounds(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		input, config := fullInput(t, e)
		settings := map[string]any{}
		if len(config) > 0 {
			require.NoError(t, json.Unmarshal(config, &settings))
		}
		refusesSetting := func(name string, value any) {
			wrong := maps.Clone(settings)
			wrong[name] = value
			refuses(t, e, input, toJSON(t, wrong), fault.Invalid, "config."+name)
		}
		for _, f := range e.Config {
			refusesSetting(f.Name, map[eval.Type]any{eval.String: 7, eval.Boolean: "true", eval.Float: "0.5", eval.Integer: 1.5}[f.Type])
			if f.Required {
				refusesSetting(f.Name, nil)
				without := maps.Clone(settings)
				delete(without, f.Name)
				for _, config := range []json.RawMessage{toJSON(t, without), nil, json.RawMessage("null"), json.RawMessage("{}")} {
					refuses(t, e, input, config, fault.Invalid, "config")
				}
			}
			if f.Min != nil {
				refusesSetting(f.Name, *f.Min-1)
			}
			if f.Max != nil {
				refusesSetting(f.Name, *f.Max+1)
			}
		}
		settings["no such setting"] = []int{1}
		require.NoError(t, e.CheckConfig(toJSON(t, settings)))
		require.True(t, fault.Is(e.CheckConfig(json.RawMessage(`[]`)), fault.Invalid))
	})
}

func refuses(t *testing.T, e *eval.Evaluator, input map[string]any, config json.RawMessage, kind fault.Kind, about string) {
	t.Helper()
	_, err := e.FromJSON(t.Context(), toJSON(t, input), config)
	require.Equal(t, kind, fault.KindOf(err), "%v", err)
	require.Contains(t, fault.Message(err), about)
}

func toJSON(t *testing.T, value any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

func TestSameInputSameAnswer(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		for _, x := range e.Examples {
			first, firstErr := e.FromJSON(t.Context(), json.RawMessage(x.Input), json.RawMessage(x.Config))
			again, againErr := e.FromJSON(t.Context(), json.RawMessage(x.Input), json.RawMessage(x.Config))
			require.Equal(t, first, again)
			require.Equal(t, firstErr, againErr)
		}
	})
}

// parts is a span for tests.
type parts map[span.Part]string

func (p parts) Part(name span.Part) (string, bool) {
	text, ok := p[name]
	return text, ok
}

// fromInputs judges inputs with a configuration that is read for them alone.
func fromInputs(ctx context.Context, e *eval.Evaluator, get func(f *eval.Field) (string, bool), config json.RawMessage) (eval.Result, error) {
	p, err := e.Prepare(config)
	if err != nil {
		return eval.Result{}, err
	}
	return p.FromInputs(ctx, get)
}

// fromSpan judges the parts of a span.
func fromSpan(ctx context.Context, e *eval.Evaluator, s eval.Source, config json.RawMessage) (eval.Result, error) {
	return fromInputs(ctx, e, func(f *eval.Field) (string, bool) {
		if f.Part == "" {
			return "", false
		}
		return s.Part(f.Part)
	}, config)
}

// spanOf lays out an input as the parts of a span.
func spanOf(e *eval.Evaluator, input map[string]any) parts {
	p := parts{}
	for _, f := range e.Input {
		text, ok := input[f.Name].(string)
		if !ok && f.JSONText && input[f.Name] != nil {
			list, err := json.Marshal(input[f.Name])
			text, ok = string(list), err == nil
		}
		if ok && f.Part != "" {
			p[f.Part] = text
		}
	}
	return p
}

func TestSpansAreJudgedAsRequestsAre(t *testing.T) {
	t.Parallel()
	eachEvaluator(t, func(t *testing.T, e *eval.Evaluator) {
		input, config := fullInput(t, e)
		span := spanOf(e, input)
		if e.Unmapped(func(string) bool { return false }) != nil {
			_, err := fromSpan(t.Context(), e, span, config)
			require.ErrorIs(t, err, eval.ErrMissingInput)
			return
		}
		e = answered(t, e)
		want, err := e.FromJSON(t.Context(), toJSON(t, input), config)
		require.NoError(t, err)
		got, err := fromSpan(t.Context(), e, span, config)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for _, f := range e.Input {
			if !f.Required {
				continue
			}
			without := maps.Clone(span)
			delete(without, f.Part)
			_, err := fromSpan(t.Context(), e, without, config)
			require.ErrorIs(t, err, eval.ErrMissingInput)
		}
	})
}

func TestDocumentationIsFresh(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile(filepath.Join("..", "..", "docs", "evaluators.md"))
	require.NoError(t, err)
	require.Equal(t, string(eval.Markdown(Catalog())), string(written), "run make generate")
}

func FuzzFromJSON(f *testing.F) {
	f.Add(`{"text": "a", "TEXT": null}`, `{}`)
	f.Add(`{"text": "\ud800\u0000"}`, `{"threshold": 1e-400}`)
	f.Add(`{"logprobs": "[-1e308, -1e308]"}`, `null`)
	for _, e := range Catalog().All() {
		for _, x := range e.Examples {
			f.Add(x.Input, x.Config)
			// What an evaluator reads when it is first used does not count as time of an
			// input, of which the fuzzer gives each ten seconds.
			_, _ = e.FromJSON(f.Context(), json.RawMessage(x.Input), json.RawMessage(x.Config))
		}
	}
	f.Fuzz(func(t *testing.T, input, config string) {
		for _, e := range Catalog().All() {
			begin := time.Now()
			got, err := e.FromJSON(t.Context(), json.RawMessage(input), json.RawMessage(config))
			checkOutcome(t, e, got, err)
			span := parts{}
			for _, field := range e.Input {
				span[field.Part] = input
			}
			got, err = fromSpan(t.Context(), e, span, json.RawMessage(config))
			checkOutcome(t, e, got, err)
			require.Less(t, time.Since(begin), 4*time.Second, e.Slug)
		}
	})
}

// checkOutcome holds what every call promises: an answer that can be written
// or a refusal that tells the caller what is wrong, and never a defect.
func checkOutcome(t *testing.T, e *eval.Evaluator, got eval.Result, err error) {
	t.Helper()
	if err == nil && got.Reason == eval.ReasonLanguage {
		require.NotContains(t, e.Languages, got.Language)
	}
	if err != nil {
		kind := fault.KindOf(err)
		if kind == fault.NotConfigured {
			require.Contains(t, fault.Message(err), e.Slug+" needs ")
			return
		}
		if kind != fault.Invalid && kind != fault.TooLarge {
			require.ErrorIs(t, err, eval.ErrMissingInput, e.Slug)
			return
		}
		require.Regexp(t, `(input|config)(\.[a-z0-9_]+)? `, fault.Message(err))
		return
	}
	require.Len(t, got.Outputs, len(e.Output))
	answer, err := json.Marshal(got)
	require.NoError(t, err, e.Slug)
	require.True(t, json.Valid(answer))
	for i, o := range got.Outputs {
		require.Equal(t, e.Output[i].Name, o.Name)
		if text, ok := o.Value.(string); ok {
			require.True(t, utf8.ValidString(text))
		}
	}
}

func TestDefineRefusesADefect(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() {
		define(eval.Definition[charCountInput, eval.None, charCountOutput]{Slug: "Not A Slug"})
	})
	require.Panics(t, func() {
		define(eval.Definition[charCountInput, eval.None, charCountOutput]{
			Slug: "char-count", Doc: "Taken.",
			Run: func(context.Context, charCountInput, eval.None) (charCountOutput, error) {
				return charCountOutput{}, nil
			},
			Examples: []eval.Example{{Input: `{}`, Want: `{}`}},
		})
	})
}

// An evaluator that tells places tells one exactly where it judges against a text.
func TestPlacesGoWithVerdicts(t *testing.T) {
	t.Parallel()
	telling := 0
	for _, e := range Catalog().All() {
		if !e.TellsPlaces() {
			_, err := e.Finder(nil)
			require.True(t, fault.Is(err, fault.Invalid), e.Slug)
			continue
		}
		telling++
		for _, x := range e.Examples {
			find, err := e.Finder(json.RawMessage(x.Config))
			if err != nil {
				require.True(t, fault.Is(err, fault.Invalid), "%s: %s", e.Slug, x.About)
				continue
			}
			var in struct {
				Text string `json:"text"`
			}
			require.NoError(t, json.Unmarshal([]byte(x.Input), &in))
			places, err := find(t.Context(), in.Text)
			require.NoError(t, err)
			for _, p := range places {
				require.Regexp(t, `^[A-Z][A-Z_]*$`, p.Kind)
				require.True(t, p.Start >= 0 && p.Start < p.End && p.End <= len(in.Text), x.About)
			}
			result, err := e.FromJSON(t.Context(), json.RawMessage(x.Input), json.RawMessage(x.Config))
			require.NoError(t, err)
			good := (&eval.Evaluation{Status: eval.Done, Outputs: result.Outputs}).Good()
			require.NotNil(t, good, e.Slug)
			require.Equal(t, *good, len(places) == 0, "%s: %s", e.Slug, x.About)
		}
	}
	require.Equal(t, 3, telling)
}

func TestPlacesOfDisguises(t *testing.T) {
	t.Parallel()
	e, ok := Catalog().Get("pii-detector")
	require.True(t, ok)
	find, err := e.Finder(nil)
	require.NoError(t, err)
	const text = `Write to ada&#64;example` + "\u200b" + `.org, or to "bob@example.org".`
	places, err := find(t.Context(), text)
	require.NoError(t, err)
	var found []string
	for _, p := range places {
		require.Equal(t, "EMAIL_ADDRESS", p.Kind)
		found = append(found, text[p.Start:p.End])
	}
	require.Subset(t, found, []string{"ada&#64;example\u200b.org", "bob@example.org"})
}
