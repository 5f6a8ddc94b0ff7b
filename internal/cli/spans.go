// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// span is what tables show of a span of the API.
type span struct {
	Timestamp    int64             `json:"timestamp"` // Unix milliseconds
	TraceID      string            `json:"trace_id"`
	SpanID       string            `json:"span_id"`
	ParentSpanID string            `json:"parent_span_id"`
	Name         string            `json:"span_name"`
	Service      string            `json:"service_name"`
	Duration     int64             `json:"duration"` // milliseconds
	StatusCode   string            `json:"status_code"`
	Attributes   map[string]string `json:"span_attributes"`
	Output       string            `json:"output"`
	Completions  map[string]string `json:"completions"`
}

// verdicts returns the span's verdicts as "slug.output=value", in order.
func (s *span) verdicts() string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(s.Attributes)) {
		if name, ok := strings.CutPrefix(key, "evaluation."); ok {
			if value := s.Attributes[key]; len(value) <= 40 { // reasons and lists are in the JSON
				all = append(all, name+"="+value)
			}
		}
	}
	return strings.Join(all, " ")
}

// model returns the model that answered, or the one that was asked.
func (s *span) model() string {
	if m := s.Attributes["llm.response.model"]; m != "" {
		return m
	}
	return s.Attributes["llm.request.model"]
}

// said returns what came out of the span.
func (s *span) said() string {
	if s.Output != "" {
		return s.Output
	}
	return s.Completions["llm.completions.0.content"]
}

// page is an answer to a search for spans. The API's spans are kept as they
// came, for JSON.
type page struct {
	Spans struct {
		Data         []json.RawMessage `json:"data"`
		NextCursor   string            `json:"next_cursor"`
		TotalResults int64             `json:"total_results"`
		Partial      bool              `json:"partial"`     // the search ended at a bound
		SearchedTo   int64             `json:"searched_to"` // up to which start, Unix milliseconds
	} `json:"spans"`
}

// maxPage is the most spans that one page of the API has.
const maxPage = 1000

func (a *app) spans() *cobra.Command {
	var when period
	var filters []string
	var sort, order string
	var limit int
	var all bool
	cmd := &cobra.Command{
		Use:   "spans",
		Short: "Find spans by their fields and results",
		Example: `  touchstone spans --since 6h --filter 'evaluation.pii-detector.has_pii = true'
  touchstone spans --filter 'status:error model:gpt-4o -name:"GET /" duration>2s'
  touchstone spans --filter 'service in shop,billing' --filter 'evaluation.faithfulness:false'
  touchstone spans --since 7d --all -o json > spans.ndjson`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usage("--limit must be at least 1")
			}
			if order != "asc" && order != "desc" {
				return usage("--order must be asc or desc")
			}
			q := url.Values{"sort_order": {strings.ToUpper(order)}}
			if err := when.into(q, time.Now()); err != nil {
				return err
			}
			given, err := parseFilters(filters)
			if err != nil {
				return err
			}
			period := url.Values{"from_timestamp_sec": q["from_timestamp_sec"], "to_timestamp_sec": q["to_timestamp_sec"]}
			if len(given) > 0 {
				b, err := json.Marshal(given)
				if err != nil {
					return err
				}
				q.Set("filters", string(b))
			}
			if sort != "" {
				q.Set("sort_by", sort)
			}
			if all {
				limit = int(^uint(0) >> 1)
			}
			found, err := a.listSpans(cmd.Context(), q, limit, all)
			if err != nil || found > 0 {
				return err
			}
			return a.checkFields(cmd.Context(), period, given)
		},
	}
	when.flags(cmd, "1h")
	cmd.Flags().StringArrayVarP(&filters, "filter", "f", nil, "conditions such as 'status:error model:gpt-4o', or one of field, operator (=, !=, >, >=, <, <=, ~, in, exists, …) and value; all must hold")
	cmd.Flags().StringVar(&sort, "sort", "", "field or verdict to sort by (default: the time)")
	cmd.Flags().StringVar(&order, "order", "desc", "asc or desc")
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "how many spans to show")
	cmd.Flags().BoolVar(&all, "all", false, "every span that matches; with -o json one span a line")
	return cmd
}

// listing is how far a search for spans got, and what is shown when it ends.
type listing struct {
	rows    [][]string
	whole   []json.RawMessage // the answer in JSON, unless it goes out span by span
	shown   int
	total   int64
	counted bool // total is of all spans that match
}

// checkFields refuses conditions on fields that no span has, which is why they found none.
func (a *app) checkFields(ctx context.Context, period url.Values, given []query.Condition) error {
	if len(given) == 0 {
		return nil
	}
	got, _, err := get[struct {
		Fields []struct {
			ID string `json:"id"`
		} `json:"fields"`
	}](ctx, &a.client, "/v2/warehouse/fields", period)
	if err != nil || len(got.Fields) == 0 {
		return err
	}
	var known []string
	for _, f := range got.Fields {
		known = append(known, f.ID)
	}
	if unknown := query.UnknownOf(given, known); len(unknown) > 0 {
		return &exitError{ExitFailed, errors.New(unknown[0].String())}
	}
	return nil
}

// listSpans prints at most limit spans that a query finds, and returns how many it found.
func (a *app) listSpans(ctx context.Context, q url.Values, limit int, all bool) (int, error) {
	var l listing
	bar := a.progress(all, "spans")
	defer func() { bar.stop() }()
	for {
		q.Set("limit", strconv.Itoa(min(limit-l.shown, maxPage)))
		p, _, err := get[page](ctx, &a.client, "/v2/warehouse/spans", q)
		if err != nil {
			return 0, err
		}
		if p.Spans.Partial && bar.writer == nil {
			bar = a.progress(true, "spans")
		}
		if err := a.take(&l, p.Spans.Data, all); err != nil {
			return 0, err
		}
		l.count(&p)
		bar.at(int64(l.shown), l.total)
		if p.Spans.SearchedTo != 0 {
			bar.say("spans, looked up to " + moment(p.Spans.SearchedTo))
		}
		if p.Spans.NextCursor == "" || l.shown >= limit {
			break
		}
		q.Set("cursor", p.Spans.NextCursor)
	}
	bar.stop()
	return l.shown, a.showSpans(&l, all)
}

// take keeps the spans of a page for the end, or prints each as a line of JSON where
// all are asked for.
func (a *app) take(l *listing, spans []json.RawMessage, all bool) error {
	l.shown += len(spans)
	for _, raw := range spans {
		switch {
		case a.output == "json" && all:
			if _, err := fmt.Fprintf(a.out, "%s\n", raw); err != nil {
				return err
			}
		case a.output == "json":
			l.whole = append(l.whole, raw)
		default:
			r, err := spanRow(raw)
			if err != nil {
				return err
			}
			l.rows = append(l.rows, r)
		}
	}
	return nil
}

// count keeps how many spans match, as far as it is known. A search that ended at a
// bound counted what it looked at.
func (l *listing) count(p *page) {
	l.counted = !p.Spans.Partial || p.Spans.NextCursor == ""
	if !p.Spans.Partial {
		l.total = p.Spans.TotalResults
	} else {
		l.total = max(l.total, int64(l.shown), p.Spans.TotalResults)
	}
}

// showSpans prints what was kept of a search, and how many spans it found.
func (a *app) showSpans(l *listing, all bool) error {
	if a.output == "json" {
		if all {
			return nil
		}
		answer := map[string]any{"total_results": l.total, "spans": append([]json.RawMessage{}, l.whole...)}
		if !l.counted {
			answer["partial"] = true
		}
		b, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		return a.json(b)
	}
	if err := a.rows([]string{"time", "trace", "span", "name", "service", "model", "duration", "status", "output", "results"}, l.rows); err != nil {
		return err
	}
	least := ""
	if !l.counted {
		least = "at least "
	}
	_, err := fmt.Fprintf(a.out, "%d of %s%d spans\n", l.shown, least, l.total)
	return err
}

func spanRow(raw json.RawMessage) ([]string, error) {
	var s span
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, &exitError{ExitFailed, fmt.Errorf("a span of the answer cannot be read: %w", err)}
	}
	return []string{
		moment(s.Timestamp), s.TraceID, s.SpanID, line(s.Name, 40), line(s.Service, 24), line(s.model(), 28), took(s.Duration),
		strings.ToLower(strings.TrimPrefix(s.StatusCode, "STATUS_CODE_")), line(s.said(), 48), line(s.verdicts(), 100),
	}, nil
}

// bar tells on a terminal's standard error how far long work got.
type bar struct {
	writer  progress.Writer
	tracker *progress.Tracker
	done    chan struct{}
}

// progress returns a bar, which shows nothing unless the work is long and
// errors go to a terminal. Of says what is counted.
func (a *app) progress(long bool, of string) *bar {
	file, ok := a.err.(*os.File)
	if !long || !ok {
		return &bar{}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &bar{}
	}
	b := &bar{writer: progress.NewWriter(), tracker: &progress.Tracker{Message: of}, done: make(chan struct{})}
	b.writer.SetOutputWriter(file)
	b.writer.SetAutoStop(false)
	b.writer.AppendTracker(b.tracker)
	go func() {
		defer close(b.done)
		b.writer.Render()
	}()
	return b
}

func (b *bar) at(n, total int64) {
	if b.tracker != nil {
		b.tracker.UpdateTotal(total)
		b.tracker.SetValue(n)
	}
}

func (b *bar) say(what string) {
	if b.tracker != nil {
		b.tracker.UpdateMessage(what)
	}
}

// stop ends the bar. Safe to call twice.
func (b *bar) stop() {
	if b.writer == nil {
		return
	}
	b.tracker.MarkAsDone()
	b.writer.Stop()
	<-b.done
	b.writer = nil
}
