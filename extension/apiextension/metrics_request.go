// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// metricsRequest is a query for outputs as its user writes it. An empty text
// counts as left out.
type metricsRequest struct {
	periodRequest
	Environments json.RawMessage `json:"environments"`
	Name         string          `json:"metric_name"`
	Source       string          `json:"metric_source"`
	Filters      json.RawMessage `json:"filters"`
	Logic        string          `json:"logical_operator"`
	SortBy       string          `json:"sort_by"`
	SortOrder    string          `json:"sort_order"`
	Limit        json.RawMessage `json:"limit"`
	Cursor       json.RawMessage `json:"cursor"`
}

// metricsOf gives the request that a URL spells out. Parameters without a
// meaning are ignored.
func metricsOf(values url.Values) (*metricsRequest, error) {
	q := &metricsRequest{}
	raw := map[string]*json.RawMessage{fromField: &q.From, toField: &q.To, "limit": &q.Limit, "cursor": &q.Cursor}
	text := map[string]*string{
		"metric_name": &q.Name, "metric_source": &q.Source, "logical_operator": &q.Logic,
		"sort_by": &q.SortBy, "sort_order": &q.SortOrder,
	}
	for name, given := range values {
		_, isRaw := raw[name]
		_, isText := text[name]
		if (isRaw || isText || name == "filters") && len(given) > 1 {
			return nil, fault.New(fault.Invalid, "%s must be given once", name)
		}
		switch {
		case isText:
			*text[name] = given[0]
		case isRaw && given[0] != "":
			*raw[name] = quoted(given[0])
		case name == "environments":
			q.Environments = quoted(given)
		case name == "filters" && given[0] != "":
			if !json.Valid([]byte(given[0])) {
				return nil, fault.New(fault.Invalid, "filters must be a JSON array")
			}
			q.Filters = json.RawMessage(given[0])
		}
	}
	return q, nil
}

// quoted gives texts as JSON.
func quoted[T string | []string](v T) json.RawMessage {
	raw, _ := json.Marshal(v) // texts can always be written
	return raw
}

// query gives the query and the cursor as it was written, "" for none.
func (m *metricsRequest) query(names *metricNames) (q query.Query, cursor string, err error) {
	q.Subject, q.Total = query.Outputs, true
	if q.From, q.To, err = m.period(math.MaxInt64); err != nil {
		return q, "", err
	}
	if q.Order, err = m.order(); err != nil {
		return q, "", err
	}
	if q.Limit, err = m.limit(); err != nil {
		return q, "", err
	}
	if !absent(m.Cursor) {
		if cursor, err = scalar("cursor", m.Cursor); err != nil {
			return q, "", err
		}
	}
	ours, err := m.isOurs(names.env.Slug)
	if err != nil {
		return q, "", err
	}
	if q.Filters, err = m.conditions(names); !ours {
		q.Filters = append(q.Filters, query.Any())
	}
	return q, cursor, err
}

func (m *metricsRequest) order() (o query.Order, err error) {
	switch m.SortBy {
	case "", "timestamp", "event_time":
		o.By = query.SortTimestamp
	case "metric_name":
		o.By = query.SortMetric
	case "numeric_value":
		o.By = query.SortNumber
	default:
		return o, fault.New(fault.Invalid, "sort_by must be one of timestamp, event_time, metric_name, numeric_value")
	}
	o.Descending = strings.EqualFold(m.SortOrder, "DESC")
	if !o.Descending && m.SortOrder != "" && !strings.EqualFold(m.SortOrder, "ASC") {
		return o, fault.New(fault.Invalid, "sort_order must be ASC or DESC")
	}
	return o, nil
}

// limit cuts a limit above the largest to the largest, as that of spans.
func (m *metricsRequest) limit() (int, error) {
	if absent(m.Limit) {
		return query.DefaultLimit, nil
	}
	text, err := scalar("limit", m.Limit)
	if err == nil {
		var n float64
		if n, err = strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && n >= 1 {
			return int(min(n, query.MaxLimit)), nil
		}
	}
	return 0, fault.New(fault.Invalid, "limit must be a whole number from 1 to %d", query.MaxLimit)
}

// isOurs reports whether the environment is among those that are asked for.
func (m *metricsRequest) isOurs(slug string) (bool, error) {
	if absent(m.Environments) {
		return true, nil
	}
	slugs, err := parseTexts("environments", m.Environments)
	return len(slugs) == 0 || slices.Contains(slugs, slug), err
}

// conditions gives what the request asks of outputs.
func (m *metricsRequest) conditions(names *metricNames) (list []query.Filter, err error) {
	for _, given := range []struct {
		path, text string
		filter     func(path string, o query.Filter) (query.Filter, error)
	}{
		{"metric_name", m.Name, names.named},
		{"metric_source", m.Source, names.sourced},
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
	filters, err := m.filters(names)
	switch {
	case err != nil || len(filters) == 0:
		return list, err
	case m.Logic == "", strings.EqualFold(m.Logic, "AND"):
		return append(list, filters...), nil
	case strings.EqualFold(m.Logic, "OR"):
		return append(list, query.Any(filters...)), nil
	}
	return nil, fault.New(fault.Invalid, "logical_operator must be AND or OR")
}
