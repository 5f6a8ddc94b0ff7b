// SPDX-License-Identifier: Apache-2.0

// Package alert holds the words for alerts: a Rule says which figure of an environment
// is watched and when it is bad, a State is what is known of each group of a rule, and
// a Notification is what is sent when the status of groups changes.
package alert

import (
	"encoding/json"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Metric is what a rule watches.
type Metric string

// The metrics.
const (
	FailingShare Metric = "failing_share"    // of the results of an evaluator that pass or fail
	MeanScore    Metric = "mean_score"       // of a number that an evaluator returns
	ErrorRate    Metric = "error_rate"       // share of spans with the status error
	DurationP95  Metric = "duration_p95"     // of spans, milliseconds
	Cost         Metric = "cost"             // of spans, US dollars
	Tokens       Metric = "total_tokens"     // of spans
	Spans        Metric = "spans"            // how many there are
	Results      Metric = "results"          // how many evaluations are done
	Delay        Metric = "evaluation_delay" // age of the oldest pending evaluation, seconds
)

// IsMean reports whether the metric is the mean of values between 0 and 1, one of each
// trace: alerts on it rest on statistics.
func (m Metric) IsMean() bool {
	switch m {
	case FailingShare, MeanScore, ErrorRate, DurationP95:
		return true
	case Cost, Tokens, Spans, Results, Delay:
	}
	return false
}

// OfEvaluations reports whether the metric is about evaluations, not spans alone.
func (m Metric) OfEvaluations() bool {
	switch m {
	case FailingShare, MeanScore, Results, Delay:
		return true
	case ErrorRate, DurationP95, Cost, Tokens, Spans:
	}
	return false
}

// SlowShare is the share of spans above a 95th percentile: it is above a bound exactly
// where more spans than this take longer.
const SlowShare = 0.05

// Condition says when a figure is bad: Above or Below a threshold, or worse than it was at
// the same hours of the days before. One of the three is set.
type Condition struct {
	Above          *float64 `json:"above,omitempty"`
	Below          *float64 `json:"below,omitempty"`
	WorseThanUsual bool     `json:"worse_than_usual,omitempty"`
}

// NoData says what becomes of a group without data.
type NoData string

// What may become of it: its status stays, or it alerts.
const (
	KeepStatus NoData = "keep"
	AlertOn    NoData = "alert"
)

// TargetType is what a target takes.
type TargetType string

// The types of targets.
const (
	Webhook      TargetType = "webhook"
	Slack        TargetType = "slack"
	Alertmanager TargetType = "alertmanager"
)

// Target is where notifications of a rule go.
type Target struct {
	Name string     `json:"name"`
	Type TargetType `json:"type"`
	// URL may hold a secret, as those of Slack do. Secret is the key of a webhook's
	// signature, or the bearer token for an Alertmanager. Neither is shown again.
	URL    string `json:"url"`
	Secret string `json:"secret,omitempty"`
}

// Rule is an alert that a user wants.
type Rule struct {
	ID            string               `json:"id"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	Name          string               `json:"name"`

	Metric Metric `json:"metric"`
	// Evaluator, Output and Setup narrow metrics of evaluations.
	Evaluator string `json:"evaluator,omitempty"`
	Output    string `json:"output,omitempty"`
	Setup     string `json:"setup,omitempty"`
	// Filters and Line narrow the spans, as they were written.
	Filters json.RawMessage `json:"filters,omitempty"`
	Line    string          `json:"line,omitempty"`
	By      []string        `json:"by,omitempty"`
	// ScoreMin and ScoreMax bound the numbers of MeanScore.
	ScoreMin float64 `json:"score_min"`
	ScoreMax float64 `json:"score_max"`

	// Window is over how many minutes figures are shown and sums are taken, and Delay how
	// many minutes after its end a minute is evaluated.
	Window    int64     `json:"window"`
	Delay     int64     `json:"delay"`
	Condition Condition `json:"condition"`
	NoData    NoData    `json:"no_data"`
	// FalseAlarms is the highest probability of a false alarm in 30 days, all groups
	// together.
	FalseAlarms float64  `json:"false_alarms"`
	Targets     []Target `json:"targets,omitempty"`
	Paused      bool     `json:"paused,omitempty"`

	// SilencedUntil is until when nothing is sent, and SilenceReason why.
	SilencedUntil time.Time `json:"silenced_until,omitzero"`
	SilenceReason string    `json:"silence_reason,omitempty"`

	// Generation counts what is watched: a state of another one is of no use.
	Generation int64     `json:"generation"`
	Revision   int64     `json:"revision"`
	CreatedAt  time.Time `json:"created_at,omitzero"`
	UpdatedAt  time.Time `json:"updated_at,omitzero"`
}

// threshold returns the bound of the condition, and whether values above it are bad. The
// values of IsMean metrics lie between 0 and 1.
func (r *Rule) threshold() (bound float64, above bool) {
	switch {
	case r.Metric == DurationP95:
		return SlowShare, true
	case r.Condition.Below != nil:
		return r.unit(*r.Condition.Below), false
	case r.Condition.Above != nil:
		return r.unit(*r.Condition.Above), true
	}
	return 0, r.Metric != MeanScore
}

// unit returns a score as a number between 0 and 1.
func (r *Rule) unit(score float64) float64 {
	if r.Metric != MeanScore || r.ScoreMax <= r.ScoreMin {
		return score
	}
	return (score - r.ScoreMin) / (r.ScoreMax - r.ScoreMin)
}

// score returns what unit was made of.
func (r *Rule) score(unit float64) float64 {
	if r.Metric != MeanScore || r.ScoreMax <= r.ScoreMin {
		return unit
	}
	return r.ScoreMin + unit*(r.ScoreMax-r.ScoreMin)
}
