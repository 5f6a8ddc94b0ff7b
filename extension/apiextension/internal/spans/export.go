// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// maxExported is how many spans a file has at most.
	maxExported = 100_000
	// exportedPart is how many bytes are sent at once.
	exportedPart = 64 << 10
)

// SpanExport says which spans are exported, and with which fields.
type SpanExport struct {
	rest.Period
	Filters   rest.Filters `json:"filters" doc:"Conditions that must all hold." schema:"maxItems=100"`
	Line      string       `json:"q" doc:"More conditions, as a line such as status:error model:gpt-4o." schema:"maxLength=4096"`
	SortBy    *string      `json:"sort_by" doc:"What to sort by, as in the search by a URL." schema:"minLength=1 maxLength=4096 default=timestamp"`
	SortOrder *string      `json:"sort_order" doc:"ASC or DESC, in any case." schema:"default=ASC" pattern:"^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$" must:"ASC or DESC"`
	Fields    []string     `json:"fields" doc:"Fields, attributes and verdicts that are columns, too, by the names that filters give them." schema:"maxItems=30" items:"schema:\"minLength=1 maxLength=4096\""`
}

// export streams the spans that match as comma-separated values.
func (a *API) export(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want SpanExport
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	search := SpanSearch{Period: want.Period, Filters: want.Filters, Line: want.Line, SortBy: want.SortBy, SortOrder: want.SortOrder}
	q, err := search.query()
	if err != nil {
		return rest.Response{}, err
	}
	fields, err := parseFields(want.Fields)
	if err != nil {
		return rest.Response{}, err
	}
	q.Limit, q.Total = query.MaxLimit, false
	return rest.StreamCSV(r, "spans.csv", func(w io.Writer) error {
		return a.writeCSV(r.Context(), env, q, &wanted{ids: want.Fields, fields: fields, preview: mostPreview}, w)
	})
}

// writeCSV writes the spans of a query page by page.
func (a *API) writeCSV(ctx context.Context, env tenant.Environment, q query.Query, want *wanted, w io.Writer) error {
	parts := bufio.NewWriterSize(w, exportedPart)
	lines := csv.NewWriter(parts)
	lines.UseCRLF = true
	columns := slices.Concat([]string{"time", "trace_id", "span_id", "name", "type", "service", "status", "model", "duration_ms", "tokens"}, want.ids, []string{"input", "output", "verdicts"})
	for left := maxExported; left > 0; {
		page, _, err := a.page(ctx, env, q, "")
		if err != nil {
			return err
		}
		rows, err := a.show(ctx, env, page.Spans[:min(left, len(page.Spans))], want)
		if err != nil {
			return err
		}
		if columns != nil { // the first page was found
			if err := lines.Write(cellsOf(columns)); err != nil {
				return err
			}
			columns = nil
		}
		for i := range rows {
			if err := lines.Write(cellsOf(lineOf(&rows[i], want.ids))); err != nil {
				return err
			}
		}
		left -= len(rows)
		if page.Next == nil {
			break
		}
		q.After = page.Next
	}
	if lines.Flush(); lines.Error() != nil {
		return lines.Error()
	}
	return parts.Flush()
}

const csvTime = "2006-01-02T15:04:05.000Z"

// lineOf returns the texts of a span in the order of the columns.
func lineOf(row *SpanRow, ids []string) []string {
	tokens := ""
	if row.Tokens != nil {
		tokens = strconv.FormatInt(*row.Tokens, 10)
	}
	line := []string{
		time.Unix(0, row.Start).UTC().Format(csvTime), row.TraceID, row.SpanID, row.Name, row.Type, row.Service, row.Status, row.Model,
		strconv.FormatFloat(float64(row.Duration)/1e6, 'f', -1, 64), tokens,
	}
	for _, id := range ids {
		line = append(line, row.Fields[id])
	}
	question, answer := row.Preview.Question, row.Preview.Answer
	if question == "" {
		question = row.Preview.Input
	}
	if answer == "" {
		answer = row.Preview.Output
	}
	return append(line, question, answer, verdictsText(row.Verdicts))
}

// verdictsText returns what came of the evaluators of a span in one text.
func verdictsText(list []Verdict) string {
	said := make([]string, len(list))
	for i := range list {
		v := &list[i]
		if v.Status != eval.Done {
			said[i] = fmt.Sprintf("%s: %s (%s)", v.Evaluator, v.Status, v.Reason)
			continue
		}
		outputs := make([]string, len(v.Outputs.Outputs))
		for j := range v.Outputs.Outputs {
			o := &v.Outputs.Outputs[j]
			outputs[j] = o.Name + " = " + o.Text()
		}
		said[i] = v.Evaluator + ": " + strings.Join(outputs, ", ")
	}
	return strings.Join(said, "; ")
}

var (
	// formula matches what a spreadsheet takes for a formula, in full width, too.
	// https://owasp.org/www-community/attacks/CSV_Injection
	formula = regexp.MustCompile(`^(?:[\s\p{Z}\x00-\x1f\x{feff}]*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]|[\t\r])`)
	number  = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)
)

// cellsOf marks texts that a spreadsheet would take for formulas.
func cellsOf(line []string) []string {
	for i, text := range line {
		if formula.MatchString(text) && !number.MatchString(text) {
			line[i] = "'" + text
		}
	}
	return line
}
