// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// ExplainedEvaluator is what became of one evaluator of a setup.
type ExplainedEvaluator struct {
	EvaluatorType string           `json:"evaluator_type" doc:"The slug."`
	EvaluatorID   string           `json:"evaluator_id,omitempty" doc:"The id, of custom evaluators."`
	Status        string           `json:"status" doc:"How far the evaluation got; none where there is no record of one." enum:"done,uncertain,deferred,skipped,failed,none"`
	Reason        string           `json:"reason" doc:"Why; empty where there is nothing to say. As in the evaluations of the span, and of none: not_matched, made_after_span, paused (when the span came), changed_after_span, limit or not_recorded."`
	Sentence      string           `json:"sentence" doc:"The same in a sentence."`
	Sample        *ExplainedSample `json:"sample,omitempty" doc:"Where the evaluator judges a share of traces."`
	Missing       []MissingInput   `json:"missing,omitempty" doc:"Required inputs that the span lacks, and where they were looked for."`
	Owed          *Pending         `json:"owed,omitempty" doc:"About a pending evaluation."`
}

// ExplainedSample is the trace's place, and the rate: lower places are taken.
type ExplainedSample struct {
	Place float64 `json:"place" doc:"The trace's place." schema:"minimum=0 exclusiveMaximum=1"`
	Rate  float64 `json:"rate" doc:"The sample rate, which takes lower places." schema:"maximum=1 exclusiveMinimum=0"`
}

// MissingInput is an input that the span lacks.
type MissingInput struct {
	Input string               `json:"input" doc:"The input."`
	Where *monitor.InputSource `json:"where,omitempty"` // it was looked for; nil where spans have no such input
	At    monitor.Lack         `json:"at" doc:"What came to nothing: there is nothing at the source, the json_path leads to nothing, or the regex finds nothing." enum:"source,json_path,regex"`
}

// Pending is about an evaluation that is still to be made.
type Pending struct {
	Since         string   `json:"since" doc:"When it was deferred." schema:"format=date-time"`
	Due           string   `json:"due" doc:"When it is to be tried." schema:"format=date-time"`
	Attempts      int      `json:"attempts" doc:"How often it was tried."`
	Place         int64    `json:"place,omitempty" doc:"The place in the queue of the environment, 1 for the oldest pending evaluation and 1001 for all behind the first 1,000; absent of deleted setups." schema:"minimum=1 maximum=1001"`
	MaxCostPerDay float64  `json:"max_cost_per_day,omitempty" doc:"The bound of costs per day (UTC) in US dollars, where there is one."`
	DollarsPerDay float64  `json:"dollars_per_day,omitempty" doc:"What models may cost the environment a day (UTC), in US dollars, where that is bounded."`
	LeftToday     *float64 `json:"left_today,omitempty" doc:"What models may still take today, in US dollars, where that is bounded: for the setup or for the environment, whichever is less."`
}

// Statuses and reasons besides those of evaluations.
const (
	statusNone = "none"

	reasonNoMatch     = "not_matched"
	reasonBefore      = "made_after_span" // the setup
	reasonPaused      = "paused"          // the setup was
	reasonChanged     = "changed_after_span"
	reasonNotRecorded = "not_recorded"
)

func (c *explanation) evaluator(s *monitor.Setup, w *monitor.SetupEvaluator, of *ExplainedSetup) (ExplainedEvaluator, error) {
	for i := range c.records {
		if e := &c.records[i]; e.SetupID == s.ID && e.Evaluator == w.Slug {
			shown := c.recorded(e)
			shown.EvaluatorID = w.CustomID
			err := c.detail(&shown, s, w, e)
			if e.Generation != 0 && e.Generation < s.Generation {
				shown.Sentence += "; the setup was changed since"
			}
			return shown, err
		}
	}
	shown := ExplainedEvaluator{EvaluatorType: w.Slug, EvaluatorID: w.CustomID, Status: statusNone}
	switch {
	case !of.Matched:
		shown.Reason, shown.Sentence = reasonNoMatch, "the setup does not match the span"
	case slices.ContainsFunc(c.records, func(e eval.Evaluation) bool { return e.Reason == eval.ReasonLimit }):
		shown.Reason, shown.Sentence = eval.ReasonLimit, skipped(eval.ReasonLimit)
	case of.MadeAfterSpan:
		shown.Reason = reasonBefore
		shown.Sentence = "the setup was made after the span came; a backfill of the setup judges it"
	case s.WasPaused(time.Unix(0, c.came())):
		shown.Reason = reasonPaused
		shown.Sentence = "the setup was paused when the span came; a backfill of the setup judges it"
	case s.Generation > 1:
		shown.Reason = reasonChanged
		shown.Sentence = "there is no record: the setup was changed since it was made, and the span came before or its messages came later; a backfill judges it"
	default:
		shown.Reason = reasonNotRecorded
		shown.Sentence = "there is no record, though the span as it is stored matches: what a rule reads may have come later than the span; a backfill judges it"
	}
	return shown, nil
}

// recorded is about an evaluation as it was recorded.
func (c *explanation) recorded(e *eval.Evaluation) ExplainedEvaluator {
	reason, _ := textcut.Characters(e.Why(), maxReason)
	shown := ExplainedEvaluator{EvaluatorType: e.Evaluator, Status: string(e.Status), Reason: reason}
	switch e.Status {
	case eval.Done:
		shown.Sentence = fmt.Sprintf("judged at %s (%s)", rest.Time(time.Unix(0, e.Time)), e.Backend)
		if reason != "" {
			shown.Sentence += ": " + reason
		}
	case eval.Uncertain:
		if reason == eval.ReasonLanguage {
			reason = "the evaluator does not know the language of the text"
		}
		shown.Sentence = fmt.Sprintf("uncertain at %s (%s): %s", rest.Time(time.Unix(0, e.Time)), e.Backend, reason)
	case eval.Failed:
		shown.Sentence = "failed: " + reason
		if e.Attempts > 0 {
			shown.Sentence = "failed after " + tries(e.Attempts) + ": " + reason
		}
	case eval.Skipped:
		shown.Sentence = skipped(reason)
	case eval.Deferred:
		shown.Owed = &Pending{Since: rest.Time(time.Unix(0, e.Time)), Due: rest.Time(time.Unix(0, e.Due)), Attempts: e.Attempts}
		shown.Sentence = fmt.Sprintf("pending since %s: %s; due at %s", shown.Owed.Since, waiting(e, reason), shown.Owed.Due)
	}
	return shown
}

// skipped says why an evaluation is not made.
func skipped(reason string) string {
	switch reason {
	case eval.ReasonMissingInput:
		return "the span lacked an input that is required"
	case eval.ReasonSampledOut:
		return "the sample rate left the trace out"
	case eval.ReasonOwnTraffic:
		return "the span is of a judge's own call, which is never judged"
	case eval.ReasonDeleted:
		return "the setup, or the evaluator in it, was deleted before it was judged"
	case eval.ReasonLimit:
		return fmt.Sprintf("a span has at most %d evaluations, and those of older setups come first", monitor.MaxEvaluations)
	case eval.ReasonLanguage:
		return "the evaluator does not know the language of the text"
	}
	return "skipped: " + reason
}

// waiting says what an evaluation waits for.
func waiting(e *eval.Evaluation, reason string) string {
	switch reason {
	case "", eval.ReasonModel:
		return "a model is to be asked"
	case eval.ReasonOverBudget:
		return "the local evaluators had no time left for it"
	case eval.ReasonTrace:
		return "other spans of the trace have the input"
	case eval.ReasonCost:
		return "the money of the day was spent"
	}
	if e.Attempts == 1 {
		return "1 try: " + reason
	}
	return tries(e.Attempts) + ", the last time: " + reason
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return strconv.Itoa(n) + " tries"
}

// detail adds what the record does not tell.
func (c *explanation) detail(shown *ExplainedEvaluator, s *monitor.Setup, w *monitor.SetupEvaluator, e *eval.Evaluation) error {
	if w.SampleRate > 0 && w.SampleRate < 1 {
		shown.Sample = &ExplainedSample{Place: monitor.Place(c.stored.TraceID), Rate: w.SampleRate}
	}
	switch {
	case e.Status == eval.Deferred:
		return c.owed(shown, s, e)
	case e.Reason == eval.ReasonMissingInput:
		return c.missing(shown, s, w)
	case e.Reason == eval.ReasonSampledOut && shown.Sample != nil:
		taken := "which it is not below"
		if shown.Sample.Place < shown.Sample.Rate {
			taken = "which was lower when the span came"
		}
		shown.Sentence = fmt.Sprintf("sampled out: the trace's place is %.4f, and the sample rate %g, %s", shown.Sample.Place, shown.Sample.Rate, taken)
	}
	return nil
}

// missing says which inputs the span lacks, and where they were looked for.
func (c *explanation) missing(shown *ExplainedEvaluator, s *monitor.Setup, w *monitor.SetupEvaluator) error {
	run, err := c.run(s, w)
	if err != nil {
		return err
	}
	if run.Err != nil && !fault.Is(run.Err, fault.NotConfigured) || run.Evaluator == nil {
		return nil
	}
	source := monitor.WithFields(&c.view, c.whole)
	if run.Wants(&c.view) {
		if source, err = c.trace(); err != nil {
			return err
		}
	}
	var texts []string
	for i := range run.Evaluator.Input {
		f := &run.Evaluator.Input[i]
		lack := run.Lacks(source, f)
		if !f.Required || lack == monitor.LackNothing {
			continue
		}
		m := MissingInput{Input: f.Name, At: lack}
		if where := run.Where(f); where.Key != "" {
			m.Where = &where
		}
		shown.Missing = append(shown.Missing, m)
		texts = append(texts, m.say())
	}
	shown.Sentence = "missing input: " + strings.Join(texts, "; ")
	if len(texts) == 0 {
		shown.Sentence = "an input was missing when the span came, and is there now: a backfill judges it"
	}
	return nil
}

// say says where an input was looked for.
func (m *MissingInput) say() string {
	if m.Where == nil {
		return m.Input + " is not mapped, and spans do not have it by themselves"
	}
	place := fmt.Sprintf("%s %s", m.Where.Source, m.Where.Key)
	switch m.At {
	case monitor.LackPath:
		return fmt.Sprintf("%s was looked for in %s, where the json_path %s leads to nothing", m.Input, place, m.Where.Path)
	case monitor.LackPattern:
		return fmt.Sprintf("%s was looked for in %s, where the regex finds nothing", m.Input, place)
	default:
		return fmt.Sprintf("%s was looked for in %s, where there is nothing", m.Input, place)
	}
}

var _ monitor.SpanSource = (*genai.View)(nil)
