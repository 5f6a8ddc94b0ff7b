// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/genai/prices"
)

// Config is what config.yaml says of the exporter.
type Config struct {
	// Store is the extension that provides the span store. Default: store.
	Store component.ID `mapstructure:"store"`

	// Prices are what models cost whose spans do not say it, by their names; a version
	// behind the name need not be there. They replace list prices. Default: none.
	Prices map[string]PriceConfig `mapstructure:"prices"`

	// ListPrices is whether models without a price here cost what their providers list.
	// Default: true.
	ListPrices bool `mapstructure:"list_prices"`

	_ struct{}
}

// PriceConfig is what a million tokens of a model cost, in US dollars.
type PriceConfig struct {
	// Input and Output are of what the model reads and writes. Default: 0.
	Input  float64 `mapstructure:"input"`
	Output float64 `mapstructure:"output"`
	// CacheRead and CacheWrite are of input that is read from the provider's cache, or
	// written to it. Default: as any input.
	CacheRead  *float64 `mapstructure:"cache_read"`
	CacheWrite *float64 `mapstructure:"cache_write"`

	_ struct{}
}

// problems names what is wrong with the price of a model.
func (c *PriceConfig) problems(model string) (errs []error) {
	if model == "" {
		errs = append(errs, errors.New(`"prices" must name models`))
	}
	for name, dollars := range map[string]*float64{"input": &c.Input, "output": &c.Output, "cache_read": c.CacheRead, "cache_write": c.CacheWrite} {
		if dollars != nil && !(*dollars >= 0 && *dollars <= 1e6) {
			errs = append(errs, fmt.Errorf(`"prices::%s::%s" must be 0 to 1,000,000 dollars for a million tokens`, model, name))
		}
	}
	return errs
}

// prices returns the prices of models.
func (c *Config) prices() *prices.Table {
	byModel := make(map[string]prices.Price, len(c.Prices))
	for model, p := range c.Prices {
		byModel[model] = prices.Of(p.Input, p.Output, p.CacheRead, p.CacheWrite)
	}
	if !c.ListPrices {
		return prices.New(byModel, nil)
	}
	return prices.New(byModel, prices.Listed())
}

// Validate names what is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.Store == (component.ID{}) {
		errs = append(errs, errors.New(`"store" must name an extension`))
	}
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		p := c.Prices[model]
		errs = append(errs, p.problems(model)...)
	}
	return errors.Join(errs...)
}
