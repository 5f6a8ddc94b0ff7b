// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// metricsRequest is a query for points as its user writes it. An empty text
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
func (m *metricsRequest) query(names *metricNames) (q metricsQuery, cursor string, err error) {
	if q.From, q.To, err = m.period(math.MaxInt64); err != nil {
		return q, "", err
	}
	if q.By, q.Descending, err = m.order(); err != nil {
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
	c := conditions{never: !ours}
	if err := m.narrow(&c, names); err != nil {
		return q, "", err
	}
	q.All, q.Any, q.never = c.all, c.any, c.never
	q.asked = fingerprint(q.PointQuery)
	return q, cursor, nil
}

// fingerprint is the same for queries that differ only in their limit.
func fingerprint(q store.PointQuery) [sha256.Size]byte {
	q.Limit, q.After = 0, nil
	text, _ := json.Marshal(q) // texts and finite numbers can always be written
	return sha256.Sum256(text)
}

func (m *metricsRequest) order() (by store.PointKey, descending bool, err error) {
	switch m.SortBy {
	case "", "timestamp", "event_time":
		by = store.PointByStart
	case "metric_name":
		by = store.PointByEvaluator
	case "numeric_value":
		by = store.PointByNumber
	default:
		return "", false, fault.New(fault.Invalid, "sort_by must be one of timestamp, event_time, metric_name, numeric_value")
	}
	if m.SortOrder != "" {
		descending, err = parseSortOrder(m.SortOrder)
	}
	return by, descending, err
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

// narrow adds the conditions of the request.
func (m *metricsRequest) narrow(c *conditions, names *metricNames) error {
	if m.Name != "" {
		t, err := names.named("metric_name", metricOperand{op: query.OpEquals, values: []string{m.Name}})
		if err != nil {
			return err
		}
		if err := c.and("metric_name", t); err != nil {
			return err
		}
	}
	if m.Source != "" {
		t, err := names.sourced("metric_source", metricOperand{op: query.OpEquals, values: []string{m.Source}})
		if err != nil {
			return err
		}
		if err := c.and("metric_source", t); err != nil {
			return err
		}
	}
	terms, err := m.terms(names)
	if err != nil || len(terms) == 0 {
		return err
	}
	switch {
	case m.Logic == "", strings.EqualFold(m.Logic, "AND"):
		for i, t := range terms {
			if err := c.and(fmt.Sprintf("filters[%d]", i), t); err != nil {
				return err
			}
		}
		return nil
	case strings.EqualFold(m.Logic, "OR"):
		return c.or(terms)
	}
	return fault.New(fault.Invalid, "logical_operator must be AND or OR")
}
