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
}

var faithfulnessPrompts = judging.PromptsOf("faithfulness")

var _ = define(eval.Definition[faithfulnessInput, faithfulnessConfig, faithfulnessOutput]{
	Slug: "faithfulness",
	Doc: "Tells whether a context bears out what an answer claims. A judge takes the answer apart into statements and checks each. Without one, a sentence is borne out when " +
		"its numbers, however they are written, and names are in the context, and enough of its words and pairs of words, near words of English counting in part, and when the sentence of the context that is most like it does not say otherwise: by a negation, " +
		"an opposite, another number or unit, month or other word of a kind, a number before another thing, two names the other way round or put together from two, months or weekdays of two things that changed places, all or only where it says some or more, what was first and what came after, or a mere perhaps. A yes or no alone claims what the question asks for. Questions among other sentences claim nothing. " +
		"That finds inventions and plain contradictions; it mistakes a free retelling for an invention, a fact of one person that is told of another in the same sentence goes unnoticed, and so does what is told of a part and then of the whole (four of the nine windows); facts put together from several sentences are not followed. The first 2,000 sentences are looked at. An answer that claims nothing, such as a greeting or a refusal, is faithful; one that claims something without a context is not.",
	Languages: english,
	Language:  func(in faithfulnessInput) string { return written(in.Completion, in.Context.Value.Text()) },
	Backend:   eval.Embedded,
	Version:   faithfulnessPrompts.Version,
	Defaults:  faithfulnessConfig{Threshold: 1},
	Run: func(_ context.Context, in faithfulnessInput, cfg faithfulnessConfig) (faithfulnessOutput, error) {
		sentences := lexical.Sentences(in.Completion)
		if len(sentences) == 0 || replies.Declines(in.Completion) {
			return faithfulnessOutput{Faithful: true}, nil
		}
		reply, asked := bareReply.FindStringSubmatch(in.Completion), ""
		if reply != nil {
			if asked = askedStatement(in.Question); asked == "" {
				return faithfulnessOutput{Faithful: true}, nil // It claims nothing.
			}
		}
		if in.Context.Value.Blank() {
			return faithfulnessOutput{}, nil
		}
		if reply != nil {
			borneOut := newSupport("", in.Context.Value.Text()).bears(strings.EqualFold(reply[1], "yes"), asked)
			return faithfulnessOutput{Faithful: borneOut || cfg.Threshold <= scoreNoise}, nil
		}
		given := newSupport(in.Question, in.Context.Value.Text())
		claims := statementsOf(sentences)
		supported := 0
		for _, s := range claims {
			if given.supports(s) {
				supported++
			}
		}
		return faithfulnessOutput{Faithful: share(supported, len(claims)) >= cfg.Threshold-scoreNoise}, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in faithfulnessInput, cfg faithfulnessConfig) (faithfulnessOutput, error) {
		if lexical.Blank(in.Completion) {
			return faithfulnessOutput{Faithful: true}, nil
		}
		var said struct{ Statements []string }
		err := faithfulnessPrompts.Ask(ctx, m, "statements", judging.Object("statements", judging.List(judging.Text)), &said,
			eval.DataBlock{Name: "question", Text: in.Question}, eval.DataBlock{Name: "completion", Text: in.Completion})
		statements := judging.Usable(said.Statements)
		if err != nil || len(statements) == 0 || in.Context.Value.Blank() {
			return faithfulnessOutput{Faithful: err == nil && len(statements) == 0}, err
		}
		var judged struct{ Verdicts []judging.Judgement }
		err = faithfulnessPrompts.Ask(ctx, m, "verdicts", judging.Object("verdicts", judging.Verdicts), &judged,
			in.Context.Value.DataBlock(), judging.Numbered("statements", statements))
		if err != nil {
			return faithfulnessOutput{}, err
		}
		supported, all, err := judging.Tally(judged.Verdicts, len(statements))
		return faithfulnessOutput{Faithful: share(supported, all) >= cfg.Threshold-scoreNoise}, err
	},
	Examples: []eval.Example{
		{About: "what the context says", Input: `{"question": "When did it open?", "context": "The museum opened in 1987 in Bonn.", "completion": "The museum opened in 1987."}`, Want: `{"is_faithful": true}`},
		{About: "another year", Input: `{"question": "When did it open?", "context": "The museum opened in 1987 in Bonn.", "completion": "The museum opened in 1988."}`, Want: `{"is_faithful": false}`},
		{About: "nothing claimed", Input: `{"question": "When did it open?", "context": "", "completion": "I don't know when it opened."}`, Want: `{"is_faithful": true}`},
		{About: "no context", Input: `{"question": "When did it open?", "context": "", "completion": "It opened in 1987."}`, Want: `{"is_faithful": false}`},
		{
			About: "half of it is invented", Input: `{"question": "When did it open?", "context": "The museum opened in 1987.", "completion": "It welcomed its first guests in 1987, with fireworks."}`,
			Judge: []string{
				`{"statements": ["The museum opened in 1987.", "There were fireworks at the opening."]}`,
				`{"verdicts": [{"index": 1, "reason": "The context says so.", "verdict": "yes"}, {"index": 2, "reason": "No word of fireworks.", "verdict": "no"}]}`,
			},
			Want: `{"is_faithful": false}`,
		},
		{
			About: "nothing claimed", Input: `{"question": "Hello?", "context": "The museum opened in 1987.", "completion": "Hello, how can I help?"}`,
			Judge: []string{`{"statements": []}`},
			Want:  `{"is_faithful": true}`,
		},
	},
})

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
