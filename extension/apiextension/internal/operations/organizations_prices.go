// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// PricesRequest are the prices that an organization is to have.
type PricesRequest struct {
	Prices []PriceRequest `json:"prices" doc:"One for each model. They replace all that there are." schema:"required maxItems=1000"`
}

// PriceRequest is what a million tokens of a model cost.
type PriceRequest struct {
	Model      string   `json:"model" doc:"The model, without its version or with it." schema:"required minLength=1 maxLength=255"`
	Input      float64  `json:"input" doc:"Input, in US dollars for a million tokens." schema:"required minimum=0 maximum=1000000"`
	Output     float64  `json:"output" doc:"Output, in US dollars for a million tokens." schema:"required minimum=0 maximum=1000000"`
	CacheRead  *float64 `json:"cache_read" doc:"Input that is read from a cache. Default: the price of input." schema:"nullable minimum=0 maximum=1000000"`
	CacheWrite *float64 `json:"cache_write" doc:"Input that is written to a cache. Default: the price of input." schema:"nullable minimum=0 maximum=1000000"`
}

// Prices are the prices of an organization.
type Prices struct {
	Prices []Price `json:"prices" doc:"By model."`
}

// Price is what a million tokens of a model cost.
type Price struct {
	Model      string   `json:"model" doc:"The model."`
	Input      float64  `json:"input" doc:"Input, in US dollars for a million tokens." schema:"minimum=0"`
	Output     float64  `json:"output" doc:"Output, in US dollars for a million tokens." schema:"minimum=0"`
	CacheRead  *float64 `json:"cache_read,omitempty" doc:"Input that is read from a cache; missing where it costs what any input does." schema:"minimum=0"`
	CacheWrite *float64 `json:"cache_write,omitempty" doc:"Input that is written to a cache; missing where it costs what any input does." schema:"minimum=0"`
}

// prices answers the prices of the organization that the path names.
func (a *OrganizationsAPI) prices(r *http.Request) (rest.Response, error) {
	o, err := a.find(r)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(showPrices(&o)), nil
}

// setPrices replaces them.
func (a *OrganizationsAPI) setPrices(r *http.Request) (rest.Response, error) {
	var want PricesRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	next := make(tenant.Prices, len(want.Prices))
	for _, p := range want.Prices {
		if _, twice := next[p.Model]; twice {
			return rest.Response{}, fault.New(fault.Invalid, "prices: %q has two prices", p.Model)
		}
		next[p.Model] = tenant.ModelPrice{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
	}
	changed, err := a.change(r, func(o *tenant.Organization) error {
		if o.Prices = &next; len(next) == 0 {
			o.Prices = nil
		}
		return nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(showPrices(&changed)), nil
}

func showPrices(o *tenant.Organization) Prices {
	shown := Prices{Prices: []Price{}}
	if o.Prices == nil {
		return shown
	}
	for model, p := range *o.Prices {
		shown.Prices = append(shown.Prices, Price{Model: model, Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite})
	}
	slices.SortFunc(shown.Prices, func(a, b Price) int { return cmp.Compare(a.Model, b.Model) })
	return shown
}
