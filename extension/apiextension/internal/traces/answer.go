// SPDX-License-Identifier: Apache-2.0

package traces

// answer is a trace by columns: the n-th entry of each is about the n-th span.
type answer struct {
	TraceID string `json:"trace_id"`
	// Total is how many spans the trace has in the period, of which these are the
	// first.
	Total     int64 `json:"total"`
	Truncated bool  `json:"truncated"`
	// Start is when the first span started, Unix nanoseconds, and Duration how long
	// it took until the last one ended.
	Start        int64        `json:"start_ns,string"`
	Duration     int64        `json:"duration_ns,string"`
	Dictionaries dictionaries `json:"dictionaries"`
	Columns      columns      `json:"columns"`
}

// dictionaries are the texts that columns tell by number.
type dictionaries struct {
	Name    []string `json:"name"`
	Service []string `json:"service"`
	Kind    []string `json:"kind"`
	Type    []string `json:"type"`
	Status  []string `json:"status"`
	Model   []string `json:"model"`
}

// Parents that are no row of the answer.
const (
	parentNone   = -1 // a root
	parentAbsent = -2 // it is not among the spans of the answer
)

type columns struct {
	SpanID []string `json:"span_id"`
	Parent []int    `json:"parent"`
	// These are numbers of texts in the dictionaries.
	Name    []int `json:"name"`
	Service []int `json:"service"`
	Kind    []int `json:"kind"`
	Type    []int `json:"type"`
	Status  []int `json:"status"`
	Model   []int `json:"model"`

	Offset   []int64  `json:"offset_ns"` // from the start of the answer
	Duration []int64  `json:"duration_ns"`
	Tokens   []*int64 `json:"tokens"` // in all; nil where the span does not tell

	Verdicts verdictColumns `json:"verdicts"`
}

// verdictColumns count the verdicts of each span.
type verdictColumns struct {
	For       []int `json:"for"`
	Against   []int `json:"against"`
	Neither   []int `json:"neither"` // done, and neither for nor against
	Uncertain []int `json:"uncertain"`
	Owed      []int `json:"owed"`
	Skipped   []int `json:"skipped"`
	Failed    []int `json:"failed"`
}
