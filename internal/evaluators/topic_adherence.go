// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
)

type topicAdherenceInput struct {
	Question   string                `json:"question" doc:"What the user asked." need:"required" span:"question"`
	Completion string                `json:"completion" doc:"What the assistant answered." need:"required" span:"output"`
	Topics     eval.JSONText[topics] `json:"reference_topics" doc:"The topics to keep to, separated by commas, or a JSON array." need:"required" span:"attribute:reference_topics"`
}

type topicAdherenceOutput struct {
	Score float64 `json:"adherence_score" doc:"1 for an assistant that answers what belongs to the topics and declines the rest, 0 for one that does neither."`
	eval.Judged
}

// topics are the names of subjects, at least one.
type topics []string

// UnmarshalText reads names with commas between them, or a JSON array.
func (t *topics) UnmarshalText(raw []byte) error {
	var listed conversation.Texts
	if err := listed.UnmarshalText(raw); err != nil {
		listed = strings.Split(string(raw), ",")
	}
	*t = judging.Usable(listed)
	if len(*t) == 0 {
		return errors.New("must name a topic")
	}
	return nil
}

// Up to what score question and answer surely belong to no topic, and from which on they do.
const (
	surelyOff = 0.1
	surelyOn  = 0.9
)

var topicAdherencePrompts = judging.PromptsOf("topic-adherence")

// topicOf returns a score and the reason for it.
func topicOf(score float64, reason string) topicAdherenceOutput {
	return topicAdherenceOutput{score, scored(score, reason)}
}

var _ = define(eval.Definition[topicAdherenceInput, eval.None, topicAdherenceOutput]{
	Slug: "topic-adherence",
	Doc: "Tells how well an assistant keeps to its topics: the F1 of the topics it answered and those it should have. A judge finds the topics of the question, which of them " +
		"were answered, and which belong to the reference topics. A question that is all off topic and all declined scores 1, one without a topic 0. Without a judge, the score is the larger of two: " +
		"the share of a topic's words that question and answer have, and how near their subject is to the topic's by English word vectors. The best topic counts. An answer of another subject scores 0, unless a text was asked for. " +
		"A refusal scores 0 where the question is about a topic, and otherwise 1. This is rough: it cannot tell a bond that is a loan from one that is a spy.",
	Languages: english,
	Language:  func(in topicAdherenceInput) string { return written(in.Question, in.Completion) },
	Backend:   eval.Embedded,
	Version:   topicAdherencePrompts.Version,
	Run: func(_ context.Context, in topicAdherenceInput, _ eval.None) (topicAdherenceOutput, error) {
		if !replies.SaysMuch(in.Question) {
			return topicOf(0, "The question says too little."), nil
		}
		if lexical.Blank(in.Completion) || replies.Declines(in.Completion) {
			if lexical.Touches(in.Topics.Value, in.Question) > scoreNoise || in.about(in.Question) >= declinedAbout {
				return topicOf(0, "The answer is missing or declines a question on topic."), nil
			}
			return topicOf(1, "The answer is missing or declines a question off topic."), nil
		}
		if in.strays() {
			return topicOf(0, "The answer strays from the question and the topics."), nil
		}
		said := in.Question + "\n" + in.Completion
		score := rounded(max(lexical.Touches(in.Topics.Value, said), in.about(said)))
		out := topicOf(score, "Question and answer have words of the topics, or words close to them.")
		switch {
		case score <= surelyOff:
			out.Reason = "Question and answer have hardly a word of the topics."
		case score < surelyOn:
			out.Reason, out.Uncertain = "Words alone do not show whether question and answer belong to a topic.", true
		}
		return out, nil
	},
	ByJudge: judgeTopics,
	Examples: []eval.Example{
		{About: "on topic", Input: `{"question": "How do I train a neural network?", "completion": "Machine learning begins with data.", "reference_topics": "machine learning, cooking"}`, Want: `{"adherence_score": 1}`},
		{About: "an abbreviation", Input: `{"question": "Will AI replace doctors?", "completion": "Hardly.", "reference_topics": "artificial intelligence"}`, Want: `{"adherence_score": 1}`},
		{About: "off topic, and answered", Input: `{"question": "Who won the football match?", "completion": "The visitors won.", "reference_topics": "cooking"}`, Want: `{"adherence_score": 0}`},
		{About: "off topic, and declined", Input: `{"question": "Who won the football match?", "completion": "I'm sorry, but I can't help with that.", "reference_topics": ["cooking"]}`, Want: `{"adherence_score": 1}`},
		{About: "in other words", Input: `{"question": "How do I boil an egg?", "completion": "Put it into boiling water for six minutes.", "reference_topics": "cooking"}`, Want: `{"adherence_score": 0.991675764}`},
		{About: "a topic in other words, and declined", Input: `{"question": "How do I boil an egg in hot water?", "completion": "I'm sorry, but I can't help with that.", "reference_topics": "cooking"}`, Want: `{"adherence_score": 0}`},
		{About: "an answer of another subject", Input: `{"question": "How do I boil an egg?", "completion": "The visitors won the football match.", "reference_topics": "cooking"}`, Want: `{"adherence_score": 0}`},
		{About: "no topics", Input: `{"question": "Who won?", "completion": "We did.", "reference_topics": " , "}`, Refused: "input.reference_topics must name a topic"},
		{
			About: "one topic of two is off", Input: `{"question": "How do I poach an egg, and who won the match?", "completion": "Simmer it for three minutes. The visitors won.", "reference_topics": "cooking"}`,
			Judge: []string{`{"topics": [{"topic": "poaching eggs", "reason": "It says how, which is cooking.", "answered": "yes", "inside": "yes"}, {"topic": "the result of a match", "reason": "It says who, which is sport.", "answered": "yes", "inside": "no"}]}`},
			Want:  `{"adherence_score": 0.666666667}`,
		},
	},
})

// declinedAbout is how far a question must be about a topic for a refusal to be wrong.
const declinedAbout = 0.5

// What an answer that strays has at most of the subject of the question and of the topics, and
// how many words at least that tell its own subject. Fewer say nothing of any.
const (
	straysFrom  = 0.05
	ownSubjects = 3
)

// asksForText are words of requests for a text, which may be of any subject.
var asksForText = lexical.SetOf("write generate create compose draft recite summarize summarise produce invent imagine describe rewrite edit translate story poem haiku tweet song script sonnet speech example examples " +
	"list name construct design select suggest provide given following come")

// strays reports whether the completion is an answer to something else, and of none of the
// topics, by what its own words tell.
func (in topicAdherenceInput) strays() bool {
	for w := range lexical.EachWord(in.Question) {
		if asksForText[strings.ToLower(w.Text)] {
			return false
		}
	}
	own := 0
	for w := range lexical.EachWord(in.Completion) {
		if word := meaning.WordOf(w); word.HasNear() && lexical.Telling(w.Stem) {
			own++
		}
	}
	return own >= ownSubjects && lexical.Touches(in.Topics.Value, in.Completion) <= scoreNoise && in.about(in.Completion) < straysFrom &&
		meaning.Of(in.Question).Subject(meaning.Of(in.Completion)) < straysFrom && !replies.Met(in.Question, in.Completion)
}

// about is how far a text is about the topic that is nearest to it.
func (in topicAdherenceInput) about(text string) float64 {
	said, best := meaning.Of(text), 0.0
	for _, topic := range in.Topics.Value {
		best = max(best, said.About(meaning.Of(topic)))
	}
	return best
}

// topicsSchema is of the topics of a question: whether they were answered, and whether they
// are inside of those to keep to.
var topicsSchema = judging.Object("topics", judging.List(string(judging.Object("topic", judging.Text, "reason", judging.Text, "answered", judging.YesOrNo, "inside", judging.YesOrNo))))

func judgeTopics(ctx context.Context, m eval.Models, in topicAdherenceInput, _ eval.None) (topicAdherenceOutput, error) {
	type topic struct{ Topic, Reason, Answered, Inside string }
	said := struct{ Topics judging.Found[topic] }{judging.Found[topic]{Needed: claims(in.Question)}}
	err := topicAdherencePrompts.Ask(ctx, m, "topics", topicsSchema, &said, judging.Numbered("reference_topics", in.Topics.Value),
		eval.DataBlock{Name: "question", Text: in.Question}, eval.DataBlock{Name: "completion", Text: in.Completion})
	if err != nil || len(said.Topics.List) == 0 {
		return topicAdherenceOutput{}, err
	}
	right, strayed, missed := 0, 0, 0
	for _, t := range said.Topics.List {
		switch answered, inside := t.Answered == "yes", t.Inside == "yes"; {
		case answered && inside:
			right++
		case answered:
			strayed++
		case inside:
			missed++
		}
	}
	if right+strayed+missed == 0 {
		return topicAdherenceOutput{Score: 1, Judged: scored(1, "All topics are out of scope, and all were declined.")}, nil
	}
	score := rounded(share(2*right, 2*right+strayed+missed))
	return topicAdherenceOutput{Score: score, Judged: because(score, "%d topics in scope were answered, %d out of scope were answered, and %d in scope were declined.", right, strayed, missed)}, nil
}

// rounded keeps nine digits: the rest is noise.
func rounded(score float64) float64 { return math.Round(score*1e9) / 1e9 }
