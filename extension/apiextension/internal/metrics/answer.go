// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type response struct {
	Metrics answerPage `json:"metrics"`
}

// answerPage is one page of points, those of one metric together.
type answerPage struct {
	Data         []*metricAnswer `json:"data"`
	TotalPoints  int             `json:"total_points"`  // on this page
	TotalResults int64           `json:"total_results"` // on all pages
	NextCursor   string          `json:"next_cursor"`
}

type metricAnswer struct {
	Name           string        `json:"metric_name"`
	OrganizationID string        `json:"organization_id"`
	Points         []pointAnswer `json:"points"`
}

// pointAnswer is one verdict. It has one of the values.
type pointAnswer struct {
	Numeric   any               `json:"numeric_value,omitempty"`
	Bool      any               `json:"bool_value,omitempty"`
	Enum      any               `json:"enum_value,omitempty"`
	EventTime int64             `json:"event_time"`
	Labels    map[string]string `json:"labels"`
}

func newAnswer() *response {
	return &response{answerPage{Data: []*metricAnswer{}}}
}

// add shows a page of an environment's outputs.
func (m *response) add(env tenant.Environment, page *query.Page) {
	m.Metrics.TotalPoints, m.Metrics.TotalResults = len(page.Outputs), page.Total
	byName := make(map[string]*metricAnswer)
	for i := range page.Outputs {
		p := &page.Outputs[i]
		name := p.Evaluator + "." + p.Output.Name
		metric := byName[name]
		if metric == nil {
			metric = &metricAnswer{Name: name, OrganizationID: env.OrganizationID}
			byName[name] = metric
			m.Metrics.Data = append(m.Metrics.Data, metric)
		}
		metric.Points = append(metric.Points, showPoint(env, p))
	}
}

func showPoint(env tenant.Environment, p *query.Output) pointAnswer {
	shown := pointAnswer{EventTime: p.Start / 1e6}
	kind := typeNumeric
	switch p.Output.Value.(type) {
	case bool:
		kind, shown.Bool = typeBoolean, p.Output.Value
	case string:
		kind, shown.Enum = typeEnum, p.Output.Value
	default:
		shown.Numeric = p.Output.Value
	}
	shown.Labels = map[string]string{
		"agent_name":     p.Entity,
		"entity_type":    metricEntity,
		"env_project_id": string(env.ID),
		"environment":    env.Slug,
		"evaluator_name": p.Evaluator,
		"insert_time":    strconv.FormatInt(p.Time/1e6, 10),
		"metric_source":  p.MetricSource(),
		"metric_type":    kind,
		"model":          p.Model,
		"org_id":         env.OrganizationID,
		"run_id":         p.SetupID,
		"service_name":   p.Service,
		"span_id":        p.Span.SpanID.String(),
		"span_name":      p.SpanName,
		"trace_id":       p.Span.TraceID.String(),
		"unit":           units[p.Evaluator],
		"vendor":         p.Vendor,
		"workflow_name":  p.Workflow,
	}
	return shown
}
