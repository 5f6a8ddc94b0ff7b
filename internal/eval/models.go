// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Models are the models that one evaluator may use. A nil field is a model
// that the operator has not configured: an evaluator that cannot judge
// without it answers with a fault of kind NotConfigured that says what to
// configure.
//
// All models share these rules. They are safe for concurrent use. Their
// limits, retries and caches are behind them. An error is a fault: Unavailable
// for an outage, a limit or a time that ran out, Internal for an answer that
// stayed unusable, TooLarge for a text that the model cannot read. There is
// never part of a verdict, and never a number that is not finite; next to an
// error only Usage is set. Answers are shared and not to be changed.
type Models struct {
	Judge      JudgeModel
	Embedder   EmbeddingModel
	Classifier ClassifierModel
	Answerer   AnswerModel
	Scorer     LogProbModel
}

// JudgeModel is a language model that answers questions about texts with JSON.
type JudgeModel interface {
	// Judge asks until the answer fits the question's schema, a bounded number
	// of times. The same question gives the same verdict while it is cached.
	// A model that is not allowed is refused with a fault of kind Invalid.
	Judge(ctx context.Context, q Question) (Verdict, error)
}

// Question is what a judge is asked.
type Question struct {
	// Evaluator and Version name the evaluator and the version of its prompt:
	// verdicts of another version are never given for this one.
	Evaluator, Version string
	// Instructions are the system message. They are the evaluator's own words
	// and never hold a text to be judged.
	Instructions string
	// Turns is a conversation to show between instructions and data, such as
	// worked examples: the author's own words too.
	Turns []Turn
	// Data are the texts to be judged. They reach the judge in one user
	// message, each between delimiters that its author cannot guess, and the
	// judge gets the instruction to obey nothing in them. Instructions
	// mention a part by its name.
	Data []DataBlock
	// Schema is the JSON schema of the answer, an object. For judges that
	// enforce it, every property is required and no other is allowed. Reasons
	// come before verdicts.
	Schema json.RawMessage
	// Graded names a member of the answer that is a grade of one digit, or "yes" or "no"; "" if
	// none is.
	Graded string
	// Check, if it is not nil, says what is wrong with an answer that fits the schema, in
	// words for the judge, who is asked again. It depends on nothing but the question, and
	// may be called by several goroutines.
	Check func(answer json.RawMessage) error
	// Model is the name of the model to ask; "" is the configured one.
	Model string
	// Sampling departs from the judge's defaults; custom evaluators may.
	Sampling Sampling
}

// DataBlock is a text to be judged. Its name is letters, digits, "_", "-" and ".".
type DataBlock struct {
	Name, Text string
	// Whole says that the text is never shortened, however long it is.
	Whole bool
}

// Role says who speaks in a turn.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Turn is a message of a conversation that the author of an evaluator wrote.
type Turn struct {
	Role Role
	Text string
}

// Sampling is how a language model chooses its words. The zero value is the
// judge's default: temperature 0, a fixed seed, the configured token limit.
type Sampling struct {
	Temperature      *float64 `json:"temperature,omitempty"`
	TopP             *float64 `json:"top_p,omitempty"`
	FrequencyPenalty *float64 `json:"frequency_penalty,omitempty"`
	PresencePenalty  *float64 `json:"presence_penalty,omitempty"`
	MaxTokens        int64    `json:"max_tokens,omitempty"`
	Stop             []string `json:"stop,omitempty"`
}

// Verdict is a judge's answer.
type Verdict struct {
	// JSON is an object that fits the question's schema.
	JSON json.RawMessage
	// Model is what answered, as the server names it.
	Model  string
	Cached bool // the answer was there already and cost nothing
	// Grade is the mean of the grades that the judge found likely, by their probabilities, or
	// the probability of "yes"; 0 where the server gives none.
	Grade float64
	Cut   bool // the texts were too long, and pieces of them were left out
	Usage Usage
}

// Into decodes the answer into a struct of the schema's shape.
func (v Verdict) Into(answer any) error {
	if err := json.Unmarshal(v.JSON, answer); err != nil {
		// The cause would quote the answer.
		return fault.New(fault.Unusable, "the judge's answer does not have the shape of its schema")
	}
	return nil
}

// EmbeddingModel gives texts places in a space where nearness is likeness.
type EmbeddingModel interface {
	// Embed returns one vector per text, in their order, all of one dimension
	// and of length 1, so that the dot product is the cosine; a vector without
	// a direction stays zero.
	Embed(ctx context.Context, texts []string) (Embeddings, error)
}

// Embeddings are the vectors of texts.
type Embeddings struct {
	Vectors [][]float64
	Model   string
	Cached  bool // as of Verdict
	Usage   Usage
}

// ClassifierModel tells which of its labels a text deserves.
type ClassifierModel interface {
	// Classify returns every label with its score between 0 and 1, the highest
	// first: probabilities that sum to 1 or, if labels do not exclude one
	// another, one probability each, as the model is configured.
	Classify(ctx context.Context, text string) (Classification, error)
	// ClassifyPair does so for two texts that the model reads together, as one that tells
	// whether the second follows from the first.
	ClassifyPair(ctx context.Context, first, second string) (Classification, error)
}

// Classification is a classifier's answer.
type Classification struct {
	Labels []Label
	Model  string
	Cached bool // as of Verdict
	Usage  Usage
}

// Label is one label and the probability that it applies.
type Label struct {
	Name  string
	Score float64
}

// Score returns the score of a label, and false if the model has no such label.
func (c Classification) Score(name string) (float64, bool) {
	for _, l := range c.Labels {
		if l.Name == name {
			return l.Score, true
		}
	}
	return 0, false
}

// AnswerModel is a language model that shows how sure it was of each word.
type AnswerModel interface {
	// Answer lets the model answer a prompt, at temperature 0.
	Answer(ctx context.Context, prompt string) (Answer, error)
}

// Answer is a text that a model wrote, and its tokens.
type Answer struct {
	Text   string
	Tokens []Token
	Model  string
	Cached bool // as of Verdict
	Usage  Usage
}

// LogProbModel is a language model that says how likely it finds a text.
type LogProbModel interface {
	// LogProbs returns the tokens of a text but for the first, which follows
	// nothing. A text of one token has none.
	LogProbs(ctx context.Context, text string) (LogProbs, error)
}

// LogProbs are the tokens of a text.
type LogProbs struct {
	Tokens []Token
	Model  string
	Cached bool // as of Verdict
	Usage  Usage
}

// Token is a piece of text and the natural logarithm of its probability,
// finite and at most 0.
type Token struct {
	Text    string
	LogProb float64
}

// Usage is what calls of models took. The zero value is nothing.
type Usage struct {
	PromptTokens     int64
	CompletionTokens int64
	// Cost is in US dollars, by the configured prices.
	Cost float64
	// Unpriced says that tokens were used which have no price: Cost is too low.
	Unpriced bool
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		PromptTokens:     u.PromptTokens + v.PromptTokens,
		CompletionTokens: u.CompletionTokens + v.CompletionTokens,
		Cost:             u.Cost + v.Cost,
		Unpriced:         u.Unpriced || v.Unpriced,
	}
}

// ModelProvider is an extension that provides models.
type ModelProvider interface {
	// Models are what the evaluator of this slug may use. Fields are nil where
	// nothing is configured. It is answered from memory.
	Models(evaluator string) Models
	// Judge is the judge that is configured under this name.
	Judge(name string) (JudgeModel, bool)
}
