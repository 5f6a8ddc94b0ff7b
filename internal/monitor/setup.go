// SPDX-License-Identifier: Apache-2.0

// Package monitor holds the words for judging spans as they arrive: Rule and
// Selector say which, a Setup is what a user asks for, a Monitor is a setup that
// is compiled and ready to judge, and a Cache holds the monitors that a process
// works with.
//
// See docs/adr/0007-evaluations-travel-on-the-span.md and docs/adr/0008-monitors-work-at-once.md.
package monitor

import (
	"encoding/json"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Status says how far a setup, or one of its evaluators, got.
type Status string

const (
	Pending         Status = "pending"           // created, not yet taken up
	InProgress      Status = "in_progress"       // being checked
	WaitingForSpans Status = "waiting_for_spans" // ready, no span matched yet
	Completed       Status = "completed"         // all monitors exist
	Partial         Status = "partial"           // some exist, others failed
	FailedStatus    Status = "failed"            // none exists
)

// Setup asks that these evaluators run on the spans of one environment that the
// selector matches. It works from its creation on, whatever its status.
// Its JSON form is the one that stores keep and that processes hand on.
type Setup struct {
	ID         string `json:"id"`
	ExternalID string `json:"external_id"` // unique within its environment

	OrganizationID string               `json:"organization_id"`
	ProjectID      string               `json:"project_id"`
	EnvironmentID  tenant.EnvironmentID `json:"environment_id"`

	Selector   Selector         `json:"selector,omitempty"`
	Evaluators []SetupEvaluator `json:"evaluators,omitempty"`

	// MinSpans is how many spans have to match before the status says that the
	// monitors are made; all of them are judged. 0 is 1.
	MinSpans int64 `json:"min_spans,omitempty"`
	// MaxCostPerDay bounds what models may take for the setup in one day (UTC),
	// in US dollars; what is over it waits for the next day. 0 is no bound.
	MaxCostPerDay float64 `json:"max_cost_per_day,omitempty"`
	// Deadline is how long after its span came a deferred evaluation may still
	// be made, before it is given up as failed. 0 is as long as the span is kept.
	Deadline time.Duration `json:"deadline,omitempty"`

	// OtherLanguages says what becomes of texts in languages that an evaluator
	// does not know.
	OtherLanguages OtherLanguages `json:"other_languages,omitempty"`

	// OnVerdict says what becomes of matched spans by the verdicts of evaluators, each
	// named once.
	OnVerdict []OnVerdict `json:"on_verdict,omitempty"`

	// EntityType and EntityValue are set when the setup was asked for by an
	// entity instead of an external id and a selector.
	EntityType  string `json:"entity_type,omitempty"`
	EntityValue string `json:"entity_value,omitempty"`

	// Paused setups match no span that comes. Pending evaluations are made all the same,
	// and so is what a backfill is asked to judge.
	Paused bool `json:"paused,omitempty"`
	// PausedSince is when the last pause began, and ResumedAt when it ended; zero
	// where there was none, and while it lasts.
	PausedSince time.Time `json:"paused_since,omitzero"`
	ResumedAt   time.Time `json:"resumed_at,omitzero"`

	// Matches are those that processes have reported, while the setup waits for as many
	// as MinSpans.
	Matches Matches `json:"matches,omitzero"`

	Status Status `json:"status"`
	// Revision counts the writes; a store changes a setup only for a caller
	// that knows the current one.
	Revision int64 `json:"revision"`
	// Generation is 1 at creation, and one more each time the user changes selector
	// or evaluators. Moves of the status leave it alone.
	Generation int64     `json:"generation"`
	CreatedAt  time.Time `json:"created_at,omitzero"`
	UpdatedAt  time.Time `json:"updated_at,omitzero"`
}

// Matches counts spans that matched a generation of a setup.
type Matches struct {
	Generation int64 `json:"generation"`
	Spans      int64 `json:"spans"`
}

// MatchedSpans returns how many spans matched the present generation, as far as
// processes have reported.
func (s *Setup) MatchedSpans() int64 {
	if s.Matches.Generation != s.Generation {
		return 0
	}
	return s.Matches.Spans
}

// SameRevision reports whether both are the same setup in the same revision. One
// that was deleted and made again under its id differs in its times.
func (s *Setup) SameRevision(other *Setup) bool {
	return s.ID == other.ID && s.Revision == other.Revision && s.CreatedAt.Equal(other.CreatedAt) && s.UpdatedAt.Equal(other.UpdatedAt)
}

// SetupEvaluator is one evaluator of a setup, how it is to run, and how far it
// got.
type SetupEvaluator struct {
	Slug string `json:"slug"`
	// CustomID is the id of the custom evaluator of this slug, "" for one of
	// the catalog.
	CustomID string `json:"custom_id,omitempty"`

	// Config is the evaluator's configuration, a JSON object; nil is none.
	Config json.RawMessage `json:"config,omitempty"`
	// Backend is what is to judge; "" leaves the choice to the evaluator.
	Backend string `json:"backend,omitempty"`
	// Decided is what is to judge as the process decided that took the order of a
	// backfill, which has other models perhaps than the one that judges. It is there on
	// setups that come along with spans alone.
	Decided eval.Backend `json:"decided,omitempty"`
	// SampleRate is the share of traces to judge, above 0 and up to 1; 0 is 1.
	SampleRate float64 `json:"sample_rate,omitempty"`
	// Inputs say, by the names of inputs, where a span has them; the others are
	// where they are by default.
	Inputs map[string]InputSource `json:"inputs,omitempty"`

	Status       Status    `json:"status"`
	ErrorMessage string    `json:"error_message,omitempty"` // why it failed
	ProcessedAt  time.Time `json:"processed_at,omitzero"`   // when it left pending; zero before
}

// Span is the origin of inputs that are fields or parts of the span itself.
const Span Source = "span"

// InputSource says where a span has an input.
type InputSource struct {
	Source  Source `json:"source" doc:"Where to look: at fields and parts of the span itself, or at attributes." schema:"required" enum:"span,span_attributes,resource_attributes"`
	Key     string `json:"key" doc:"The attribute or, of the span itself, a field such as span_name or a part: output, question, instructions, context, prompts, completions, input_messages, output_messages, messages, tool_calls, tool_definitions, tool_input, tool_output, logprobs or attribute:NAME." schema:"required minLength=1 maxLength=1024"`
	Path    string `json:"json_path,omitempty" doc:"Leads into the JSON that is found there: names and indexes with dots between them, such as 0.text." schema:"maxLength=1024"`
	Pattern string `json:"regex,omitempty" doc:"A regular expression (RE2) whose one group is the input." schema:"maxLength=1024"`
}
