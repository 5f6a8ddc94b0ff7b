// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// MonitoringConfig says from which lag on evaluation is not well.
type MonitoringConfig struct {
	// DegradedAfter is the lag above which the status is DEGRADED. Default: 3m.
	DegradedAfter time.Duration `mapstructure:"degraded_after"`
	// ErrorAfter is the lag above which it is ERROR. Default: 10m.
	ErrorAfter time.Duration `mapstructure:"error_after"`

	_ struct{}
}

// MonitoringAPI serves how far evaluation is behind, and what setups come to.
type MonitoringAPI struct {
	Records store.Aggregator
	Setups  Setups
	Config  *MonitoringConfig
	Now     func() time.Time
}

// Routes returns what is served.
func (a *MonitoringAPI) Routes() []rest.Route {
	return []rest.Route{
		GetMonitoringStatus.Serve(rest.InEnvironment(a.status)),
		GetMonitoredSetups.Serve(rest.InEnvironment(a.setups)),
	}
}

// What the status of monitoring may be, and why.
const (
	statusOK       = "OK"
	statusDegraded = "DEGRADED"
	statusError    = "ERROR"

	reasonLag    = "LAG_HIGH"
	reasonNoData = "NO_EVALUATION_DATA"
)

// monitoringStatus says whether evaluations keep up.
type monitoringStatus struct {
	OrganizationID string   `json:"organization_id" doc:"The organization."`
	Environment    string   `json:"environment" doc:"The slug of the environment."`
	Project        string   `json:"project" doc:"The project."`
	EvaluatedUpTo  string   `json:"evaluated_up_to,omitempty" doc:"When the oldest pending evaluation began to wait or, if none is pending, when the last one ended." schema:"format=date-time"`
	LatestSpan     string   `json:"latest_span_received,omitempty" doc:"The start of the latest span." schema:"format=date-time"`
	LagSeconds     int64    `json:"lag_in_seconds" doc:"For how long the oldest evaluation has been pending; 0 if none is." schema:"minimum=0"`
	LagSpans       int64    `json:"lag_in_spans" doc:"How many spans have pending evaluations." schema:"minimum=0"`
	Status         string   `json:"status" doc:"ERROR also when there are spans and no evaluation was ever made or pending." enum:"OK,DEGRADED,ERROR"`
	Reasons        []string `json:"reasons" items:"doc:\"Why it is not OK.\" enum:\"LAG_HIGH,NO_EVALUATION_DATA\""`
}

// status answers how far evaluation is behind.
func (a *MonitoringAPI) status(r *http.Request, env tenant.Environment) (rest.Response, error) {
	p, err := store.ReadProgress(r.Context(), a.Records, env)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(a.Config.judge(env, p, a.Now())), nil
}

// judge says how evaluation is doing. Everything is evaluated up to the moment
// from which the oldest evaluation is pending.
func (c *MonitoringConfig) judge(env tenant.Environment, p store.Progress, now time.Time) monitoringStatus {
	shown := monitoringStatus{
		OrganizationID: env.OrganizationID, Environment: env.Slug, Project: env.ProjectID,
		LagSpans: p.OwedSpans, Status: statusOK, Reasons: []string{},
	}
	upTo := p.LatestEvaluation
	var lag time.Duration
	if p.OwedEvaluations > 0 {
		upTo = p.OldestOwed
		lag = max(0, now.Sub(time.Unix(0, p.OldestOwed)))
	}
	shown.EvaluatedUpTo, shown.LatestSpan = rest.NanosIfAny(upTo), rest.NanosIfAny(p.LatestSpan)
	shown.LagSeconds = int64(lag / time.Second)
	switch {
	case lag > c.ErrorAfter:
		shown.Status, shown.Reasons = statusError, append(shown.Reasons, reasonLag)
	case lag > c.DegradedAfter:
		shown.Status, shown.Reasons = statusDegraded, append(shown.Reasons, reasonLag)
	}
	if p.LatestSpan != 0 && upTo == 0 {
		shown.Status, shown.Reasons = statusError, append(shown.Reasons, reasonNoData)
	}
	return shown
}
