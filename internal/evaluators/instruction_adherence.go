// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/constraints"
	"github.com/touchstone-otel/touchstone/internal/evaluators/language"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type instructionAdherenceInput struct {
	Instructions string `json:"instructions" doc:"What the answer had to follow." need:"required" span:"instructions"`
	Response     string `json:"response" doc:"The answer." need:"required" span:"output"`
}

type instructionAdherenceOutput struct {
	Score  float64 `json:"instruction_adherence_score" doc:"The share of the recognised instructions that the answer follows, 0 to 1; 1 only if all that is asked of form and manner was recognised."`
	Reason string  `json:"reason" doc:"Which instructions were recognised, which of them are broken, and how many were not checked."`
}

// Bounds of instructions: of what is read, and of what is kept. A system
// prompt comes with every span, and reading it takes longer than checking.
const (
	maxInstructions    = 64 << 10
	maxKeptInstruction = 16 << 10
	keptInstructions   = 64
)

var _ = define(instructionAdherence(newInstructionReader()))

// instructionReader recognises constraints and keeps those of the instructions
// in use.
type instructionReader struct {
	small *lru.Cache[string, instructions]
}

// instructions are the constraints that were recognised in a text, and how many
// demands there were besides that only a judge can check.
type instructions struct {
	constraints []constraints.Constraint
	unchecked   int
}

func newInstructionReader() *instructionReader {
	small, err := lru.New[string, instructions](keptInstructions)
	if err != nil {
		panic(err) // The size is a constant above 0.
	}
	return &instructionReader{small}
}

func (r *instructionReader) read(text string) (instructions, error) {
	if known, ok := r.small.Get(text); ok {
		return known, nil
	}
	if len(text) > maxInstructions {
		return instructions{}, fault.New(fault.TooLarge, "input.instructions is over the limit of %d bytes", maxInstructions)
	}
	found := instructions{constraints: constraints.Recognise(text)}
	if len(found.constraints) > 0 {
		found.unchecked = constraints.Unchecked(constraints.Demands(text))
	}
	if len(text) <= maxKeptInstruction {
		r.small.Add(text, found)
	}
	return found, nil
}

func instructionAdherence(reader *instructionReader) eval.Definition[instructionAdherenceInput, eval.None, instructionAdherenceOutput] {
	return eval.Definition[instructionAdherenceInput, eval.None, instructionAdherenceOutput]{
		Slug: "instruction-adherence",
		Doc: "Tells how many of its instructions an answer follows. A judge checks each, where one is configured. Without one, it checks what a program can verify of instructions in English and German: " +
			"numbers of words, characters, sentences, lines, paragraphs, bullet points, sections, placeholders and highlighted parts, of the whole or of each line or item; one word; yes or no; words to use or to avoid and how often; " +
			"letter case; a bulleted or numbered list, a table, a code block, bold text; emoji, links, hashtags, digits, commas and other signs to use or to avoid; a title, a postscript, quotation marks, " +
			"a first and a last phrase, a question at the end, the first word of a paragraph; JSON and its keys; two answers; one of several phrases; a repeated request; and a script or language to write in. " +
			"What to write about it does not judge. Where the answer follows all that it recognises, but the instructions ask for something about form or manner that it does not, they need a judge: " +
			"1 is only said where nothing is left to check. The reason tells what was checked. Without instructions the score is 1, and an empty answer to some scores 0. " +
			"Without a judge, instructions over 65536 bytes are refused.",
		Languages: []string{language.English, language.German},
		Language:  func(in instructionAdherenceInput) string { return written(in.Instructions) },
		Version:   instructionPrompts.Version,
		ByJudge:   judgeInstructions,
		Run: func(_ context.Context, in instructionAdherenceInput, _ eval.None) (instructionAdherenceOutput, error) {
			if strings.TrimSpace(in.Instructions) == "" {
				return instructionAdherenceOutput{Score: 1, Reason: "There are no instructions."}, nil
			}
			if strings.TrimSpace(in.Response) == "" {
				return instructionAdherenceOutput{Reason: "The answer is empty."}, nil
			}
			found, err := reader.read(in.Instructions)
			if err != nil {
				return instructionAdherenceOutput{}, err
			}
			return found.judge(in.Response)
		},
		Examples: append([]eval.Example{
			{About: "all that is asked of the form is checked", Input: `{"instructions": "You are the clerk of a library. Respond in exactly 3 bullet points, and use no commas.", "response": "* one\n* two\n* three"}`, Want: `{"instruction_adherence_score": 1, "reason": "Checked: bullet points, no commas."}`},
			{About: "what can be checked is broken, whatever the rest is", Input: `{"instructions": "Respond in exactly 3 bullet points and use formal language", "response": "* one\n* two"}`, Want: `{"instruction_adherence_score": 0, "reason": "Checked: bullet points. Broken: bullet points. Not checked: 1 other."}`},
			{About: "one of two is broken", Input: `{"instructions": "Do not use any commas. Use at most 5 words.", "response": "Well, no."}`, Want: `{"instruction_adherence_score": 0.5, "reason": "Checked: number of words, no commas. Broken: no commas."}`},
			{About: "another language", Input: `{"instructions": "Answer in German.", "response": "The capital of Germany is the city of Berlin."}`, Want: `{"instruction_adherence_score": 0, "reason": "Checked: the language. Broken: the language."}`},
			{About: "no instructions", Input: `{"instructions": "", "response": "Hello."}`, Want: `{"instruction_adherence_score": 1, "reason": "There are no instructions."}`},
		}, instructionExamples...),
	}
}

// judge checks a response.
func (i instructions) judge(response string) (instructionAdherenceOutput, error) {
	var about, broken []string
	for _, c := range i.constraints {
		if c.Tells != nil && !c.Tells(response) {
			i.unchecked++
			continue
		}
		about = append(about, c.About)
		if !c.Holds(response) {
			broken = append(broken, c.About)
		}
	}
	switch {
	case len(about) == 0:
		return instructionAdherenceOutput{}, fault.New(fault.NotConfigured,
			"instruction-adherence needs a judge model for these instructions; configure one in the models extension")
	case len(broken) == 0 && i.unchecked > 0:
		return instructionAdherenceOutput{}, fault.New(fault.NotConfigured,
			"instruction-adherence needs a judge model for these instructions: all that a program can check is followed (%d), and %d cannot be checked by one; configure one in the models extension",
			len(about), i.unchecked)
	}
	reason := fmt.Sprintf("Checked: %s.", wording.Items(about))
	if len(broken) > 0 {
		reason += fmt.Sprintf(" Broken: %s.", wording.Items(broken))
	}
	if i.unchecked > 0 {
		reason += fmt.Sprintf(" Not checked: %d other.", i.unchecked)
	}
	return instructionAdherenceOutput{Score: share(len(about)-len(broken), len(about)), Reason: reason}, nil
}
