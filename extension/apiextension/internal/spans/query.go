// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// The parameters with a meaning of their own. Every other one is an equality
// filter on the field it names.
const (
	paramFrom       = "from_timestamp_sec"
	paramTo         = "to_timestamp_sec"
	paramWorkflow   = "workflow"
	paramSpanName   = "span_name"
	paramAttributes = "attributes"
	paramSortOrder  = "sort_order"
	paramSortBy     = "sort_by"
	paramCursor     = "cursor"
	paramLimit      = "limit"
	paramFilters    = "filters"
	paramLine       = "q" // of paths beyond the contract, where it is no attribute
)

// parseQuery reads the parameters of a request for spans. The cursor comes
// back as it was given: only its codec can turn it into Query.After. Every
// error is Invalid and starts with the name of the parameter as written.
func parseQuery(values url.Values) (query.Query, string, error) {
	p := parser{query: query.Query{
		Order: query.Order{By: query.SortTimestamp},
		Limit: query.DefaultLimit,
		Total: true,
	}}
	// Sorted, so that one request always gives one query and one error.
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := p.parameter(name, values[name]); err != nil {
			return query.Query{}, "", err
		}
	}
	var err error
	if p.query.From, p.query.To, err = p.period.Bounds(math.MaxInt64); err != nil {
		return query.Query{}, "", err
	}
	return p.query, p.cursor, nil
}

type parser struct {
	query      query.Query
	conditions int // of its filters
	period     rest.Period
	cursor     string
}

func (p *parser) parameter(name string, given []string) error {
	if len(given) == 0 {
		return nil
	}
	if strings.TrimSpace(name) == "" {
		return invalid("query", "has a parameter without a name")
	}
	for _, text := range append([]string{name}, given...) {
		if !utf8.ValidString(text) {
			return invalid(name, "must be valid UTF-8")
		}
	}
	if !knownParameter(name) {
		return p.equality(name, given)
	}
	if len(given) > 1 {
		return invalid(name, "must be given once")
	}
	return p.known(name, given[0])
}

func knownParameter(name string) bool {
	switch name {
	case paramFrom, paramTo, paramWorkflow, paramSpanName, paramAttributes,
		paramSortOrder, paramSortBy, paramCursor, paramLimit, paramFilters:
		return true
	}
	return false
}

func (p *parser) known(name, text string) (err error) {
	q := &p.query
	switch name {
	case paramFrom:
		p.period.From = (*rest.Text)(&text)
	case paramTo:
		p.period.To = (*rest.Text)(&text)
	case paramWorkflow:
		err = p.add(name, name, query.Field{Kind: query.FieldAlias, Name: span.AliasWorkflow}, text)
	case paramSpanName:
		err = p.add(name, name, query.Column("span_name"), text)
	case paramAttributes:
		err = p.attributes(text)
	case paramSortOrder:
		q.Order.Descending, err = parseSortOrder(text)
	case paramSortBy:
		err = parseSortKey(&q.Order, text)
	case paramCursor:
		p.cursor = text
	case paramLimit:
		q.Limit, err = parseLimit(text)
	case paramFilters:
		err = p.filters(text)
	}
	return err
}

// parseLimit cuts a limit above the largest to the largest.
func parseLimit(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, invalid(paramLimit, "must be a whole number from 1 to %d", query.MaxLimit)
	}
	return int(min(n, query.MaxLimit)), nil
}

// parseSortOrder reads the parameter of that name.
func parseSortOrder(text string) (descending bool, err error) {
	switch {
	case strings.EqualFold(text, "ASC"):
		return false, nil
	case strings.EqualFold(text, "DESC"):
		return true, nil
	}
	return false, invalid(paramSortOrder, "must be ASC or DESC")
}

// parseSortKey sets what an order of spans goes by.
// sortKey is what spans are sorted by.
type sortKey string

// JSONSchema returns what it may be.
func (sortKey) JSONSchema(func(any) map[string]any) map[string]any {
	return map[string]any{"type": "string", "anyOf": []any{
		map[string]any{"enum": sortKeys()}, map[string]any{"pattern": `^evaluation\.[^.]+\..+$`},
	}}
}

// sortKeys returns the names of the fields to sort by.
func sortKeys() []string {
	var names []string
	for i := range span.Fields {
		names = append(names, span.Fields[i].Sort...)
	}
	return names
}

func parseSortKey(o *query.Order, text string) error {
	if f, found := span.FieldOfSort(text); found {
		o.By = query.SortKey(f.Sort[0])
		return nil
	}
	if len(text) > query.MaxFilterText {
		return invalid(paramSortBy, "must be at most %d bytes long", query.MaxFilterText)
	}
	name, found := strings.CutPrefix(text, tenant.EvaluationPrefix)
	if !found {
		return invalid(paramSortBy, "must be one of %s, evaluation.<slug>.<output>", strings.Join(sortKeys(), ", "))
	}
	f, err := query.ParseVerdict(name)
	if err != nil {
		return invalid(paramSortBy, "%s", fault.Message(err))
	}
	o.By, o.Slug, o.Output = query.SortEvaluation, f.Name, f.Output
	return nil
}

// invalid refuses the parameter, or the part of one, that name spells.
func invalid(name, format string, args ...any) error {
	const longest = 200
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) > longest {
		name = textcut.Bytes(name, longest) + "…"
	}
	return fault.New(fault.Invalid, "%s "+format, append([]any{name}, args...)...)
}
