// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

var (
	toxicityPrompts  = judging.PromptsOf("toxicity-detector")
	sexismPrompts    = judging.PromptsOf("sexism-detector")
	injectionPrompts = judging.PromptsOf("prompt-injection")
	profanityPrompts = judging.PromptsOf("profanity-detector")
	tonePrompts      = judging.PromptsOf("tone-detection")

	gradeSchema = judging.Object("reason", judging.Text, "grade", judging.OneOf("string", `"none"`, `"mild"`, `"strong"`, `"slur"`))
	toneSchema  = judging.Object("reason", judging.Text, "tone", judging.OneOf("string", tonesQuoted...), "sureness", judging.Grades)
	tonesQuoted = []string{`"anger"`, `"disgust"`, `"fear"`, `"joy"`, `"neutral"`, `"sadness"`, `"surprise"`}
)

// isIt asks a judge whether a text is what the prompts are about. Its score is the probability
// of yes, or 1 or 0. An empty text never is.
func isIt(ctx context.Context, m eval.Models, prompts *judging.Prompts, threshold float64, data eval.DataBlock) (bool, eval.Judged, error) {
	score, reason := 0.0, "The text is empty."
	if !lexical.Blank(data.Text) {
		said, yes, err := prompts.AskVerdict(ctx, m, "text", data)
		if err != nil {
			return false, eval.Judged{}, err
		}
		score, reason = yes, reasonOf(ctx, said.Reason)
	}
	return score >= threshold-scoreNoise, scored(score, reason), nil
}

func judgeToxicity(ctx context.Context, m eval.Models, in toxicityDetectorInput, cfg toxicityDetectorConfig) (toxicityDetectorOutput, error) {
	toxic, judged, err := isIt(ctx, m, toxicityPrompts, cfg.Threshold, eval.DataBlock{Name: "text", Text: in.Text})
	return toxicityDetectorOutput{Safe: !toxic, Judged: judged}, err
}

func judgeSexism(ctx context.Context, m eval.Models, in sexismDetectorInput, cfg sexismDetectorConfig) (sexismDetectorOutput, error) {
	sexist, judged, err := isIt(ctx, m, sexismPrompts, cfg.Threshold, eval.DataBlock{Name: "text", Text: in.Text})
	return sexismDetectorOutput{Safe: !sexist, Judged: judged}, err
}

func judgeInjection(ctx context.Context, m eval.Models, in promptInjectionInput, cfg promptInjectionConfig) (promptInjectionOutput, error) {
	attack, judged, err := isIt(ctx, m, injectionPrompts, cfg.Threshold, eval.DataBlock{Name: "prompt", Text: in.Prompt})
	return promptInjectionOutput{Injection: attack, Judged: judged}, err
}

// judgeProfanity gives the grade as the reason, as the evaluator does by itself.
func judgeProfanity(ctx context.Context, m eval.Models, in profanityDetectorInput, _ eval.None) (profanityDetectorOutput, error) {
	if lexical.Blank(in.Text) {
		return profanityDetectorOutput{Safe: true}, nil
	}
	var said struct{ Reason, Grade string }
	if err := profanityPrompts.Ask(ctx, m, "text", gradeSchema, &said, eval.DataBlock{Name: "text", Text: in.Text}); err != nil {
		return profanityDetectorOutput{}, err
	}
	if said.Grade == "none" {
		return profanityDetectorOutput{Safe: true}, nil
	}
	return profanityDetectorOutput{Reason: said.Grade}, nil
}

// judgeTone gives a fifth of the judge's sureness for each step as the score. The sureness is the
// mean of what the judge found likely, if its server tells.
func judgeTone(ctx context.Context, m eval.Models, in toneDetectionInput, _ eval.None) (toneDetectionOutput, error) {
	if lexical.Blank(in.Text) {
		return toneDetectionOutput{Tone: "neutral", Score: 1}, nil
	}
	var said struct {
		Reason, Tone string
		Sureness     int
	}
	sureness, err := tonePrompts.AskGraded(ctx, m, "text", "sureness", toneSchema, &said, eval.DataBlock{Name: "text", Text: in.Text})
	if err != nil {
		return toneDetectionOutput{}, err
	}
	if sureness == 0 {
		sureness = float64(said.Sureness)
	}
	out := toneDetectionOutput{Tone: said.Tone, Score: sureness / 5}
	out.Judged.Reason = reasonOf(ctx, said.Reason)
	return out, nil
}
