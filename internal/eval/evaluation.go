// SPDX-License-Identifier: Apache-2.0

// Package eval holds the words for judging: an Evaluator is a named judgement, a
// Definition its source form, a Field its schema, an Example its proof, a
// Catalog a fixed set of them, and an Evaluation what came of one evaluator on
// one span for one setup.
//
// See docs/adr/0083-uncertain-results.md.
package eval

import (
	"encoding/json"
	"fmt"
)

// Backend says what computed a verdict.
type Backend string

const (
	Deterministic Backend = "deterministic" // a definition without a model
	Embedded      Backend = "embedded"      // a model inside the binary
	Judge         Backend = "judge"         // a language model
	Embedding     Backend = "embedding"     // an embeddings server
	Classifier    Backend = "classifier"    // a classifier server
)

// InPlace reports whether it computes in the process, so that a span may wait for it.
func (b Backend) InPlace() bool { return b == Deterministic || b == Embedded }

// Status says how far an evaluation got.
type Status string

const (
	Done      Status = "done"      // Outputs are there
	Uncertain Status = "uncertain" // Outputs are a guess: the evaluator cannot know; Grounds say why
	Deferred  Status = "deferred"  // pending: to be done by a model later
	Skipped   Status = "skipped"   // will not be done; Reason says why
	Failed    Status = "failed"    // was tried and is given up; Reason says why
)

// Reasons of skipped evaluations.
const (
	ReasonMissingInput = "missing_input" // the span lacks a required input
	ReasonSampledOut   = "sampled_out"   // the sample rate left the trace out
	ReasonDeleted      = "deleted"       // the setup is gone, or the evaluator from it
	ReasonOwnTraffic   = "own_traffic"   // the span is of a judge's own call
	ReasonLimit        = "limit"         // the span had as many evaluations as one may have
	ReasonLanguage     = "language"      // the evaluator does not know the text's language
)

// Reasons of deferred evaluations that were not tried yet. After a try that
// may be repeated, the reason is what went wrong.
const (
	ReasonModel      = "model"       // a model server is asked
	ReasonOverBudget = "over_budget" // the batch's time budget was spent
	ReasonTrace      = "trace"       // other spans of the trace have the input
	ReasonCost       = "cost"        // the setup's money for the day is spent
)

// EvaluationSource says who judged.
type EvaluationSource string

const (
	FromTouchstone EvaluationSource = "touchstone" // this service
	FromSidecar    EvaluationSource = "sidecar"    // this service, as a sidecar of the application
	FromSDK        EvaluationSource = "sdk"        // the application or another product, which sent the verdict as telemetry
	FromHuman      EvaluationSource = "human"      // a person
)

// Evaluation is one evaluator on one span for one setup. Of each pair of setup
// and evaluator one counts on a span: that of the highest revision.
type Evaluation struct {
	SetupID   string
	Evaluator string // slug
	Status    Status
	Reason    string // "" when done; when uncertain, ReasonLanguage or ""
	Outputs   []Output
	Grounds   Grounds // of what is done or uncertain
	// Backend is what judged or, while it is deferred, what is to judge as the process
	// decided that deferred it; "" where that is unknown, and where nothing judges.
	Backend Backend
	// Version is that of the judge's prompts or of the custom evaluator, ""
	// where there is neither.
	Version string
	// Model is what answered, as its server names it: the last one, if several
	// were asked; "" where none was. A server that does not say is taken to be
	// the model that is configured.
	Model string
	// Cached says that each answer of a model was there already.
	Cached bool
	// Generation is the generation of the setup that judged or, where nothing did, that
	// asked. 0 is unknown.
	Generation int64
	// Probability is how likely it was that a span like this one came to be
	// judged: by what was dropped before it came here, as far as its trace state
	// says, and by the sample rate. Above 0 and at most 1; 0 is unknown.
	Probability float64
	Source      EvaluationSource
	// Revision is how often the span had been judged before for this setup and
	// evaluator: 0 at first, and one more than that of the verdict or failure
	// whose place it took. The API counts from 1.
	Revision  int64
	Truncated bool // an input was cut to the size limit
	// Usage is what models took in all tries together.
	Usage Usage
	// Attempts is how often it was tried after it was deferred.
	Attempts int
	Duration int64 // nanoseconds spent on the last try
	// Time is Unix nanoseconds: when it ended or, while it is deferred, when it
	// was deferred first.
	Time int64
	// Due is when a deferred evaluation is to be tried, Unix nanoseconds; 0
	// otherwise.
	Due int64
}

// Ended reports whether an evaluator was asked and said something, be it that it cannot
// know.
func (s Status) Ended() bool { return s == Done || s == Uncertain }

// Tried reports whether an evaluator was asked, whatever came of it.
func (s Status) Tried() bool { return s.Ended() || s == Failed }

// Why returns the reason that people read: of the status, or else of the verdict.
func (e *Evaluation) Why() string {
	if e.Reason != "" {
		return e.Reason
	}
	return e.Grounds.Reason
}

// Output is one named value of a verdict: a string, float64, int64 or bool.
type Output struct {
	Name  string
	Value any
}

// Text returns the value as an attribute shows it: JSON's spelling, strings bare.
func (o Output) Text() string {
	if s, ok := o.Value.(string); ok {
		return s
	}
	b, err := json.Marshal(o.Value)
	if err != nil {
		return fmt.Sprint(o.Value)
	}
	return string(b)
}
