// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var errNoEnvironment = fault.New(fault.NotFound, "environment not found")

// environment returns the environment that the path names, of an organization
// that is not deleted.
func (a *OrganizationsAPI) environment(r *http.Request) (tenant.Environment, error) {
	o, err := a.find(r)
	if err != nil {
		return tenant.Environment{}, err
	}
	if !o.DeletedAt.IsZero() {
		return tenant.Environment{}, fault.New(fault.Conflict, "the organization was deleted")
	}
	for _, e := range o.AllEnvironments() {
		if e.Slug == rest.PathValue(r, "slug") {
			return e, nil
		}
	}
	return tenant.Environment{}, errNoEnvironment
}

// EnvironmentChange says what of an environment is to be changed. A field of the
// quota that is 0 is the default from then on; one that is left out stays.
type EnvironmentChange struct {
	RetentionHours *rest.Int    `json:"retention_hours" doc:"How long spans stay readable." schema:"nullable minimum=1 maximum=720"`
	Quota          *QuotaChange `json:"quota" doc:"What the environment may take. 0 is the default of the collector." schema:"nullable"`
}

// QuotaChange says what of a quota is to be changed.
type QuotaChange struct {
	SpansPerSecond    *rest.Int `json:"spans_per_second" doc:"Spans, log records and data points a second." schema:"nullable minimum=0 maximum=1000000000000"`
	BytesPerSecond    *rest.Int `json:"bytes_per_second" doc:"Bytes of telemetry a second, once requests are unpacked." schema:"nullable minimum=0 maximum=1000000000000"`
	ConcurrentQueries *rest.Int `json:"concurrent_queries" doc:"Requests to the API that may be under way at once." schema:"nullable minimum=0 maximum=1000000000000"`
	StoredBytes       *rest.Int `json:"stored_bytes" doc:"Bytes that may be stored, on disk." schema:"nullable minimum=0 maximum=1000000000000000"`
	OwedEvaluations   *rest.Int `json:"owed_evaluations" doc:"Evaluations that may wait." schema:"nullable minimum=0 maximum=1000000000000"`
	DollarsPerDay     *float64  `json:"dollars_per_day" doc:"US dollars that models may cost from 00:00 UTC on." schema:"nullable minimum=0 maximum=1000000000"`
}

func (c *EnvironmentChange) apply(e *tenant.Environment) {
	if c.RetentionHours != nil {
		e.Retention = time.Duration(*c.RetentionHours) * time.Hour
	}
	if c.Quota == nil {
		return
	}
	for _, f := range []struct {
		want *rest.Int
		to   *int64
	}{
		{c.Quota.SpansPerSecond, &e.Quota.SpansPerSecond},
		{c.Quota.BytesPerSecond, &e.Quota.BytesPerSecond},
		{c.Quota.ConcurrentQueries, &e.Quota.ConcurrentQueries},
		{c.Quota.StoredBytes, &e.Quota.StoredBytes},
		{c.Quota.OwedEvaluations, &e.Quota.OwedEvaluations},
	} {
		if f.want != nil {
			*f.to = int64(*f.want)
		}
	}
	if c.Quota.DollarsPerDay != nil {
		e.Quota.DollarsPerDay = *c.Quota.DollarsPerDay
	}
}

// updateEnvironment changes retention and quota of an environment.
func (a *OrganizationsAPI) updateEnvironment(r *http.Request) (rest.Response, error) {
	var want EnvironmentChange
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	var shown EnvironmentRecord
	_, err := a.change(r, func(o *tenant.Organization) error {
		e := o.Environment(func(e *tenant.Environment) bool { return e.Slug == rest.PathValue(r, "slug") })
		if e == nil {
			return errNoEnvironment
		}
		want.apply(e)
		shown = showEnvironment(e)
		return nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown), nil
}
