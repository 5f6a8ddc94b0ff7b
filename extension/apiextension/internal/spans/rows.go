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

// SpanSearch is a search as its user writes it. Filters, orders, limits and
// cursors are the cursors of the search by a URL.
type SpanSearch struct {
	rest.Period
	Filters   rest.Filters `json:"filters" doc:"Conditions that must all hold." schema:"maxItems=100"`
	Line      string       `json:"q" doc:"More conditions, as a line such as status:error model:gpt-4o -name:\"GET /\" duration>2s." schema:"maxLength=4096"`
	SortBy    *string      `json:"sort_by" doc:"What to sort by, as in the search by a URL." schema:"minLength=1 maxLength=4096 default=timestamp"`
	SortOrder *string      `json:"sort_order" doc:"ASC or DESC, in any case." schema:"default=ASC" pattern:"^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$" must:"ASC or DESC"`
	Limit     *rest.Text   `json:"limit" doc:"How many rows a page has at most. Above 1000 is 1000. A string of digits is taken too." schema:"types=integer,string minimum=1 default=50" pattern:"^0*[1-9][0-9]*$" must:"a whole number from 1 to 1000"`
	Cursor    string       `json:"cursor" doc:"next_cursor of the page before, with period, filters and order unchanged." schema:"maxLength=8192"`
	Total     *bool        `json:"total" doc:"Whether total_results is wanted. Counting takes a look at everything in the period where there are filters." schema:"default=true"`
	Fields    []string     `json:"fields" doc:"Fields, attributes and verdicts that each row is to show, by the names that filters give them." schema:"maxItems=30" items:"schema:\"minLength=1 maxLength=4096\""`
	Preview   rest.Int     `json:"preview" doc:"How many characters of input, output, last question and last answer each row is to show. 0: none of them." schema:"minimum=0 maximum=500 default=0"`
}

// SpanRows is one page.
type SpanRows struct {
	Rows       []SpanRow `json:"rows" doc:"The rows." schema:"maxItems=1000"`
	Total      *int64    `json:"total_results,omitempty" doc:"How many spans match, on all pages; absent where it was not asked for." schema:"minimum=0"`
	Next       string    `json:"next_cursor" doc:"The cursor of the next page, empty on the last."`
	Partial    bool      `json:"partial,omitempty" doc:"True where the search ended at a bound: total_results counts what it looked at, and the page may have fewer spans than the limit, or none, though next_cursor goes on. Absent otherwise."`
	SearchedTo int64     `json:"searched_to,omitempty" doc:"The start up to which a search looked that ended before it had its page, Unix milliseconds. Absent otherwise."`
}

// SpanRow is a span in short.
type SpanRow struct {
	TraceID  string            `json:"trace_id" doc:"The trace."`
	SpanID   string            `json:"span_id" doc:"The span."`
	Parent   string            `json:"parent_span_id" doc:"The span above, empty for a root."`
	Start    int64             `json:"start_ns,string" doc:"When it started, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	Duration int64             `json:"duration_ns,string" doc:"How long it took, nanoseconds." schema:"types=string" pattern:"^[0-9]+$"`
	Name     string            `json:"name" doc:"The name."`
	Kind     string            `json:"kind" doc:"For example SPAN_KIND_CLIENT."`
	Type     string            `json:"type" doc:"What the span is." enum:",llm,embedding,tool,agent,workflow,retrieval,guardrail,other"`
	Service  string            `json:"service" doc:"The service that produced it."`
	Status   string            `json:"status" doc:"For example STATUS_CODE_ERROR."`
	Vendor   string            `json:"vendor" doc:"The vendor of the model, empty where there is none."`
	Model    string            `json:"model" doc:"The model that answered or, where that is not known, that was asked."`
	Tokens   *int64            `json:"tokens" doc:"Tokens in all; null where the span does not tell." schema:"nullable"`
	Fields   map[string]string `json:"fields" doc:"Of the fields that were asked for those that the span has, as text, each up to 500 characters."`
	Preview  *SpanPreview      `json:"preview,omitempty" doc:"What was said; absent unless it was asked for."`
	Verdicts []Verdict         `json:"verdicts" doc:"What became of each evaluator, of every status, in the order they were made."`
}

// SpanPreview has the beginnings of texts, "" where there is none.
type SpanPreview struct {
	Input    string `json:"input" doc:"The beginning of the input."`
	Output   string `json:"output" doc:"The beginning of the output."`
	Question string `json:"question" doc:"The beginning of what was asked: of the last message of a user, else of the input."`
	Answer   string `json:"answer" doc:"The beginning of what was answered: of the last completion, else of the output."`
}

// rows answers one page of the environment's spans in short.
func (a *API) rows(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want SpanSearch
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
	shown := SpanRows{Next: next, Partial: page.Partial, SearchedTo: searchedTo(&page)}
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
func (a *API) show(ctx context.Context, env tenant.Environment, list []span.Span, want *wanted) ([]SpanRow, error) {
	made, err := store.EvaluationsOf(ctx, a.Records, env.ID, list)
	if err != nil {
		return nil, err
	}
	rows := make([]SpanRow, len(list))
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
func (q *SpanSearch) query() (query.Query, error) {
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

func showRow(s *span.Span, made []eval.Evaluation) SpanRow {
	row := SpanRow{
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
func preview(s *span.Span, characters int) *SpanPreview {
	first := func(text string) string {
		beginning, _ := textcut.Characters(text, characters)
		return beginning
	}
	question, _ := genai.Part(s, span.PartQuestion)
	answer, _ := genai.Part(s, span.PartOutput)
	return &SpanPreview{Input: first(s.Input), Output: first(s.Output), Question: first(question), Answer: first(answer)}
}
