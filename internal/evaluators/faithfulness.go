// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"regexp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
)

type faithfulnessInput struct {
	Completion string                              `json:"completion" doc:"The answer to judge." need:"required" span:"output"`
	Context    eval.JSONText[conversation.Passage] `json:"context" doc:"What the answer must keep to: a text, or a JSON array of texts." need:"required" span:"context"`
	Question   string                              `json:"question" doc:"What was asked." need:"required" span:"question"`
}

type faithfulnessConfig struct {
	Threshold float64 `json:"threshold" doc:"The share of statements that the context must bear out; 1 is all of them." min:"0" max:"1"`
}

type faithfulnessOutput struct {
	Faithful bool `json:"is_faithful" doc:"Whether the context bears the answer out."`
	eval.Judged
}

// surelyInvented is the share of the telling words of an answer below which the context does
// not bear it out, unless it denies something: what is not so follows from other words.
// ADR 0106 has the figures.
const surelyInvented = 0.2

var faithfulnessPrompts = judging.PromptsOf("faithfulness")

var _ = define(eval.Definition[faithfulnessInput, faithfulnessConfig, faithfulnessOutput]{
	Slug: "faithfulness",
	Doc: "Tells whether a context bears out what an answer claims. A judge takes the answer apart into statements and checks each. A classifier that tells whether a sentence follows from a text checks each sentence. Without either, the result is certain where the context says the same in the same words, denies it, or has another number or unit there, and where it has hardly a word of the answer. In between it is uncertain, and the guess goes by numbers, names, words and their pairs. " +
		"An answer that claims nothing, such as a greeting or a refusal, is faithful; one that claims something without a context is not. The first 2,000 sentences are looked at.",
	Languages: english,
	Language:  func(in faithfulnessInput) string { return written(in.Completion, in.Context.Value.Text()) },
	Backend:   eval.Embedded,
	Version:   faithfulnessPrompts.Version,
	Defaults:  faithfulnessConfig{Threshold: 1},
	Run: func(_ context.Context, in faithfulnessInput, cfg faithfulnessConfig) (faithfulnessOutput, error) {
		sentences := lexical.Sentences(in.Completion)
		if len(sentences) == 0 || replies.Declines(in.Completion) {
			return faithfulnessOutput{Faithful: true, Judged: scored(1, "The answer claims nothing.")}, nil
		}
		reply, asked := bareReply.FindStringSubmatch(in.Completion), ""
		if reply != nil {
			if asked = askedStatement(in.Question); asked == "" {
				return faithfulnessOutput{Faithful: true, Judged: eval.Unsure("The answer is a yes or no, and the question does not show to what.")}, nil
			}
		}
		if in.Context.Value.Blank() {
			return faithfulnessOutput{Judged: scored(0, "There is no context.")}, nil
		}
		unsure := eval.Unsure("Words alone do not show whether the context bears the answer out.")
		if reply != nil {
			borneOut := newSupport("", in.Context.Value.Text()).bears(strings.EqualFold(reply[1], "yes"), asked)
			return faithfulnessOutput{Faithful: borneOut || cfg.Threshold <= scoreNoise, Judged: unsure}, nil
		}
		claims := statementsOf(sentences)
		switch agreementOf(claims, plainWordsOfAll(in.Context.Value.Sentences())) {
		case agrees:
			return faithfulnessOutput{Faithful: true, Judged: scored(1, "The context says the same in the same words.")}, nil
		case denies:
			return faithfulnessOutput{Judged: scored(0, "The context contradicts the answer.")}, nil
		case differs:
			return faithfulnessOutput{Judged: scored(0, "The context has a different number or unit.")}, nil
		case unknownAgreement:
		}
		said := lexical.BagOf(in.Completion)
		if covered := lexical.Coverage(said, lexical.BagOf(in.Context.Value.Text())); covered < surelyInvented && len(said) > 0 && !deniesAny(claims) {
			return faithfulnessOutput{Judged: scored(covered, "The context has almost no word of the answer.")}, nil
		}
		given := newSupport(in.Question, in.Context.Value.Text())
		supported := 0
		for _, s := range claims {
			if given.supports(s) {
				supported++
			}
		}
		unsure.Score = eval.Scored(share(supported, len(claims)))
		return faithfulnessOutput{Faithful: share(supported, len(claims)) >= cfg.Threshold-scoreNoise, Judged: unsure}, nil
	},
	ByClassifier: classifyFaithfulness,
	ByJudge: func(ctx context.Context, m eval.Models, in faithfulnessInput, cfg faithfulnessConfig) (faithfulnessOutput, error) {
		if lexical.Blank(in.Completion) {
			return faithfulnessOutput{Faithful: true}, nil
		}
		needed := claims(in.Completion) && !replies.Declines(in.Completion)
		if len(in.Completion) <= shortText && !in.Context.Value.Blank() {
			return in.atOnce(ctx, m, needed, cfg.Threshold)
		}
		said := struct{ Statements judging.Items }{judging.Items{Needed: needed}}
		err := faithfulnessPrompts.Ask(ctx, m, "statements", judging.Object("statements", judging.List(judging.Text)), &said,
			eval.DataBlock{Name: "question", Text: in.Question}, eval.DataBlock{Name: "completion", Text: in.Completion})
		statements := said.Statements.List
		switch {
		case err != nil:
			return faithfulnessOutput{}, err
		case len(statements) == 0:
			return faithfulnessOf(ctx, 0, nil, cfg.Threshold), nil
		case in.Context.Value.Blank():
			return faithfulnessOutput{Judged: scored(0, "There is no context.")}, nil
		}
		judged, err := faithfulnessPrompts.AskEach(ctx, m, "verdicts", "statements", statements, in.Context.Value.DataBlock())
		if err != nil {
			return faithfulnessOutput{}, err
		}
		return faithfulnessOf(ctx, len(statements), judged.No(statements), cfg.Threshold), nil
	},
	Examples: []eval.Example{
		{About: "what the context says", Input: `{"question": "When did it open?", "context": "The museum opened in 1987 in Bonn.", "completion": "The museum opened in 1987."}`, Want: `{"is_faithful": true}`},
		{About: "another year", Input: `{"question": "When did it open?", "context": "The museum opened in 1987 in Bonn.", "completion": "The museum opened in 1988."}`, Want: `{"is_faithful": false}`},
		{About: "nothing claimed", Input: `{"question": "When did it open?", "context": "", "completion": "I don't know when it opened."}`, Want: `{"is_faithful": true}`},
		{About: "no context", Input: `{"question": "When did it open?", "context": "", "completion": "It opened in 1987."}`, Want: `{"is_faithful": false}`},
		{
			About: "half of it is invented", Input: `{"question": "When did it open?", "context": "The museum opened in 1987.", "completion": "It welcomed its first guests in 1987, with fireworks."}`,
			Judge: []string{`{"statements": [{"text": "The museum opened in 1987.", "reason": "The context says so.", "verdict": "yes"}, {"text": "There were fireworks at the opening.", "reason": "No word of fireworks.", "verdict": "no"}]}`},
			Want:  `{"is_faithful": false}`,
		},
		{
			About: "nothing claimed", Input: `{"question": "Hello?", "context": "The museum opened in 1987.", "completion": "Hello, how can I help?"}`,
			Judge: []string{`{"statements": []}`},
			Want:  `{"is_faithful": true}`,
		},
	},
})

// shortText is the size in bytes up to which a judge finds what a text claims and checks it in
// one answer.
const shortText = 600

// atOnce lets a judge find the statements of a short answer and check them.
func (in faithfulnessInput) atOnce(ctx context.Context, m eval.Models, needed bool, threshold float64) (faithfulnessOutput, error) {
	said := struct{ Statements judging.Found[judging.Item] }{judging.Found[judging.Item]{Needed: needed}}
	err := faithfulnessPrompts.Ask(ctx, m, "short", judging.Object("statements", judging.JudgedItems), &said,
		eval.DataBlock{Name: "question", Text: in.Question}, eval.DataBlock{Name: "completion", Text: in.Completion}, in.Context.Value.DataBlock())
	if err != nil {
		return faithfulnessOutput{}, err
	}
	return faithfulnessOf(ctx, len(said.Statements.List), judging.No(said.Statements.List), threshold), nil
}

// faithfulnessOf returns the result of an answer with so many statements, some of them
// unsupported.
func faithfulnessOf(ctx context.Context, statements int, unsupported []string, threshold float64) faithfulnessOutput {
	if statements == 0 {
		return faithfulnessOutput{Faithful: true, Judged: scored(1, "The answer claims nothing.")}
	}
	out := faithfulnessOutput{Judged: counted(ctx, statements, "statements are supported", "Not supported", unsupported)}
	out.Faithful = *out.Score >= threshold-scoreNoise
	return out
}

// bareAnswer is a yes or no that a sentence begins with, or that is all of it: what it
// answers is said by what follows, and its no denies nothing of that.
var bareAnswer = regexp.MustCompile(`(?i)^\W{0,3}(?:yes|no)(?:[,;:.!]|\s+[–—-]\s|$)\W*`)

// statementsOf returns sentences without questions, which claim nothing, and without yes and
// no before what is claimed; an answer of these alone is taken by its words. A yes or no
// behind other sentences is one of what they ask.
func statementsOf(sentences []string) []string {
	var kept []string
	for i, s := range sentences {
		said := bareAnswer.ReplaceAllString(s, "")
		switch {
		case strings.HasSuffix(s, "?") || said == "" && i == 0:
		case said == "":
			kept = append(kept, s)
		default:
			kept = append(kept, said)
		}
	}
	if len(kept) == 0 {
		return sentences
	}
	return kept
}
