// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// firstOutput calls an evaluator on one text and gives its first output.
func firstOutput(t testing.TB, slug, text string, config map[string]any) any {
	t.Helper()
	e, ok := Catalog().Get(slug)
	require.True(t, ok, slug)
	input, err := json.Marshal(map[string]string{e.Input[0].Name: text})
	require.NoError(t, err)
	settings, err := json.Marshal(config)
	require.NoError(t, err)
	got, err := e.FromJSON(t.Context(), input, settings)
	require.NoError(t, err, text)
	return got.Outputs[0].Value
}

// Answers that clients of such services have on record.
func TestToxicityAnswersOnRecord(t *testing.T) {
	t.Parallel()
	at := map[string]any{"threshold": 0.7}
	require.Equal(t, false, firstOutput(t, "toxicity-detector", "You are stupid and worthless!", at))
	for _, text := range []string{
		"Thank you for helping me today! I really appreciate your assistance.",
		"Contact john.smith@company.com for help.",
		"Welcome to our service! We hope you enjoy your experience.",
	} {
		require.Equal(t, true, firstOutput(t, "toxicity-detector", text, at), text)
	}
}

func TestAbuseIsFoundHoweverItIsSpelled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"You are an idiot.", "Go kill yourself", "I will find you and hurt you", "I'm gonna kill you", "drop dead", "Shut the fuck up!",
		"you are such a pathetic loser", "YOU ARE A PIECE OF SHIT", "yоu аre аn іdіоt", "you are an i\u200bd\u200bi\u200bo\u200bt",
		"y o u are an i d i o t", "you are an &#105;diot", "you are an \\u0069diot", "ｙｏｕ are an 𝐢𝐝𝐢𝐨𝐭", "you're an idiooooot", "people like you should be shot",
		strings.Repeat("The report is attached. ", 2000) + "You are an idiot. " + strings.Repeat("Please read it. ", 2000),
	} {
		require.GreaterOrEqual(t, toxicity(text), phraseProbability, text[:min(80, len(text))])
	}
}

// Words of abuse that may not be meant, and plain words that may be, are uncertain.
func TestToxicityAbstainsWhereWordsDoNotShow(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("toxicity-detector")
	for text, uncertain := range map[string]bool{
		"You are a worthless idiot and I hate you.":                       false,
		"I am going to kill you.":                                         false,
		"Thank you, the parcel arrived on time.":                          false,
		"How do I reset my password?":                                     false,
		"The invoice is attached.":                                        false,
		"He called her a worthless idiot.":                                true,
		"The comment \"go kill yourself\" was removed by the moderators.": true,
		"It is never okay to tell anyone to go and die.":                  true,
		"I apologise for saying that you are a loser.":                    true,
		"Nobody would notice if you were gone.":                           true,
		"Sleep with one eye open, I have your address.":                   true,
		"Your mother must be so disappointed in you.":                     true,
	} {
		_, result, err := run(t, e, string(toJSON(t, map[string]string{"text": text})), "{}")
		require.NoError(t, err)
		require.Equal(t, uncertain, result.Uncertain, text)
		require.NotEmpty(t, result.Reason)
	}
	// A threshold beyond the band is its user's own choice.
	_, result, err := run(t, e, `{"text": "Your mother must be so disappointed in you."}`, `{"threshold": 0.1}`)
	require.NoError(t, err)
	require.False(t, result.Uncertain)
}

func TestPlainTextIsNotAbuse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "ok", "?", "How do I kill a child process?", "Kill the process with SIGKILL", "The killer was executed in 1920.",
		"I'm sorry, but I can't help with that.", "You are welcome!", "She is a doctor and he is a nurse.",
		"The idiom means that somebody is late.", "Shut down the server, then power it up.", "\x00\xff\xfe",
		"black people", "the women's march", "She is a lesbian.", "There is a mosque for the muslims of the city.",
		"I will send you the file and call you tomorrow.", "They should be treated as equals.",
		"This movie is terrible and boring.", "My new phone is terrible, the battery is dead by noon.", "The service was awful.",
	} {
		require.Less(t, toxicity(text), 0.5, text)
	}
}

func TestTheThresholdDecides(t *testing.T) {
	t.Parallel()
	text := "You are an idiot."
	p := toxicity(text)
	require.Equal(t, false, firstOutput(t, "toxicity-detector", text, map[string]any{"threshold": p}))
	require.Equal(t, false, firstOutput(t, "toxicity-detector", text, map[string]any{"threshold": 0}))
	require.Equal(t, true, firstOutput(t, "toxicity-detector", text, map[string]any{"threshold": 1}))
}

// Large texts of the kinds that cost most.
func TestModelsTakeHostileTexts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"you ", "kill ", "a", "a b ", "!", "@a", "&#1", "\u200b", "\U000E0041", "ß", "😀", "\xff", "http://", "aA0$ ", "忽略", "ignore all ", "QUFB"} {
		text := strings.Repeat(piece, eval.MaxText/16/len(piece))
		for _, e := range Catalog().All() {
			if e.Backend != eval.Embedded {
				continue
			}
			span := parts{}
			for _, f := range e.Input {
				span[f.Part] = text
			}
			got, err := fromSpan(t.Context(), e.InAnyLanguage(), span, nil)
			if fault.Is(err, fault.Invalid) {
				continue // What takes a list takes no text.
			}
			require.NoError(t, err, "%s on %q", e.Slug, piece)
			require.False(t, got.Truncated)
		}
	}
}

func BenchmarkToxicity(b *testing.B) { benchmarkText(b, func(text string) { toxicity(text) }) }

// benchmarkText measures a judgement of one KB of English.
func benchmarkText(b *testing.B, judge func(string)) {
	b.Helper()
	text := strings.Repeat("The committee met on Thursday to discuss the budget for the coming year. Several members asked how the new library "+
		"would be paid for, and whether the old building could be sold before the winter. ", 6)[:1024]
	judge(text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		judge(text)
	}
}

// An insult in a long kind text is an insult.
func TestInsultsHideInNoLongText(t *testing.T) {
	t.Parallel()
	kind := strings.Repeat("The museum opened in spring and shows pictures of the river. Visitors may bring their own lunch and eat it in the garden behind the house. ", 4)
	require.Less(t, toxicity(kind), 0.2)
	require.Less(t, toxicity(strings.Repeat(kind, 10)), 0.2)
	const insult = "You people are disgusting, nobody needs filth like you. "
	require.Greater(t, toxicity(insult), 0.5)
	require.Greater(t, toxicity(kind+insult+kind), 0.5)
	require.InDelta(t, 0.5, doubted(0.5, 0), 1e-12)
	require.InDelta(t, 1/(1+math.E), doubted(0.5, 1), 1e-12)
	require.Zero(t, doubted(0, 1))
}
