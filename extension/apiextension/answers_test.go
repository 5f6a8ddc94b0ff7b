// SPDX-License-Identifier: Apache-2.0

package apiextension

import "github.com/touchstone-otel/touchstone/internal/monitor"

// Answers as clients read them.

type organizationAnswer struct {
	ID           string `json:"org_id"`
	Environments []struct {
		APIKey string `json:"api_key"`
		Slug   string `json:"slug"`
	} `json:"environments"`
}

type executionAnswer struct {
	ID        string `json:"execution_id"`
	StreamURL string `json:"stream_url"`
}

type createdEvaluator struct {
	ID        string     `json:"evaluator_id"`
	Slug      string     `json:"slug"`
	Type      string     `json:"type"`
	VersionID string     `json:"version_id"`
	Bindings  []struct{} `json:"bindings"`
}

type changedEvaluator struct {
	Evaluator struct {
		ID string `json:"id"`
	} `json:"evaluator"`
	Versions []struct {
		ID      string `json:"id"`
		Version string `json:"version"`
	} `json:"versions"`
}

type setupStatusAnswer struct {
	ID            string            `json:"id"`
	ExternalID    string            `json:"external_id"`
	Status        monitor.Status    `json:"status"`
	Seen          int64             `json:"seen"`
	Matched       int64             `json:"matched"`
	Owed          int64             `json:"owed"`
	Cost          float64           `json:"cost"`
	SpentToday    float64           `json:"spent_today"`
	MinSpans      int64             `json:"min_spans,omitempty"`
	MaxCostPerDay float64           `json:"max_cost_per_day,omitempty"`
	DeadlineSec   int64             `json:"deadline_sec,omitempty"`
	Paused        bool              `json:"paused"`
	PausedSince   string            `json:"paused_since"`
	ResumedAt     string            `json:"resumed_at"`
	Evaluators    []evaluatorStatus `json:"evaluators"`
}

type evaluatorStatus struct {
	EvaluatorType string           `json:"evaluator_type"`
	EvaluatorID   string           `json:"evaluator_id,omitempty"`
	Status        monitor.Status   `json:"status"`
	ErrorMessage  string           `json:"error_message,omitempty"`
	Seen          int64            `json:"seen"`
	Matched       int64            `json:"matched"`
	SampledOut    int64            `json:"sampled_out"`
	Skipped       map[string]int64 `json:"skipped"`
	Deferred      int64            `json:"deferred"`
	Uncertain     int64            `json:"uncertain"`
	Done          int64            `json:"done"`
	Failed        int64            `json:"failed"`
	Cost          float64          `json:"cost"`
	LastError     string           `json:"last_error,omitempty"`
	LastRun       string           `json:"last_run,omitempty"`
}

type backfillAnswer struct {
	ID           string                 `json:"id"`
	SetupID      string                 `json:"setup_id"`
	ExternalID   string                 `json:"external_id"`
	From         int64                  `json:"from_timestamp_sec"`
	To           int64                  `json:"to_timestamp_sec"`
	Status       monitor.BackfillStatus `json:"status"`
	Total        int64                  `json:"total"`
	Seen         int64                  `json:"seen"`
	Matched      int64                  `json:"matched"`
	ErrorMessage string                 `json:"error_message,omitempty"`
	CreatedAt    string                 `json:"created_at"`
	UpdatedAt    string                 `json:"updated_at"`
}

type monitoringAnswer struct {
	OrganizationID string   `json:"organization_id"`
	Environment    string   `json:"environment"`
	Project        string   `json:"project"`
	EvaluatedUpTo  string   `json:"evaluated_up_to,omitempty"`
	LatestSpan     string   `json:"latest_span_received,omitempty"`
	LagSeconds     int64    `json:"lag_in_seconds"`
	LagSpans       int64    `json:"lag_in_spans"`
	Status         string   `json:"status"`
	Reasons        []string `json:"reasons"`
}

type previewAnswer struct {
	Spans      int64             `json:"spans"`
	Matched    int64             `json:"matched"`
	Truncated  bool              `json:"truncated"`
	Evaluators []previewedRun    `json:"evaluators"`
	Samples    []previewedSample `json:"samples"`
}

type previewedRun struct {
	EvaluatorType string         `json:"evaluator_type"`
	EvaluatorID   string         `json:"evaluator_id,omitempty"`
	Status        string         `json:"status"`
	ErrorMessage  string         `json:"error_message,omitempty"`
	Missing       map[string]int `json:"missing"`
}

type previewedSample struct {
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	Timestamp  int64             `json:"timestamp"`
	SpanName   string            `json:"span_name"`
	Evaluators []previewedInputs `json:"evaluators"`
}

type previewedInputs struct {
	EvaluatorType string            `json:"evaluator_type"`
	Sampled       bool              `json:"sampled"`
	Inputs        map[string]string `json:"inputs"`
	Missing       []string          `json:"missing"`
	Truncated     bool              `json:"truncated"`
}

type findingAnswer struct {
	Key       string            `json:"key"`
	Source    string            `json:"source"`
	Operator  string            `json:"operator"`
	Wanted    []string          `json:"wanted"`
	Actual    string            `json:"actual"`
	Truncated bool              `json:"truncated"`
	Present   bool              `json:"present"`
	Holds     bool              `json:"holds"`
	Hint      string            `json:"hint"`
	Nearest   map[string]string `json:"nearest"`
}

type funnelAnswer struct {
	ID         string `json:"id"`
	ExternalID string `json:"external_id"`
	From       int64  `json:"from_timestamp_sec"`
	To         int64  `json:"to_timestamp_sec"`
	RestsOn    string `json:"rests_on"`
	Spans      int64  `json:"spans"`
	Matched    int64  `json:"matched"`
	Truncated  bool   `json:"truncated"`
	Rules      []struct {
		Key      string   `json:"key"`
		Source   string   `json:"source"`
		Operator string   `json:"operator"`
		Wanted   []string `json:"wanted"`
		Passed   int64    `json:"passed"`
	} `json:"rules"`
	StopsAt  int            `json:"stops_at"`
	Example  *findingAnswer `json:"example"`
	Sentence string         `json:"sentence"`
}

type explainAnswer struct {
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	Timestamp  int64             `json:"timestamp"`
	SpanName   string            `json:"span_name"`
	Opinions   []map[string]any  `json:"opinions"`
	OwnTraffic bool              `json:"own_traffic"`
	Content    map[string]string `json:"content_source"`
	Sentence   string            `json:"sentence"`
	Setups     []explainedSetup  `json:"setups"`
	Truncated  bool              `json:"truncated"`
}

type explainedSetup struct {
	SetupID       string               `json:"setup_id"`
	ExternalID    string               `json:"external_id"`
	Status        monitor.Status       `json:"status"`
	CreatedAt     string               `json:"created_at"`
	Deleted       bool                 `json:"deleted"`
	Matched       bool                 `json:"matched"`
	MadeAfterSpan bool                 `json:"made_after_span"`
	MinSpans      int64                `json:"min_spans"`
	Paused        bool                 `json:"paused"`
	PausedSince   string               `json:"paused_since"`
	Sentence      string               `json:"sentence"`
	Rules         []findingAnswer      `json:"rules"`
	Evaluators    []explainedEvaluator `json:"evaluators"`
}

type explainedEvaluator struct {
	EvaluatorType string             `json:"evaluator_type"`
	EvaluatorID   string             `json:"evaluator_id"`
	Status        string             `json:"status"`
	Reason        string             `json:"reason"`
	Sentence      string             `json:"sentence"`
	Sample        map[string]float64 `json:"sample"`
	Missing       []struct {
		Input string            `json:"input"`
		Where map[string]string `json:"where"`
		At    string            `json:"at"`
	} `json:"missing"`
	Owed *struct {
		Since         string   `json:"since"`
		Due           string   `json:"due"`
		Attempts      int      `json:"attempts"`
		MaxCostPerDay float64  `json:"max_cost_per_day"`
		Place         int64    `json:"place"`
		DollarsPerDay float64  `json:"dollars_per_day"`
		LeftToday     *float64 `json:"left_today"`
	} `json:"owed"`
}
