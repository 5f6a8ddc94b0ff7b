// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"regexp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type answerRelevancyInput struct {
	Answer   string `json:"answer" doc:"The answer to judge." need:"required" span:"output"`
	Question string `json:"question" doc:"What was asked." need:"required" span:"question"`
}

type answerRelevancyConfig struct {
	Threshold float64 `json:"threshold" doc:"The score from which an answer is relevant." min:"0" max:"1"`
}

type answerRelevancyOutput struct {
	Relevant bool `json:"is_relevant" doc:"Whether the answer is one to the question; not whether it is right."`
	eval.Judged
}

// shortAnswer is the least score of a few words to a question that asks for such: as much as
// the default threshold takes, and no more, since their form alone speaks for them.
const shortAnswer = 0.5

var answerRelevancyPrompts = judging.PromptsOf("answer-relevancy")

var _ = define(eval.Definition[answerRelevancyInput, answerRelevancyConfig, answerRelevancyOutput]{
	Slug: "answer-relevancy",
	Doc: "Tells whether an answer is to the question. With a judge and embeddings, the judge writes questions that the answer would fit, and their mean likeness " +
		"to the real one is the score; with a judge alone, the score is the share of the answer's statements that are to the point. Evasive answers are irrelevant. " +
		"Without a judge, a refusal of what is asked, an echo of the question, an empty answer and a long one with hardly a word of a long question are irrelevant. An answer with the words of the question and of its subject is relevant. Else the result is uncertain.",
	Languages: english,
	Language:  func(in answerRelevancyInput) string { return written(in.Answer, in.Question) },
	Backend:   eval.Embedded,
	Version:   answerRelevancyPrompts.Version,
	Defaults:  answerRelevancyConfig{Threshold: 0.5},
	Run: func(_ context.Context, in answerRelevancyInput, cfg answerRelevancyConfig) (answerRelevancyOutput, error) {
		if done, err := in.nothingToJudge(); done {
			return answerRelevancyOutput{Judged: scored(0, "The answer is empty.")}, err
		}
		judged := in.byWords()
		return answerRelevancyOutput{Relevant: *judged.Score >= cfg.Threshold-scoreNoise && *judged.Score > 0, Judged: judged}, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in answerRelevancyInput, cfg answerRelevancyConfig) (answerRelevancyOutput, error) {
		if done, err := in.nothingToJudge(); done {
			return answerRelevancyOutput{Judged: scored(0, "The answer is empty.")}, err
		}
		judge := in.byStatements
		if m.Embedder != nil {
			judge = in.byQuestions
		}
		judged, noncommittal, err := judge(ctx, m)
		if err != nil {
			return answerRelevancyOutput{}, err
		}
		if noncommittal {
			return answerRelevancyOutput{Judged: scored(0, "The answer is evasive.")}, nil
		}
		return answerRelevancyOutput{Relevant: *judged.Score >= cfg.Threshold-scoreNoise, Judged: judged}, nil
	},
	Examples: []eval.Example{
		{About: "an answer", Input: `{"question": "What is the capital of France?", "answer": "The capital of France is Paris."}`, Want: `{"is_relevant": true}`},
		{About: "another subject", Input: `{"question": "What is the capital of France?", "answer": "I like eating pizza on weekends."}`, Want: `{"is_relevant": false, "uncertain": true}`},
		{About: "a refusal", Input: `{"question": "What is the capital of France?", "answer": "I do not know the capital of France."}`, Want: `{"is_relevant": false}`},
		{About: "a name is enough of an answer", Input: `{"question": "What is the capital of France?", "answer": "Paris."}`, Want: `{"is_relevant": true, "uncertain": true}`},
		{About: "data in the form that was asked for", Input: `{"question": "Return the capital of France as JSON.", "answer": "{\"city\": \"Paris\"}"}`, Want: `{"is_relevant": true, "uncertain": true}`},
		{About: "a greeting", Input: `{"question": "Hi!", "answer": "Hello! How can I help you today?"}`, Want: `{"is_relevant": true, "uncertain": true}`},
		{About: "no answer", Input: `{"question": "What is the capital of France?", "answer": ""}`, Want: `{"is_relevant": false}`},
		{About: "no question", Input: `{"question": " ", "answer": "Paris."}`, Refused: "input.question must not be empty"},
		{
			About: "an answer in words of its own", Input: `{"question": "What is the capital of France?", "answer": "Paris."}`,
			Judge: []string{`{"statements": [{"text": "Paris", "reason": "It names the city.", "relevant": "yes"}], "noncommittal": false}`},
			Want:  `{"is_relevant": true}`,
		},
		{
			About: "an evasion", Input: `{"question": "What is the capital of France?", "answer": "That is for others to say."}`,
			Judge: []string{`{"statements": [], "noncommittal": true}`},
			Want:  `{"is_relevant": false}`,
		},
	},
})

// An answer is surely relevant with this score if it has so much of what the question tells:
// more of a short question, of which a subject in common is already a part. A long answer
// with hardly a word of a long question is surely irrelevant. ADR 0106 has the figures.
const (
	surelyRelevant   = 0.5
	surelyAnswered   = 0.6
	mostlyAnswered   = 0.4
	surelyIrrelevant = 0.15
	fewTerms         = 3  // of a question, below which its words do not tell
	someTerms        = 6  // from which mostlyAnswered is enough
	manyTerms        = 8  // from which none of them in an answer tells
	longAnswer       = 30 // terms of an answer to be surely irrelevant
)

// asksFor is how a text begins that wants an answer, if it is no question.
var asksFor = regexp.MustCompile(`(?i)^\W*(?:please\s+)?(?:tell|give|explain|describe|list|name|show|write|find|summari[sz]e|translate|compare|define|calculate|suggest|recommend|what|who|whose|whom|when|where|which|why|how)\b`)

// clarifies is how a reply asks what was meant, which is none and may be to the point.
var clarifies = regexp.MustCompile(`(?i)\b(?:understand|follow|get|catch)\b[^.!?]{0,20}\b(?:you|your|that)\b|\b(?:rephrase|clarify|more (?:information|details?|context))\b`)

// yesOrNoQuestion is one that "I cannot" and "I do not know any" answer.
var yesOrNoQuestion = regexp.MustCompile(`(?i)(?:^|[.!?,]\s+)(?:do|does|did|can|could|will|would|may|should|have|has|is|are)\s+(?:you|i|we|it|there|they|he|she|the)\b[^.!?]*\?\s*$`)

// byWords judges by the words of both texts.
func (in answerRelevancyInput) byWords() eval.Judged {
	asked, answered := lexical.BagOf(in.Question), lexical.BagOf(in.Answer)
	covered := lexical.Coverage(asked, answered)
	score := replies.Relevance(in.Question, in.Answer)
	wantsAnswer := strings.Contains(in.Question, "?") || asksFor.MatchString(in.Question)
	switch {
	case replies.Declines(in.Answer):
		if wantsAnswer && !yesOrNoQuestion.MatchString(in.Question) && !clarifies.MatchString(in.Answer) && (covered > 0 || len(lexical.FirstSentences(in.Answer, 2)) == 1) {
			return scored(0, "The answer declines.")
		}
		// What is said in a conversation need not ask for anything that can be declined.
		return eval.Judged{Grounds: eval.Grounds{Score: eval.Scored(0), Reason: "The answer declines, but what was asked for is unclear."}, Uncertain: true}
	case sameWords(in.Question, in.Answer) && replies.SaysMuch(in.Question):
		return scored(0, "The answer repeats the question.")
	case score >= surelyRelevant && (len(asked) >= someTerms && covered >= mostlyAnswered || len(asked) >= fewTerms && covered >= surelyAnswered) &&
		!onlyAsks(in.Answer) && !replies.LacksQuantity(in.Question, in.Answer):
		return scored(score, "The answer has the words of the question.")
	case wantsAnswer && replies.GivesQuantity(in.Question, in.Answer):
		return scored(max(score, shortAnswer), "The answer gives the number, the time, or the yes or no that the question asks for.")
	case score < surelyIrrelevant && len(asked) >= manyTerms && len(answered) >= longAnswer:
		return scored(score, "The answer has hardly a word of the question.")
	case replies.ShortAnswer(in.Question, in.Answer) || !replies.SaysMuch(in.Question):
		score = max(score, shortAnswer)
	}
	return eval.Judged{Grounds: eval.Grounds{Score: eval.Scored(score), Reason: "Words alone do not show whether this is an answer to the question."}, Uncertain: true}
}

// nothingToJudge reports whether there is nothing to judge.
func (in answerRelevancyInput) nothingToJudge() (bool, error) {
	if lexical.Blank(in.Question) {
		return true, fault.New(fault.Invalid, "input.question must not be empty")
	}
	return lexical.Blank(in.Answer), nil
}

var relevancyQuestionsSchema = judging.Object("questions", judging.List(judging.Text), "noncommittal", judging.Boolean)

// byQuestions compares the question with those that the answer would fit.
func (in answerRelevancyInput) byQuestions(ctx context.Context, m eval.Models) (judged eval.Judged, noncommittal bool, err error) {
	var guessed struct {
		Questions    []string
		Noncommittal bool
	}
	err = answerRelevancyPrompts.Ask(ctx, m, "questions", relevancyQuestionsSchema, &guessed, eval.DataBlock{Name: "answer", Text: in.Answer})
	if err != nil || guessed.Noncommittal {
		return judged, guessed.Noncommittal, err
	}
	questions := judging.Usable(guessed.Questions)
	if len(questions) == 0 {
		return judged, false, fault.New(fault.Unusable, "the judge wrote no question")
	}
	likenesses, err := embeddingLikeness(ctx, m, in.Question, questions...)
	if err != nil {
		return judged, false, err
	}
	score := mean(likenesses)
	return because(score, "Questions that fit the answer are %.0f %% similar to the question.", 100*score), false, nil
}

var relevancyStatementsSchema = judging.Object(
	"statements", judging.List(string(judging.Object("text", judging.Text, "reason", judging.Text, "relevant", judging.OneOf("string", `"yes"`, `"no"`, `"idk"`)))),
	"noncommittal", judging.Boolean)

// byStatements counts the statements that are to the point.
func (in answerRelevancyInput) byStatements(ctx context.Context, m eval.Models) (judged eval.Judged, noncommittal bool, err error) {
	var said struct {
		Statements   []struct{ Text, Reason, Relevant string }
		Noncommittal bool
	}
	err = answerRelevancyPrompts.Ask(ctx, m, "statements", relevancyStatementsSchema, &said,
		eval.DataBlock{Name: "question", Text: in.Question}, eval.DataBlock{Name: "answer", Text: in.Answer})
	if err != nil || said.Noncommittal {
		return judged, said.Noncommittal, err
	}
	var beside []string
	for _, s := range said.Statements {
		if s.Relevant == "no" {
			beside = append(beside, wording.Because(s.Text, s.Reason))
		}
	}
	if len(said.Statements) == 0 {
		if claims(in.Answer) {
			return judged, false, fault.New(fault.Unusable, "the judge found no statement")
		}
		return scored(1, "The answer makes no statement."), false, nil
	}
	return counted(ctx, len(said.Statements), "statements are to the point", "Off topic", beside), false, nil
}
