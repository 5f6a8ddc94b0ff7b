// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// maxKey bounds each text of a group in a message, in bytes.
const maxKey = 100

// words are the metrics as messages call them.
var words = map[alert.Metric]string{
	alert.FailingShare: "share of failing results", alert.MeanScore: "mean score", alert.ErrorRate: "share of spans with an error",
	alert.DurationP95: "share of slow spans", alert.Cost: "cost in US dollars", alert.Tokens: "tokens", alert.Spans: "number of spans",
	alert.Results: "number of results", alert.Delay: "age of the oldest pending evaluation in seconds",
}

// text returns what a message says, a line for each group.
func (m *Message) text() string {
	lines := []string{fmt.Sprintf("Alert %s (%s)", m.Rule.Name, m.Environment)}
	if m.Test {
		lines[0] = "Test of alert" + strings.TrimPrefix(lines[0], "Alert")
	}
	for i := range m.Changes {
		lines = append(lines, m.line(&m.Changes[i]))
	}
	return strings.Join(lines, "\n")
}

// line returns what a message says of a group.
func (m *Message) line(c *alert.Change) string {
	var b strings.Builder
	state := map[bool]string{true: "FIRING", false: "RESOLVED"}[c.Status.Bad()]
	if m.Test {
		state = "TEST, " + string(c.Status)
	}
	b.WriteString(state)
	for j, field := range m.Rule.By {
		if j < len(c.Keys) {
			fmt.Fprintf(&b, " %s=%q", field, textcut.Bytes(c.Keys[j], maxKey))
		}
	}
	b.WriteString(": ")
	if c.Status == alert.Missing {
		fmt.Fprintf(&b, "no data for %d minutes", m.Rule.Window)
		return b.String()
	}
	b.WriteString(words[m.Rule.Metric])
	if m.Rule.Evaluator != "" {
		b.WriteString(" of " + m.Rule.Evaluator)
	}
	if m.Rule.Metric == alert.DurationP95 && m.Rule.Condition.Above != nil {
		fmt.Fprintf(&b, " (over %s ms)", number(*m.Rule.Condition.Above))
	}
	if c.Value != nil {
		fmt.Fprintf(&b, " is %s", number(*c.Value))
	}
	bound := "threshold"
	if m.Rule.Condition.WorseThanUsual {
		bound = "usual at this hour, at the edge of its interval,"
	}
	if c.Bound != nil {
		fmt.Fprintf(&b, "; %s %s", bound, number(*c.Bound))
	}
	if c.Low != nil && c.High != nil {
		fmt.Fprintf(&b, "; 95 %% interval %s to %s, %d traces", number(*c.Low), number(*c.High), c.Traces)
	}
	fmt.Fprintf(&b, "; last %d minutes", m.Rule.Window)
	if c.Coverage != nil {
		fmt.Fprintf(&b, "; %s %% of evaluations are done", number(*c.Coverage*100))
	}
	return b.String()
}

// number returns a number with four digits that count.
func number(n float64) string { return strconv.FormatFloat(n, 'g', 4, 64) }
