// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// maxFieldText bounds the fields of a row, in characters.
const maxFieldText = 500

// rowsRequest is a search as its user writes it. Filters, orders, limits and
// cursors are the cursors of the search by a URL.
type rowsRequest struct {
	rest.Period
	Filters   rest.Filters `json:"filters"`
	Line      string       `json:"q"`
	SortBy    *string      `json:"sort_by"`
	SortOrder *string      `json:"sort_order"`
	Limit     *rest.Text   `json:"limit"`
	Cursor    string       `json:"cursor"`
	Total     *bool        `json:"total"`
	Fields    []string     `json:"fields"`
	Preview   rest.Int     `json:"preview"`
}

// rowsAnswer is one page.
type rowsAnswer struct {
	Rows  []rowAnswer `json:"rows"`
	Total *int64      `json:"total_results,omitempty"`
	Next  string      `json:"next_cursor"`
	// Partial and SearchedTo are of a search that ended at a bound.
	Partial    bool  `json:"partial,omitempty"`
	SearchedTo int64 `json:"searched_to,omitempty"`
}

// rowAnswer is a span in short.
type rowAnswer struct {
	TraceID  string            `json:"trace_id"`
	SpanID   string            `json:"span_id"`
	Parent   string            `json:"parent_span_id"`
	Start    int64             `json:"start_ns,string"`
	Duration int64             `json:"duration_ns,string"`
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`
	Type     string            `json:"type"`
	Service  string            `json:"service"`
	Status   string            `json:"status"`
	Vendor   string            `json:"vendor"`
	Model    string            `json:"model"`
	Tokens   *int64            `json:"tokens"` // in all; nil where the span does not tell
	Fields   map[string]string `json:"fields"` // of those asked for what the span has
	Preview  *previewAnswer    `json:"preview,omitempty"`
	Verdicts []Verdict         `json:"verdicts"`
}

// previewAnswer has the beginnings of texts, "" where there is none.
type previewAnswer struct {
	Input    string `json:"input"`
	Output   string `json:"output"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// rows answers one page of the environment's spans in short.
func (a *API) rows(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want rowsRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	q, err := want.query()
	if err != nil {
		return rest.Response{}, err
	}
	fields, err := parseFields(want.Fields)
	if err != nil {
		return rest.Response{}, err
	}
	page, next, err := a.page(r.Context(), env, q, want.Cursor)
	if err != nil {
		return rest.Response{}, err
	}
	shown := rowsAnswer{Next: next, Partial: page.Partial, SearchedTo: searchedTo(&page)}
	if q.Total {
		shown.Total = &page.Total
	}
	shown.Rows, err = a.show(r.Context(), env, page.Spans, &wanted{ids: want.Fields, fields: fields, preview: int(want.Preview)})
	return rest.OK(shown), err
}

// wanted is what rows are to have besides what they always do.
type wanted struct {
	ids     []string
	fields  []query.Field // that the ids mean
	preview int           // characters of texts, 0 for none
}

// show returns spans in short, with what became of every evaluator.
func (a *API) show(ctx context.Context, env tenant.Environment, list []span.Span, want *wanted) ([]rowAnswer, error) {
	made, err := store.EvaluationsOf(ctx, a.Records, env.ID, list)
	if err != nil {
		return nil, err
	}
	rows := make([]rowAnswer, len(list))
	for i := range list {
		row := &rows[i]
		*row = showRow(&list[i], made[i])
		for j, id := range want.ids {
			if text, found := want.fields[j].Text(&list[i]); found {
				row.Fields[id], _ = textcut.Characters(text, maxFieldText)
			}
		}
		if want.preview > 0 {
			row.Preview = preview(&list[i], want.preview)
		}
	}
	return rows, nil
}

// query returns what is asked of the store.
func (q *rowsRequest) query() (query.Query, error) {
	p := parser{query: query.Query{
		Order: query.Order{By: query.SortTimestamp}, Limit: query.DefaultLimit, Total: q.Total == nil || *q.Total,
	}}
	var err error
	if p.query.From, p.query.To, err = q.Bounds(math.MaxInt64); err != nil {
		return p.query, err
	}
	if q.Filters.RawMessage != nil {
		if err = p.filters(string(q.Filters.RawMessage)); err != nil {
			return p.query, err
		}
	}
	if _, err = p.line(q.Line); err != nil {
		return p.query, err
	}
	if q.SortBy != nil {
		if err = parseSortKey(&p.query.Order, *q.SortBy); err != nil {
			return p.query, err
		}
	}
	if q.SortOrder != nil {
		if p.query.Order.Descending, err = parseSortOrder(*q.SortOrder); err != nil {
			return p.query, err
		}
	}
	if q.Limit != nil {
		p.query.Limit, err = parseLimit(string(*q.Limit))
	}
	return p.query, err
}

// parseFields returns the fields of each row that ids ask for.
func parseFields(ids []string) ([]query.Field, error) {
	list := make([]query.Field, len(ids))
	for i, id := range ids {
		path := "fields[" + strconv.Itoa(i) + "]"
		f, err := query.ParseField(id)
		if err != nil {
			return nil, invalid(path, "%s", fault.Message(err))
		}
		if of, known := span.FieldOf(f.Name); known && f.Kind == query.FieldColumn && of.List != nil {
			return nil, invalid(path, "must name an entry: %s", fmt.Sprintf("llm.%s.<index>.content", f.Name))
		}
		list[i] = f
	}
	return list, nil
}

func showRow(s *span.Span, made []eval.Evaluation) rowAnswer {
	row := rowAnswer{
		TraceID: s.TraceID.String(), SpanID: s.SpanID.String(), Parent: s.ParentSpanID.String(), Start: s.Start, Duration: s.Duration,
		Name: s.Name, Kind: s.Kind, Type: s.Type, Service: s.Service, Status: s.StatusCode, Vendor: s.Vendor,
		Model: cmp.Or(s.ResponseModel, s.RequestModel), Fields: map[string]string{}, Verdicts: verdictsOf(made),
	}
	if s.TotalTokens != span.NoTokens {
		row.Tokens = &s.TotalTokens
	}
	return row
}

// preview returns the beginnings of what was said.
func preview(s *span.Span, characters int) *previewAnswer {
	first := func(text string) string {
		beginning, _ := textcut.Characters(text, characters)
		return beginning
	}
	question, _ := genai.Part(s, span.PartQuestion)
	answer, _ := genai.Part(s, span.PartOutput)
	return &previewAnswer{Input: first(s.Input), Output: first(s.Output), Question: first(question), Answer: first(answer)}
}
