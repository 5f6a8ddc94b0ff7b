// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/feelings"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

type toneDetectionInput struct {
	Text string `json:"text" doc:"The text to judge." need:"required" span:"output"`
}

type toneDetectionOutput struct {
	Tone  string  `json:"tone" doc:"anger, disgust, fear, joy, neutral, sadness or surprise."`
	Score float64 `json:"score" doc:"The probability of the tone among the seven, above 0 and up to 1."`
	// A word for what the score says, for those who read no numbers.
	Reason string `json:"reason" doc:"unsure where the tone is more likely wrong than right, otherwise empty."`
	eval.Judged
}

var (
	//go:embed weights/tone.bin
	toneWeights []byte

	toneModel = sync.OnceValue(func() *linear.Model { return linear.MustDecode(toneWeights) })
)

// sure is the score from which a tone is right more often than not: scores are
// calibrated.
const sure = 0.5

// surelyToned is the score from which a tone is certain, and surelySurprised that of
// surprise, which plain questions resemble. ADR 0084 has the figures.
const (
	surelyToned     = 0.6
	surelySurprised = 0.75
)

var (
	// mishaps are stems of what goes wrong: joy over it may be irony.
	mishaps = stemsOf("crash cancel break broke broken fail error bug again outage delay late lost lose wait hold silence down rain charge refund ruin damage wrong problem complaint nothing another useless")
	// apology are stems of an apology, which has the words of sadness without the feeling.
	apology = stemsOf("sorry apologize apologise apology regret unfortunately")
)

// hasStem reports whether a text has one of some stems.
func hasStem(text string, of func() map[string]bool) bool {
	stems := of()
	return slices.ContainsFunc(lexical.Stems(text), func(s string) bool { return stems[s] })
}

// mistakable reports whether the words of a text are likely to be taken for a tone that it
// does not have.
func mistakable(text, tone string, score float64) bool {
	switch tone {
	case "joy":
		return hasStem(text, mishaps)
	case "sadness":
		return hasStem(text, apology)
	case "surprise":
		return score < surelySurprised
	}
	return false
}

// toned returns a tone with what its score says.
func toned(tone string, score float64) toneDetectionOutput {
	o := toneDetectionOutput{Tone: tone, Score: score}
	o.Uncertain = score < surelyToned
	o.Judged.Reason = fmt.Sprintf("The likeliest tone of the words is %s.", tone)
	if score < sure {
		o.Reason = "unsure"
		o.Judged.Reason = fmt.Sprintf("The likeliest tone of the words is %s, but the others together are likelier.", tone)
	}
	return o
}

// toneless is what a text without words and signs has.
var toneless = toneDetectionOutput{Tone: "neutral", Score: 1, Judged: reasoned("The text has no words that show a tone.")}

var _ = define(eval.Definition[toneDetectionInput, eval.None, toneDetectionOutput]{
	Slug: "tone-detection",
	Doc: "Names the likeliest of seven tones of a text: anger, disgust, fear, joy, neutral, sadness or surprise. " +
		"A small model of English, trained on comments and lines of films, judges the whole text; below a score of 0.5 it says that it is unsure. Feelings that are denied do not count (not angry, no longer afraid); not happy is a bad one. Emoji and emoticons tell the tone where the words tell none. A text without either is neutral. " +
		"Mixed feelings get one name, and irony gets the name of its words.",
	Languages:    english,
	Language:     func(in toneDetectionInput) string { return written(in.Text) },
	Backend:      eval.Embedded,
	Version:      tonePrompts.Version,
	Cascade:      true,
	ByClassifier: classifyTone,
	ByJudge:      judgeTone,
	Run: func(_ context.Context, in toneDetectionInput, _ eval.None) (toneDetectionOutput, error) {
		stated := feelings.Stated(in.Text)
		tone, score, ok := toneModel().Best(stated)
		if !ok || tone == "neutral" || score < sure {
			// Words that tell no feeling leave it to the signs.
			if shown := feelings.Shown(in.Text); shown != "" {
				tone, score, ok = toneModel().Best(stated + shown)
			}
		}
		if !ok {
			return toneless, nil
		}
		out := toned(tone, score)
		out.Uncertain = out.Uncertain || mistakable(in.Text, tone, score)
		return out, nil
	},
	Examples: []eval.Example{
		{About: "a fact", Input: `{"text": "The package arrives on Tuesday between nine and noon."}`, Want: `{"tone": "neutral", "score": 0.8372711166937566, "reason": ""}`},
		{About: "delight", Input: `{"text": "I am so happy for you, congratulations!"}`, Want: `{"tone": "joy", "score": 0.9898137928438876, "reason": ""}`},
		{About: "a loss", Input: `{"text": "I miss my dog so much, I cried all night."}`, Want: `{"tone": "sadness", "score": 0.9441512964982397, "reason": ""}`},
		{About: "a denied feeling", Input: `{"text": "I am not angry, I only need the number of the invoice."}`, Want: `{"tone": "neutral", "score": 0.5447084156615565, "reason": "", "uncertain": true}`},
		{About: "a face next to plain words", Input: `{"text": "The concert is cancelled 😭"}`, Want: `{"tone": "sadness", "score": 0.9637773811758573, "reason": ""}`},
		{
			About: "irony", Input: `{"text": "Great, the app crashed again and ate my draft."}`,
			Judge: []string{`{"reason": "The praise is ironic.", "tone": "anger", "sureness": 4}`},
			Want:  `{"tone": "anger", "score": 0.8, "reason": ""}`,
		},
		{About: "nothing said", Input: `{"text": "  "}`, Want: `{"tone": "neutral", "score": 1, "reason": ""}`},
	},
})
