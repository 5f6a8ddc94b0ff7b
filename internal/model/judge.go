// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// JudgeSettings are the settings of a judge behind an OpenAI-compatible server.
type JudgeSettings struct {
	Server Server
	// Model is asked unless a question names another that is in Allowed.
	Model   string
	Allowed []string
	// MaxTokens is how long an answer may be. One that is cut off is asked for
	// again with twice as much.
	MaxTokens int64
	// MaxInput is how many bytes of the texts a question sends; 0 is all.
	MaxInput int
	// MaxCost is what a question may cost by its estimate, in US dollars: the texts are
	// shortened to it before it is sent. 0 is any, as for a model without a price.
	MaxCost float64
	// LogProbs says that the server gives log probabilities of what the model writes.
	LogProbs bool
	// Repairs is how often an unusable answer is asked for again.
	Repairs int
	Prices  Prices
	Cache   CacheLimits
}

// Judge is a language model behind an OpenAI-compatible server.
type Judge struct {
	settings       JudgeSettings
	chat           chat
	promptBoundary *promptBoundary
	shapes         *shapes
	verdicts       *cache[eval.Verdict]
}

var _ eval.JudgeModel = (*Judge)(nil)

// NewJudge makes a judge behind its guard.
func NewJudge(settings JudgeSettings, guard *Guard) *Judge {
	return &Judge{
		settings:       settings,
		chat:           chat{guard: guard, prices: settings.Prices, service: openai.NewChatCompletionService(settings.Server.options(maxAnswer)...)},
		promptBoundary: newPromptBoundary(),
		shapes:         newShapes(),
		verdicts:       newCache(guard, settings.Cache, func(v eval.Verdict) int { return len(v.JSON) + len(v.Model) }),
	}
}

// Judge asks, or gives the verdict that the same question got a while ago.
func (j *Judge) Judge(ctx context.Context, q eval.Question) (eval.Verdict, error) {
	switch {
	case q.Model == "":
		q.Model = j.settings.Model
	case q.Model != j.settings.Model && !slices.Contains(j.settings.Allowed, q.Model):
		return eval.Verdict{}, fault.New(fault.Invalid, "the model %q is not among those that are allowed", q.Model)
	}
	verdict, shared, err := j.verdicts.do(ctx, keyOfQuestion(q), func(ctx context.Context) (eval.Verdict, error) {
		return j.ask(ctx, q)
	})
	j.chat.guard.cacheLookup(ctx, KindJudge, j.settings.Cache, shared)
	if shared {
		verdict.Cached, verdict.Usage = true, eval.Usage{}
	}
	return verdict, j.chat.guard.public(err)
}

// keyOfQuestion digests all that a verdict depends on. The server and the
// judge's own settings are not in it: every judge has its own cache.
func keyOfQuestion(q eval.Question) key {
	parts := []string{q.Evaluator, q.Version, q.Model, q.Instructions, string(q.Schema)}
	parts = append(parts, fmt.Sprint(len(q.Turns), len(q.Data)))
	for _, t := range q.Turns {
		parts = append(parts, string(t.Role), t.Text)
	}
	for _, d := range q.Data {
		parts = append(parts, d.Name, d.Text)
	}
	sampling, err := json.Marshal(q.Sampling)
	if err != nil { // A number that is not finite, which is no request either.
		sampling = []byte(err.Error())
	}
	return keyOf(append(parts, string(sampling))...)
}

// ask asks until an answer fits.
func (j *Judge) ask(ctx context.Context, q eval.Question) (eval.Verdict, error) {
	schema, err := j.shapes.get(q.Schema)
	if err != nil {
		return eval.Verdict{}, err
	}
	maxTokens := j.settings.MaxTokens
	if q.Sampling.MaxTokens > 0 {
		maxTokens = q.Sampling.MaxTokens
	}
	limit, err := j.limit(q, maxTokens)
	if err != nil {
		return eval.Verdict{}, err
	}
	data, cutDown, err := shorten(q.Data, limit)
	if err != nil {
		return eval.Verdict{}, err
	}
	q.Data = data
	boundary := j.promptBoundary.boundary(q.Data)
	var (
		total  eval.Usage
		repair []message
	)
	for attempt := 0; ; attempt++ {
		answer, used, err := j.chat.ask(ctx, chatRequest{
			logProbs: j.settings.LogProbs && q.Graded != "", likely: likelyTokens,
			kind: KindJudge, model: q.Model, schema: q.Schema, sampling: q.Sampling, maxTokens: maxTokens,
			messages: func(described bool) ([]message, error) {
				messages, err := conversation(q, boundary, described, cutDown)
				return append(messages, repair...), err
			},
		})
		total = total.Add(used)
		if err != nil {
			return eval.Verdict{Usage: total}, err
		}
		verdict, problem := read(answer, func(text string) (json.RawMessage, error) {
			verdict, err := readVerdict(text, schema)
			if err == nil && q.Check != nil {
				err = q.Check(verdict)
			}
			return verdict, err
		})
		if problem == nil {
			grade := gradeOf(answer.choice.Logprobs.Content, verdict, q.Graded)
			return eval.Verdict{Grade: grade, JSON: verdict, Model: answer.model, Cut: cutDown, Usage: total}, nil
		}
		j.chat.guard.observer.Called(ctx, KindJudge, Call{Reason: ReasonBroken})
		if attempt >= j.settings.Repairs || errors.Is(problem, errDeclined) {
			// The problem may quote the answer, so the error has only its kind.
			return eval.Verdict{Usage: total}, unusable(problem)
		}
		if errors.Is(problem, errCut) {
			maxTokens *= 2
		}
		repair = []message{{roleAssistant, cut(answer.choice.Message.Content)}, complaint(boundary, problem.Error())}
	}
}

// limit returns how many bytes of its texts a question may send, 0 for all of them: MaxInput, and
// no more than MaxCost leaves for them after the instructions and the longest answer.
func (j *Judge) limit(q eval.Question, maxTokens int64) (int, error) {
	price, priced := j.settings.Prices[q.Model]
	if j.settings.MaxCost <= 0 || !priced {
		return j.settings.MaxInput, nil
	}
	fixed := len(q.Instructions) + len(q.Schema)
	for _, t := range q.Turns {
		fixed += len(t.Text)
	}
	left := j.settings.MaxCost - j.settings.Prices.Of(q.Model, int64(fixed/BytesPerToken), maxTokens).Cost
	if left < 0 {
		return 0, errTooDear
	}
	if price.Prompt == 0 {
		return j.settings.MaxInput, nil
	}
	affordable := left / price.Prompt * 1e6 * BytesPerToken
	switch {
	case affordable < 1:
		return 0, errTooDear
	case affordable >= maxAffordable:
		return j.settings.MaxInput, nil
	case j.settings.MaxInput == 0:
		return int(affordable), nil
	}
	return min(int(affordable), j.settings.MaxInput), nil
}

// maxAffordable is more bytes than a question has.
const maxAffordable = 1 << 30

var errTooDear = &failure{reason: ReasonTooLong, cause: errors.New("the question would cost more than max_question_cost, whatever is left out")}

var (
	errDeclined = errors.New("the model declined to answer")
	errCut      = errors.New("the answer was cut off at its greatest length; answer in fewer words")
)

// read returns what an answer says, or what is wrong with it.
func read(a chatAnswer, parse func(string) (json.RawMessage, error)) (json.RawMessage, error) {
	switch {
	case a.choice.Message.Refusal != "", a.choice.FinishReason == "content_filter":
		return nil, errDeclined
	case a.choice.FinishReason == "length":
		// Even if it parses: what was cut may have changed it.
		return nil, errCut
	}
	return parse(a.choice.Message.Content)
}

func unusable(problem error) error {
	switch {
	case errors.Is(problem, errDeclined), errors.Is(problem, errCut):
		return &failure{reason: ReasonBroken, cause: problem}
	default:
		return broken("the answer does not fit its schema")
	}
}

// maxQuoted is how much of an unusable answer a judge is shown, in bytes.
const maxQuoted = 4000

func cut(text string) string {
	if text = strings.ToValidUTF8(textcut.Bytes(text, maxQuoted), ""); text == "" {
		return "(nothing)"
	}
	return text
}
