// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Metrics is the answer to a query for outputs.
type Metrics struct {
	Metrics MetricPage `json:"metrics"`
}

// MetricPage is one page of points, those of one metric together.
type MetricPage struct {
	Data         []*Metric `json:"data" doc:"The points of this page, those of one metric together."`
	TotalPoints  int       `json:"total_points" doc:"How many points this page has."`
	TotalResults int64     `json:"total_results" doc:"How many points match, on all pages."`
	NextCursor   string    `json:"next_cursor" doc:"The cursor of the next page; empty when there is none."`
}

// Metric has the points of one output.
type Metric struct {
	Name           string        `json:"metric_name" doc:"The name, <slug>.<output>."`
	OrganizationID string        `json:"organization_id" doc:"The organization."`
	Points         []MetricPoint `json:"points" doc:"In the order that was asked for." schema:"minItems=1"`
}

// MetricPoint is one verdict. It has one of the values.
type MetricPoint struct {
	_ struct{} `oneOf:"numeric_value|bool_value|enum_value"`

	Numeric   any         `json:"numeric_value,omitempty" doc:"The value of a numeric metric." schema:"types=number"`
	Bool      any         `json:"bool_value,omitempty" doc:"The value of a boolean one." schema:"types=boolean"`
	Enum      any         `json:"enum_value,omitempty" doc:"The text of any other." schema:"types=string"`
	EventTime int64       `json:"event_time" doc:"The start of the span, Unix milliseconds."`
	Labels    PointLabels `json:"labels" doc:"Empty where absent."`
}

func newAnswer() *Metrics {
	return &Metrics{MetricPage{Data: []*Metric{}}}
}

// add shows a page of an environment's outputs.
func (m *Metrics) add(env tenant.Environment, page *query.Page) {
	m.Metrics.TotalPoints, m.Metrics.TotalResults = len(page.Outputs), page.Total
	byName := make(map[string]*Metric)
	for i := range page.Outputs {
		p := &page.Outputs[i]
		name := p.Evaluator + "." + p.Output.Name
		metric := byName[name]
		if metric == nil {
			metric = &Metric{Name: name, OrganizationID: env.OrganizationID}
			byName[name] = metric
			m.Metrics.Data = append(m.Metrics.Data, metric)
		}
		metric.Points = append(metric.Points, showPoint(env, p))
	}
}

func showPoint(env tenant.Environment, p *query.Output) MetricPoint {
	shown := MetricPoint{EventTime: p.Start / 1e6}
	kind := typeNumeric
	switch p.Output.Value.(type) {
	case bool:
		kind, shown.Bool = typeBoolean, p.Output.Value
	case string:
		kind, shown.Enum = typeEnum, p.Output.Value
	default:
		shown.Numeric = p.Output.Value
	}
	shown.Labels = PointLabels{
		AgentName:     p.Entity,
		EntityType:    metricEntity,
		EnvProjectID:  string(env.ID),
		Environment:   env.Slug,
		EvaluatorName: p.Evaluator,
		InsertTime:    strconv.FormatInt(p.Time/1e6, 10),
		MetricSource:  p.MetricSource(),
		MetricType:    kind,
		Model:         p.Model,
		OrgID:         env.OrganizationID,
		RunID:         p.SetupID,
		ServiceName:   p.Service,
		SpanID:        p.Span.SpanID.String(),
		SpanName:      p.SpanName,
		TraceID:       p.Span.TraceID.String(),
		Unit:          units[p.Evaluator],
		Vendor:        p.Vendor,
		WorkflowName:  p.Workflow,
	}
	return shown
}

// PointLabels say what a point is of.
type PointLabels struct {
	AgentName     string `json:"agent_name" doc:"The entity that the span is of."`
	EntityType    string `json:"entity_type" doc:"What the point is about."`
	EnvProjectID  string `json:"env_project_id" doc:"The environment."`
	Environment   string `json:"environment" doc:"Its slug."`
	EvaluatorName string `json:"evaluator_name" doc:"The slug of the evaluator."`
	InsertTime    string `json:"insert_time" doc:"When the evaluation ended, Unix milliseconds."`
	MetricSource  string `json:"metric_source" doc:"llm_as_a_judge, or the evaluator."`
	MetricType    string `json:"metric_type" doc:"numeric, boolean or enum."`
	Model         string `json:"model" doc:"The model of the span."`
	OrgID         string `json:"org_id" doc:"The organization."`
	RunID         string `json:"run_id" doc:"The setup."`
	ServiceName   string `json:"service_name" doc:"The service of the span."`
	SpanID        string `json:"span_id" doc:"The span."`
	SpanName      string `json:"span_name" doc:"Its name."`
	TraceID       string `json:"trace_id" doc:"Its trace."`
	Unit          string `json:"unit" doc:"What is counted, where something is."`
	Vendor        string `json:"vendor" doc:"The vendor of the span."`
	WorkflowName  string `json:"workflow_name" doc:"The workflow of the span."`
}
