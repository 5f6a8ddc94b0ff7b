// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// metricsRequest is a query for outputs as its user writes it. An empty text counts as
// left out.
type metricsRequest struct {
	rest.Period
	Environments []string       `json:"environments" doc:"Slugs. If it has any and the environment of the key is not among them, nothing is found." schema:"nullable"`
	Name         string         `json:"metric_name" doc:"Only points of this metric, <slug>.<output>, or of all outputs of an evaluator, <slug>. Spaces, hyphens, underscores and capitals are the same."`
	Source       string         `json:"metric_source" doc:"Only points of this source: llm_as_a_judge, or an evaluator that judged without one, such as word_count."`
	Filters      []MetricFilter `json:"filters" doc:"Conditions. Fields are metric_name, metric_source, bool_value, numeric_value, enum_value, event_time, trace_id, span_id, service_name; labels.<label>; attributes.<key>, an attribute of the span. A label that points do not have is an attribute." schema:"nullable maxItems=100"`
	Logic        string         `json:"logical_operator" doc:"AND or OR, in any case: whether all filters must hold, or one." schema:"default=AND" pattern:"^([Aa][Nn][Dd]|[Oo][Rr])?$" must:"AND or OR"`
	SortBy       string         `json:"sort_by" doc:"What to sort by." schema:"default=timestamp" enum:"timestamp,event_time,metric_name,numeric_value,"`
	SortOrder    string         `json:"sort_order" doc:"ASC or DESC, in any case." schema:"default=ASC" pattern:"^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])?$" must:"ASC or DESC"`
	Limit        *rest.Text     `json:"limit" doc:"How many points a page has at most. Above 1000 is 1000. A string of digits is taken too." schema:"types=integer,string,null minimum=1 default=50" pattern:"^0*[1-9][0-9]*$" must:"a whole number from 1 to 1000"`
	Cursor       *rest.Text     `json:"cursor" doc:"next_cursor of the page before, with everything else but limit unchanged. Empty and 0 are the beginning; another number is the Unix milliseconds from which to go on, sorted by timestamp." schema:"types=string,integer,null"`
}

// parameters are the parameters of a URL that have one text, and mean in it what the
// members of their names do in a body.
var parameters = [...]string{
	"from_timestamp_sec", "to_timestamp_sec", "metric_name", "metric_source",
	"logical_operator", "sort_by", "sort_order", "limit", "cursor",
}

// bodyOf returns the body that a URL spells out. Parameters without a meaning
// and empty ones are ignored.
func bodyOf(r *http.Request) ([]byte, error) {
	values, err := rest.Query(r)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"environments": values["environments"]}
	for _, name := range append(parameters[:], filtersField) {
		if len(values[name]) > 1 {
			return nil, fault.New(fault.Invalid, "%s must be given once", name)
		}
		text := values.Get(name)
		switch {
		case text == "":
		case name != filtersField:
			body[name] = text
		case !json.Valid([]byte(text)):
			return nil, fault.New(fault.Invalid, "%s must be a JSON array", name)
		default:
			body[name] = json.RawMessage(text)
		}
	}
	return json.Marshal(body)
}

// query returns the query and the cursor as it was written, "" for none.
func (m *metricsRequest) query(n *names) (q query.Query, cursor string, err error) {
	q.Subject, q.Total, q.Order, q.Limit = query.Outputs, true, m.order(), m.limit()
	if q.From, q.To, err = m.Bounds(math.MaxInt64); err != nil {
		return q, "", err
	}
	if m.Cursor != nil {
		cursor = string(*m.Cursor)
	}
	if q.Filters, err = m.conditions(n); err != nil {
		return q, "", err
	}
	if len(m.Environments) > 0 && !slices.Contains(m.Environments, n.env.Slug) {
		q.Filters = append(q.Filters, query.Any())
	}
	return q, cursor, nil
}

func (m *metricsRequest) order() query.Order {
	by := query.SortTimestamp
	switch m.SortBy {
	case "metric_name":
		by = query.SortMetric
	case "numeric_value":
		by = query.SortNumber
	}
	return query.Order{By: by, Descending: strings.EqualFold(m.SortOrder, "DESC")}
}

// limit cuts a limit above the largest to the largest, as that of spans.
func (m *metricsRequest) limit() int {
	if m.Limit == nil {
		return query.DefaultLimit
	}
	n, _ := strconv.ParseFloat(string(*m.Limit), 64) // infinite above all numbers
	return int(min(n, query.MaxLimit))
}

// conditions returns what the request asks of outputs.
func (m *metricsRequest) conditions(n *names) (list []query.Filter, err error) {
	for _, given := range [...]struct {
		path, text string
		filter     func(path string, o query.Filter) (query.Filter, error)
	}{
		{"metric_name", m.Name, n.named},
		{"metric_source", m.Source, n.sourced},
	} {
		if given.text == "" {
			continue
		}
		f, err := given.filter(given.path, query.Filter{Operator: query.OpEquals, Value: given.text})
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	filters, err := m.filters(n)
	if err == nil && len(filters) > 0 && strings.EqualFold(m.Logic, "OR") {
		return append(list, query.Any(filters...)), nil
	}
	return append(list, filters...), err
}
