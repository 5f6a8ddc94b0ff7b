// SPDX-License-Identifier: Apache-2.0

package organizations

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
func (a *API) environment(r *http.Request) (tenant.Environment, error) {
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

// environmentChange says what of an environment is to be changed. A field of the
// quota that is 0 is the default from then on; one that is left out stays.
type environmentChange struct {
	RetentionHours *rest.Int `json:"retention_hours"`
	Quota          *struct {
		SpansPerSecond    *rest.Int `json:"spans_per_second"`
		BytesPerSecond    *rest.Int `json:"bytes_per_second"`
		ConcurrentQueries *rest.Int `json:"concurrent_queries"`
		StoredBytes       *rest.Int `json:"stored_bytes"`
		OwedEvaluations   *rest.Int `json:"owed_evaluations"`
		DollarsPerDay     *float64  `json:"dollars_per_day"`
	} `json:"quota"`
}

func (c *environmentChange) apply(e *tenant.Environment) {
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
func (a *API) updateEnvironment(r *http.Request) (rest.Response, error) {
	var want environmentChange
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	var shown shownEnvironment
	_, err := a.change(r, func(o *tenant.Organization) error {
		for _, p := range o.Projects {
			for i := range p.Environments {
				if e := &p.Environments[i]; e.Slug == rest.PathValue(r, "slug") {
					want.apply(e)
					shown = showEnvironment(e)
					return nil
				}
			}
		}
		return errNoEnvironment
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown), nil
}
