// SPDX-License-Identifier: Apache-2.0

package span

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Limits of what one query may ask.
const (
	MaxFilters      = 100
	MaxFilterValues = 1000 // items of in and not_in
	MaxFilterText   = 4096 // bytes of an id or a value
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
)

// ParseQuery reads the parameters of a request for spans. The cursor comes
// back as it was given: only its codec can turn it into Query.After. Every
// error is Invalid and starts with the name of the parameter as written.
func ParseQuery(values url.Values) (Query, string, error) {
	p := parser{query: Query{
		To:    math.MaxInt64,
		Order: Order{By: SortTimestamp},
		Limit: DefaultLimit,
	}}
	if !values.Has(paramFrom) {
		return Query{}, "", invalid(paramFrom, "is required")
	}
	// Sorted, so that one request always gives one query and one error.
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := p.parameter(name, values[name]); err != nil {
			return Query{}, "", err
		}
	}
	if p.query.From > p.query.To {
		return Query{}, "", invalid(paramFrom, "must not be after to_timestamp_sec")
	}
	return p.query, p.cursor, nil
}

type parser struct {
	query  Query
	cursor string
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
		q.From, err = parseSeconds(name, text)
	case paramTo:
		q.To, err = parseSeconds(name, text)
	case paramWorkflow:
		err = p.add(name, name, Field{Kind: FieldAlias, Name: AliasWorkflow}, text)
	case paramSpanName:
		err = p.add(name, name, Field{Kind: FieldColumn, Name: "span_name"}, text)
	case paramAttributes:
		err = p.attributes(text)
	case paramSortOrder:
		q.Order.Descending, err = parseSortOrder(text)
	case paramSortBy:
		err = q.Order.parseKey(text)
	case paramCursor:
		p.cursor = text
	case paramLimit:
		q.Limit, err = parseLimit(text)
	case paramFilters:
		err = p.filters(text)
	}
	return err
}

// parseSeconds gives the instant in nanoseconds, the nearest one that an
// int64 holds.
func parseSeconds(name, text string) (int64, error) {
	const nanosPerSecond = 1_000_000_000
	seconds, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, invalid(name, "must be a whole number of seconds since 1970")
	case seconds > math.MaxInt64/nanosPerSecond:
		return math.MaxInt64, nil
	case seconds < math.MinInt64/nanosPerSecond:
		return math.MinInt64, nil
	}
	return seconds * nanosPerSecond, nil
}

// parseLimit cuts a limit above the largest to the largest.
func parseLimit(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	outOfRange := err != nil && strings.Trim(text, "0123456789") == "" && text != ""
	switch {
	case outOfRange || err == nil && n > MaxLimit:
		return MaxLimit, nil
	case err != nil || n < 1:
		return 0, invalid(paramLimit, "must be a whole number from 1 to %d", MaxLimit)
	}
	return int(n), nil
}

func parseSortOrder(text string) (descending bool, err error) {
	switch {
	case strings.EqualFold(text, "ASC"):
		return false, nil
	case strings.EqualFold(text, "DESC"):
		return true, nil
	}
	return false, invalid(paramSortOrder, "must be ASC or DESC")
}

func (o *Order) parseKey(text string) error {
	switch text {
	case "timestamp", "duration_ms", "span_name", "trace_id", "total_tokens",
		"platform_workflow_name", "platform_entity_name", "llm_response_model":
		o.By = SortKey(text)
		return nil
	case "duration":
		o.By = SortDuration
		return nil
	case "llm_usage_total_tokens":
		o.By = SortTotalTokens
		return nil
	case "traceloop_workflow_name":
		o.By = SortWorkflow
		return nil
	case "traceloop_entity_name":
		o.By = SortEntity
		return nil
	}
	if len(text) > MaxFilterText {
		return invalid(paramSortBy, "must be at most %d bytes long", MaxFilterText)
	}
	if !strings.HasPrefix(text, tenant.EvaluationPrefix) {
		return invalid(paramSortBy, "must be one of timestamp, duration_ms, span_name, trace_id, total_tokens, "+
			"platform_workflow_name, platform_entity_name, llm_usage_total_tokens, llm_response_model, evaluation.<slug>.<output>")
	}
	f, err := parseKey(paramSortBy, text, FieldEvaluation)
	if err != nil {
		return err
	}
	o.By, o.Slug, o.Output = SortEvaluation, f.Name, f.Output
	return nil
}

// invalid refuses the parameter, or the part of one, that name spells.
func invalid(name, format string, args ...any) error {
	const longest = 200
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return fault.New(fault.Invalid, "%s "+format, append([]any{name}, args...)...)
}
