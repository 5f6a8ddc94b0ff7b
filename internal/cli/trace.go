// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/list"
	"github.com/spf13/cobra"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// maxTrace is how many spans of one trace are shown.
const maxTrace = 10_000

func (a *app) trace() *cobra.Command {
	var when period
	cmd := &cobra.Command{
		Use:   "trace TRACE_ID",
		Short: "Show the spans of a trace as a tree, with their results",
		Example: `  touchstone trace 0af7651916cd43dd8448eb211c80319c
  touchstone trace 0af7651916cd43dd8448eb211c80319c --since 7d`,
		Args: arguments("TRACE_ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.ToLower(args[0])
			if b, err := hex.DecodeString(id); err != nil || len(b) != 16 {
				return usage("TRACE_ID must be 32 hexadecimal digits")
			}
			raw, err := a.spansOf(cmd.Context(), id, &when)
			if err != nil {
				return err
			}
			if len(raw) == 0 {
				return &exitError{ExitFailed, fmt.Errorf("no span of trace %s in this period: --since looks further back", id)}
			}
			if a.output == "json" {
				b, err := json.Marshal(raw)
				if err != nil {
					return err
				}
				return a.json(b)
			}
			spans := make([]span, len(raw))
			for i, r := range raw {
				if err := json.Unmarshal(r, &spans[i]); err != nil {
					return &exitError{ExitFailed, fmt.Errorf("a span of the answer cannot be read: %w", err)}
				}
			}
			_, err = fmt.Fprintln(a.out, tree(spans))
			return err
		},
	}
	when.flags(cmd, "30d")
	return cmd
}

// spansOf returns the spans of a trace as the API shows them, no more than maxTrace
// and the rest of a page.
func (a *app) spansOf(ctx context.Context, trace string, when *period) (raw []json.RawMessage, err error) {
	conditions, err := json.Marshal([]query.Condition{{ID: "trace_id", Operator: query.OpEquals, Value: trace}})
	if err != nil {
		return nil, err
	}
	q := url.Values{"filters": {string(conditions)}, "sort_order": {"ASC"}, "limit": {strconv.Itoa(maxPage)}}
	if err := when.into(q, time.Now()); err != nil {
		return nil, err
	}
	for len(raw) < maxTrace {
		p, _, err := get[page](ctx, &a.client, "/v2/warehouse/spans", q)
		if err != nil {
			return nil, err
		}
		raw = append(raw, p.Spans.Data...)
		if len(p.Spans.Data) == 0 || p.Spans.NextCursor == "" {
			break
		}
		q.Set("cursor", p.Spans.NextCursor)
	}
	return raw, nil
}

// tree draws the spans of a trace below their parents. A span whose parent is
// not there stands at the left, like a root.
func tree(spans []span) string {
	known := make(map[string]bool, len(spans))
	for i := range spans {
		known[spans[i].SpanID] = true
	}
	below := make(map[string][]*span)
	for i := range spans {
		parent := spans[i].ParentSpanID
		if !known[parent] || parent == spans[i].SpanID {
			parent = ""
		}
		below[parent] = append(below[parent], &spans[i])
	}
	for _, children := range below {
		slices.SortStableFunc(children, func(a, b *span) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	}
	w := list.NewWriter()
	w.SetStyle(list.StyleConnectedLight)
	drawn := make(map[string]bool)
	var draw func(parent string)
	draw = func(parent string) {
		for _, s := range below[parent] {
			if drawn[s.SpanID] {
				continue
			}
			drawn[s.SpanID] = true
			text := fmt.Sprintf("%s  %s  %s", line(s.Name, 60), took(s.Duration), s.SpanID)
			for _, more := range []string{line(s.model(), 40), failedStatus(s.StatusCode), line(s.verdicts(), 160)} {
				if more != "" {
					text += "  " + more
				}
			}
			w.AppendItem(text)
			if len(below[s.SpanID]) > 0 {
				w.Indent()
				draw(s.SpanID)
				w.UnIndent()
			}
		}
	}
	draw("")
	for i := range spans { // parents that are one another's
		if !drawn[spans[i].SpanID] {
			below[""] = []*span{&spans[i]}
			draw("")
		}
	}
	return w.Render()
}

func failedStatus(code string) string {
	if code == "ERROR" || code == "STATUS_CODE_ERROR" || code == "Error" {
		return "ERROR"
	}
	return ""
}
