// SPDX-License-Identifier: Apache-2.0

// Package span holds the words for stored spans: Span as the API shows it, its
// attributes, ids and events, the names of its aliases and of its parts. What
// SDKs send over OTLP is made into a Span by package genai.
package span

import (
	"encoding/hex"
	"math"
	"slices"
)

// TraceID identifies a trace; the zero value means absent.
type TraceID [16]byte

// String returns 32 lower-case hex digits, or "" for the zero value.
func (t TraceID) String() string {
	if t == (TraceID{}) {
		return ""
	}
	return hex.EncodeToString(t[:])
}

// ID identifies a span within its trace; the zero value means absent.
type ID [8]byte

// String returns 16 lower-case hex digits, or "" for the zero value.
func (i ID) String() string {
	if i == (ID{}) {
		return ""
	}
	return hex.EncodeToString(i[:])
}

// NoTokens is the value of a token count that the span does not carry.
const NoTokens int64 = -1

// PerDollar is how many units of Cost and InputCost are one US dollar.
const PerDollar = 1e9

// Amount returns the whole number of billionths of a dollar that is nearest to n,
// NoTokens where none is near.
func Amount(n float64) int64 {
	if n >= math.MaxInt64 || math.IsNaN(n) {
		return NoTokens
	}
	return int64(math.Round(n))
}

// StatusError is the status code of a span whose operation failed.
const StatusError = "STATUS_CODE_ERROR"

// Span is one stored operation. Its environment and Identity tell it from others.
// A Span is not changed once it has been handed on.
type Span struct {
	// Environment is the slug of the environment, as the API shows it.
	Environment string

	TraceID      TraceID
	SpanID       ID
	ParentSpanID ID
	TraceState   string
	// Flags are those of OTLP: the low eight bits are the W3C trace flags, 0x100
	// says that 0x200 is known, and 0x200 that the parent is in another process.
	// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
	Flags uint32
	// Links lead to spans of this or other traces, in the order they were sent.
	Links []Link
	// Type says what the span is, as far as its SDK does.
	Type string

	Name          string
	Kind          string // SPAN_KIND_CLIENT, …
	Service       string
	ScopeName     string
	ScopeVersion  string
	StatusCode    string // STATUS_CODE_UNSET, STATUS_CODE_OK or StatusError
	StatusMessage string

	// Start is Unix nanoseconds, Duration nanoseconds, never negative. The
	// API shows both in whole milliseconds, rounded down.
	Start    int64
	Duration int64
	// Arrived is when the span came in, Unix nanoseconds; 0 is unknown. Of a span
	// that is sent again unchanged it is the first time.
	Arrived int64

	// Resource and Attributes hold every key as it was sent, values as text,
	// but for indexed message keys, which move to Prompts and Completions.
	// Attributes also has the llm.* aliases that were absent.
	Resource   Attributes
	Attributes Attributes

	// Prompts and Completions have keys llm.prompts.N.<suffix> and
	// llm.completions.N.<suffix>.
	Prompts     Attributes
	Completions Attributes

	Input  string
	Output string

	// Promoted: what is sorted and filtered most. "" or NoTokens is absent.
	Workflow      string
	Entity        string
	Conversation  string
	Session       string
	User          string
	Vendor        string
	RequestModel  string
	ResponseModel string
	InputTokens   int64
	OutputTokens  int64
	TotalTokens   int64
	// Cost is what the span's call of a model cost, as its provider said or as prices
	// say, and InputCost what of that its input did, in billionths of a US dollar;
	// NoTokens is unknown.
	Cost      int64
	InputCost int64

	// Events are the span's events in the order they were sent. The API does
	// not show them; evaluators read them (log probabilities, documents).
	Events []Event
}

// Event is something that happened during a span.
type Event struct {
	Name       string     `json:"name"`
	Time       int64      `json:"time_unix_nano"`
	Attributes Attributes `json:"attributes"`
}

// Link leads to another span.
type Link struct {
	TraceID    string     `json:"trace_id"` // 32 lower-case hex digits, "" for none
	SpanID     string     `json:"span_id"`  // 16 of them
	TraceState string     `json:"trace_state"`
	Flags      uint32     `json:"flags"` // as those of spans
	Attributes Attributes `json:"attributes"`
}

// Types of spans.
const (
	TypeLLM       = "llm"       // a call of a model that writes
	TypeEmbedding = "embedding" // a call of a model that embeds
	TypeTool      = "tool"      // the run of a tool
	TypeAgent     = "agent"     // the work of an agent
	TypeWorkflow  = "workflow"  // a workflow, a chain, or a step of one
	TypeRetrieval = "retrieval" // a search for documents, or their ranking
	TypeGuardrail = "guardrail" // a check of what is said
	TypeOther     = "other"
)

// KindClient is the kind of a span that asks another process.
const KindClient = "SPAN_KIND_CLIENT"

// RepeatingTypes are the types of spans whose tokens and costs are those of the calls
// of models within them, unless their kind is KindClient: those calls are in another
// process.
var RepeatingTypes = []string{TypeAgent, TypeWorkflow}

// Repeats reports whether the span's tokens and costs are those of spans within it,
// too, and do not add up with theirs.
func (s *Span) Repeats() bool { return slices.Contains(RepeatingTypes, s.Type) && s.Kind != KindClient }

// End returns when it ended, Unix nanoseconds, or the latest time there is where it ended
// later.
func (s *Span) End() int64 {
	if end := s.Start + s.Duration; end >= s.Start {
		return end
	}
	return math.MaxInt64
}

// TimestampMillis is the start as the API shows it.
func (s *Span) TimestampMillis() int64 { return s.Start / 1e6 }
