// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

type echoInput struct {
	Text string                 `json:"text" doc:"A text." need:"required" span:"output"`
	Note string                 `json:"note" doc:"An optional text." span:"attribute:note"`
	List JSONText[[]int]        `json:"list" doc:"A list." span:"tool_calls"`
	Fact string                 `json:"whole_text" doc:"Never cut." span:"question" whole:"true"`
	Tags JSONText[upperDecoder] `json:"tags" doc:"A list of its own form."`
}

type upperDecoder []string

func (u *upperDecoder) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("must not be empty")
	}
	*u = strings.Split(strings.ToUpper(string(text)), ",")
	return nil
}

type echoConfig struct {
	Ratio  float64         `json:"ratio" doc:"A ratio." min:"0" max:"1"`
	Least  int             `json:"least" doc:"At least this." min:"2"`
	Most   int64           `json:"most" doc:"At most this." max:"9"`
	Loud   bool            `json:"loud" doc:"In capitals."`
	Prefix string          `json:"prefix" doc:"Put before."`
	Words  JSONText[[]int] `json:"words" doc:"Numbers | and bars."`
}

type echoOutput struct {
	Text   string  `json:"text" doc:"The text again."`
	Length int     `json:"length" doc:"Its bytes."`
	Sum    int64   `json:"sum" doc:"Of the list."`
	Ratio  float64 `json:"ratio" doc:"The ratio again."`
	Loud   bool    `json:"loud" doc:"Whether in capitals."`
}

func echo() Definition[echoInput, echoConfig, echoOutput] {
	return Definition[echoInput, echoConfig, echoOutput]{
		Slug:     "echo",
		Doc:      "Gives back what it gets.",
		Backend:  Embedded,
		Defaults: echoConfig{Ratio: 0.5, Least: 2, Prefix: "> "},
		Check: func(cfg echoConfig) error {
			if cfg.Prefix == "refused" {
				return fault.New(fault.Invalid, "config.prefix is refused")
			}
			return nil
		},
		Run: func(_ context.Context, in echoInput, cfg echoConfig) (echoOutput, error) {
			switch in.Text {
			case "panic":
				panic("with the text of a user")
			case "index":
				return echoOutput{Length: in.List.Value[5]}, nil
			case "nan":
				return echoOutput{Ratio: math.NaN()}, nil
			case "inf":
				return echoOutput{Ratio: math.Inf(-1)}, nil
			case "broken":
				return echoOutput{}, errors.New("a defect")
			}
			out := echoOutput{Text: cfg.Prefix + in.Text + in.Note, Length: len(in.Text), Ratio: cfg.Ratio, Loud: cfg.Loud}
			for _, n := range append(in.List.Value, cfg.Words.Value...) {
				out.Sum += int64(n)
			}
			if cfg.Loud {
				out.Text = strings.ToUpper(out.Text)
			}
			return out, nil
		},
		Examples: []Example{
			{About: "a text", Input: `{"text": "hi"}`, Config: `{"loud": true}`, Want: `{"text": "> HI", "length": 2, "sum": 0, "ratio": 0.5, "loud": true}`},
			{About: "none", Input: `{}`, Refused: "input.text is required"},
		},
	}
}

func newEcho(t testing.TB) *Evaluator {
	t.Helper()
	e, err := New(echo())
	require.NoError(t, err)
	return e
}

func call(t *testing.T, input, config string) (string, error) {
	t.Helper()
	got, err := newEcho(t).FromJSON(t.Context(), json.RawMessage(input), json.RawMessage(config))
	if err != nil {
		return "", err
	}
	require.Equal(t, Embedded, got.Backend)
	require.False(t, got.Truncated)
	answer, err := json.Marshal(got)
	require.NoError(t, err)
	return string(answer), nil
}

func TestRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ input, config, want string }{
		{`{"text":"hi"}`, ``, `{"text":"\u003e hi","length":2,"sum":0,"ratio":0.5,"loud":false}`},
		{` {"text":"hi"} `, ` null `, `{"text":"\u003e hi","length":2,"sum":0,"ratio":0.5,"loud":false}`},
		{`{"text":""}`, `{}`, `{"text":"\u003e ","length":0,"sum":0,"ratio":0.5,"loud":false}`},
		{`{"TEXT":"a","Note":"b"}`, `{"PREFIX":"","Ratio":1}`, `{"text":"ab","length":1,"sum":0,"ratio":1,"loud":false}`},
		{`{"text":"a","text":"b"}`, `{"prefix":""}`, `{"text":"b","length":1,"sum":0,"ratio":0.5,"loud":false}`},
		{`{"text":"a","other":[{}],"note":null}`, `{"prefix":"","loud":null,"x":1}`, `{"text":"a","length":1,"sum":0,"ratio":0.5,"loud":false}`},
		{`{"text":"a","list":"[1,2]"}`, `{"prefix":"","words":[3]}`, `{"text":"a","length":1,"sum":6,"ratio":0.5,"loud":false}`},
		{`{"text":"a","list":[1,2]}`, `{"prefix":"","words":"[3]"}`, `{"text":"a","length":1,"sum":6,"ratio":0.5,"loud":false}`},
		{`{"text":"\ud800"}`, `{"prefix":""}`, `{"text":"` + "\ufffd" + `","length":3,"sum":0,"ratio":0.5,"loud":false}`},
		{`{"text":"a"}`, `{"ratio":0,"prefix":""}`, `{"text":"a","length":1,"sum":0,"ratio":0,"loud":false}`},
	} {
		got, err := call(t, row.input, row.config)
		require.NoError(t, err, row.input)
		require.Equal(t, row.want, got, row.input)
	}
}

func TestRequestsAreRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ input, config, want string }{
		{``, ``, `input is required`},
		{`null`, ``, `input is required`},
		{`"text"`, ``, `input must be an object`},
		{`[]`, ``, `input must be an object`},
		{"\v{\"text\":\"a\"}", ``, `input must be an object`},
		{"{\"text\":\"a\"}\u00a0", ``, `input is not valid JSON`},
		{`{"text":`, ``, `input is not valid JSON`},
		{`{}`, ``, `input.text is required`},
		{`{"text":null}`, ``, `input.text is required`},
		{`{"text":"a","text":null}`, ``, `input.text is required`},
		{`{"text":1}`, ``, `input.text must be a string`},
		{`{"text":["a"]}`, ``, `input.text must be a string`},
		{`{"text":"a","note":true}`, ``, `input.note must be a string`},
		{`{"text":"a","list":7}`, ``, `input.list must be a string that holds JSON, or the list or object itself`},
		{`{"text":"a","list":"[1"}`, ``, `input.list does not hold the JSON it should`},
		{`{"text":"a","list":{}}`, ``, `input.list does not hold the JSON it should`},
		{`{"text":"a","tags":""}`, ``, `input.tags must not be empty`},
		{`{"text":"a"}`, `[]`, `config must be an object`},
		{`{"text":"a"}`, "{}\f", `config is not valid JSON`},
		{`{"text":"a"}`, `{"ratio":"0.5"}`, `config.ratio must be a number`},
		{`{"text":"a"}`, `{"ratio":1.01}`, `config.ratio must be between 0 and 1`},
		{`{"text":"a"}`, `{"ratio":-1e999}`, `config.ratio must be between 0 and 1`},
		{`{"text":"a"}`, `{"least":1}`, `config.least must be at least 2`},
		{`{"text":"a"}`, `{"least":2.5}`, `config.least must be an integer`},
		{`{"text":"a"}`, `{"least":99999999999999999999}`, `config.least must be an integer`},
		{`{"text":"a"}`, `{"most":10}`, `config.most must be at most 9`},
		{`{"text":"a"}`, `{"loud":"true"}`, `config.loud must be a boolean`},
		{`{"text":"a"}`, `{"prefix":5}`, `config.prefix must be a string`},
		{`{"text":` + strings.Repeat("[", 20_000), ``, `input is not valid JSON`},
	} {
		_, err := call(t, row.input, row.config)
		require.True(t, fault.Is(err, fault.Invalid), "%.80s: %v", row.input, err)
		require.Equal(t, row.want, fault.Message(err))
	}
}

func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", MaxText)
	_, err := call(t, `{"text":"`+text+`"}`, ``)
	require.NoError(t, err)
	for _, row := range []struct{ input, config, field string }{
		{`{"text":"` + text + `a"}`, ``, "input.text"},
		{`{"text":"a","list":"` + text + `a"}`, ``, "input.list"},
		{`{"text":"a","list":[` + strings.Repeat(" ", MaxText) + `]}`, ``, "input.list"},
		{`{"text":"a"}`, `{"prefix":"` + text + `a"}`, "config.prefix"},
	} {
		_, err := call(t, row.input, row.config)
		require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
		require.Equal(t, row.field+" is over the limit of 1048576 bytes", fault.Message(err))
	}
}

func TestDefectsAreInternal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"panic":  "evaluator echo panicked with a string",
		"index":  "evaluator echo panicked: runtime error: index out of range [5] with length 0",
		"nan":    "evaluator echo: output ratio is not a finite number",
		"inf":    "evaluator echo: output ratio is not a finite number",
		"broken": "a defect",
	} {
		_, err := call(t, `{"text":"`+text+`"}`, ``)
		require.EqualError(t, err, want)
		require.True(t, fault.Is(err, fault.Internal))
	}
}

// parts is a Source for tests.
type parts map[span.Part]string

func (s parts) Part(name span.Part) (string, bool) {
	text, ok := s[name]
	return text, ok
}

// fromSpan judges the parts of a span.
func fromSpan(ctx context.Context, e *Evaluator, s Source, config json.RawMessage) (Result, error) {
	p, err := e.Prepare(config)
	if err != nil {
		return Result{}, err
	}
	return p.FromInputs(ctx, func(f *Field) (string, bool) {
		if f.Part == "" {
			return "", false
		}
		return s.Part(f.Part)
	})
}

func TestSpansAreJudged(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	got, err := fromSpan(t.Context(), e, parts{"output": "a\xff", "attribute:note": "b", "tool_calls": "[4]"}, json.RawMessage(`{"prefix":""}`))
	require.NoError(t, err)
	require.Equal(t, Result{Backend: Embedded, Outputs: []Output{
		{"text", "a\uFFFDb"}, {"length", int64(2)}, {"sum", int64(4)}, {"ratio", 0.5}, {"loud", false},
	}}, got)

	_, err = fromSpan(t.Context(), e, parts{"question": "a"}, nil)
	require.ErrorIs(t, err, ErrMissingInput)
	require.EqualError(t, err, "input.text: the span lacks a required input")

	got, err = fromSpan(t.Context(), e, parts{"output": ""}, nil)
	require.NoError(t, err)
	require.Equal(t, Output{"length", int64(0)}, got.Outputs[1])

	_, err = fromSpan(t.Context(), e, parts{"output": "a", "tool_calls": "broken"}, nil)
	require.True(t, fault.Is(err, fault.Invalid))
	_, err = fromSpan(t.Context(), e, parts{"output": "a"}, json.RawMessage(`{"ratio":2}`))
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestLongTextsOfSpansAreCutBetweenRunes(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	for _, row := range []struct {
		text string
		want int64
	}{
		{strings.Repeat("a", MaxText+1), MaxText},
		{strings.Repeat("a", MaxText-1) + "é", MaxText - 1},
		{strings.Repeat("a", MaxText-3) + "😀", MaxText - 3},
		{strings.Repeat("\x80", MaxText+9), MaxText - 4},
	} {
		got, err := fromSpan(t.Context(), e, parts{"output": row.text}, nil)
		require.NoError(t, err)
		require.True(t, got.Truncated)
		require.Equal(t, Output{"length", row.want}, got.Outputs[1])
	}
	long := strings.Repeat("a", MaxText+1)
	for _, part := range []span.Part{span.PartQuestion, span.PartToolCalls} {
		_, err := fromSpan(t.Context(), e, parts{"output": "a", part: long}, nil)
		require.True(t, fault.Is(err, fault.TooLarge), part)
	}
}

func TestConfigsAreChecked(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	require.NoError(t, e.CheckConfig(nil))
	require.NoError(t, e.CheckConfig(json.RawMessage(`{"ratio":1}`)))
	require.EqualError(t, e.CheckConfig(json.RawMessage(`{"ratio":2}`)), "config.ratio must be between 0 and 1")
	require.EqualError(t, e.CheckConfig(json.RawMessage(`{"prefix":"refused"}`)), "config.prefix is refused")
	plain, err := New(Definition[needyInput, None, echoOutput]{
		Slug: "plain", Doc: "Plain.", Examples: []Example{{Input: "{}", Want: "{}"}},
		Run: func(context.Context, needyInput, None) (echoOutput, error) { return echoOutput{}, nil },
	})
	require.NoError(t, err)
	require.Equal(t, Deterministic, plain.Backend)
	require.NoError(t, plain.CheckConfig(json.RawMessage(`{"anything":1}`)))
	require.Error(t, plain.CheckConfig(json.RawMessage(`7`)))
	require.NotNil(t, plain.Unmapped(func(string) bool { return false }), "no span carries what it requires")
	require.Nil(t, e.Unmapped(func(string) bool { return false }))
}

type needyInput struct {
	Text string `json:"text" doc:"No span has it." need:"required"`
}

type needyConfig struct {
	Rules JSONText[[]string] `json:"rules" doc:"The rules." need:"required"`
}

func TestConfigsMayBeRequired(t *testing.T) {
	t.Parallel()
	e, err := New(Definition[echoInput, needyConfig, echoOutput]{
		Slug: "needy", Doc: "Needs rules.", Examples: []Example{{Input: "{}", Want: "{}"}},
		Run: func(_ context.Context, _ echoInput, cfg needyConfig) (echoOutput, error) {
			return echoOutput{Length: len(cfg.Rules.Value)}, nil
		},
	})
	require.NoError(t, err)
	for _, config := range []string{``, `null`, `{}`, `{"rules":null}`} {
		require.EqualError(t, e.CheckConfig(json.RawMessage(config)), "config.rules is required")
		_, err := fromSpan(t.Context(), e, parts{"output": "a"}, json.RawMessage(config))
		require.True(t, fault.Is(err, fault.Invalid))
	}
	got, err := fromSpan(t.Context(), e, parts{"output": "a"}, json.RawMessage(`{"rules":["a","b"]}`))
	require.NoError(t, err)
	require.Equal(t, int64(2), got.Outputs[1].Value)
	require.Equal(t, []string{"input", "config"}, e.RequestSchema()["required"])
}

func FuzzFromJSON(f *testing.F) {
	f.Add(`{"text":"a"}`, `{"ratio":1}`)
	f.Add(`{"TEXT":"\ud800","list":"[1]"}`, `null`)
	f.Add(`{"text":"a","text":null}`, `{"least":1e3}`)
	f.Add("\v{\"text\":\"a\"}\u00a0", "\f{}")
	e := newEcho(f)
	f.Fuzz(func(t *testing.T, input, config string) {
		got, err := e.FromJSON(t.Context(), json.RawMessage(input), json.RawMessage(config))
		if err != nil {
			require.NotEmpty(t, fault.Message(err))
			return
		}
		answer, err := json.Marshal(got)
		require.NoError(t, err)
		require.True(t, json.Valid(answer))
		// What encoding/json takes for the same struct is what was read.
		var plain struct{ Text string }
		require.NoError(t, json.Unmarshal([]byte(input), &plain))
		require.Equal(t, int64(len(plain.Text)), got.Outputs[1].Value)
	})
}

func BenchmarkFromSpan(b *testing.B) {
	e := newEcho(b)
	s := Source(parts{"output": "a short answer"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, s, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFromSpanMissing(b *testing.B) {
	e := newEcho(b)
	s := Source(parts{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, s, nil); err == nil {
			b.Fatal("judged")
		}
	}
}
