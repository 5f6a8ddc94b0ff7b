// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// cost returns what the span says that its call cost, in billionths of a US dollar,
// span.NoTokens where it does not.
func (f *sourceValues) cost() int64 { return f.amount(semconv.CostSources, "total") }

// amount returns the first of these attributes that is an amount, else the part of
// this name of Langfuse's costs.
func (f *sourceValues) amount(sources []semconv.Attribute, part string) int64 {
	for _, k := range sources {
		if n := billionths(f.texts[k]); n != span.NoTokens {
			return n
		}
	}
	if f.texts[semconv.LangfuseCost] == "" {
		return span.NoTokens
	}
	return billionths(memberText(f.texts[semconv.LangfuseCost], part))
}

// billionths reads an amount that is not negative.
func billionths(text string) int64 {
	if text == "" {
		return span.NoTokens
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) {
		return span.NoTokens
	}
	return rounded(n * 1e9)
}

// rounded returns the nearest whole number, span.NoTokens where none is near.
func rounded(n float64) int64 {
	if n >= math.MaxInt64 || math.IsNaN(n) {
		return span.NoTokens
	}
	return int64(math.Round(n))
}

// Price is what a million tokens of a model cost, in US dollars.
type Price struct {
	Input, Output float64
	// CacheRead and CacheWrite are of input that was read from a cache, or written to
	// one; negative is as any input.
	CacheRead, CacheWrite float64
}

// Prices are what models cost, by their names.
type Prices struct {
	byModel map[string]Price
	names   []string // the longest first
}

// NewPrices returns prices by the names of models.
func NewPrices(byModel map[string]Price) *Prices {
	names := slices.SortedFunc(maps.Keys(byModel), func(a, b string) int { return len(b) - len(a) })
	return &Prices{byModel: byModel, names: names}
}

// Of returns the price of a model: under its name, with or without the provider that
// stands before a slash, else under the longest name that it begins with, before a
// version: "gpt-4o" for "openai/gpt-4o-2024-08-06".
func (p *Prices) Of(model string) (Price, bool) {
	if model == "" {
		return Price{}, false
	}
	if price, known := p.byModel[model]; known {
		return price, true
	}
	_, bare, provided := strings.Cut(model, "/")
	if provided {
		return p.Of(bare)
	}
	for _, name := range p.names {
		if rest, is := strings.CutPrefix(model, name); is && strings.ContainsRune("-@:", rune(rest[0])) {
			return p.byModel[name], true
		}
	}
	return Price{}, false
}

// Fill fills in what a span cost by its tokens, unless the span says it or its model
// has no price.
func (p *Prices) Fill(s *span.Span) {
	if p == nil || s.Cost != span.NoTokens || s.InputTokens == span.NoTokens && s.OutputTokens == span.NoTokens {
		return
	}
	price, known := p.Of(s.ResponseModel)
	if !known {
		price, known = p.Of(s.RequestModel)
	}
	if !known {
		return
	}
	input := price.input(s)
	total := rounded(input + float64(max(s.OutputTokens, 0))*price.Output*1e3)
	if s.InputCost == span.NoTokens {
		s.InputCost = min(rounded(input), total)
	}
	s.Cost = total
}

// input returns what the input cost, in billionths. The conventions count cached
// tokens among the input; where these are more than it, the SDK does not.
func (price *Price) input(s *span.Span) float64 {
	all, read, written := max(s.InputTokens, 0), aliasCount(s, semconv.CacheTokens), aliasCount(s, semconv.CacheWriteTokens)
	plain := all
	if read <= all && written <= all-read {
		plain -= read + written
	}
	each := func(dollars float64) float64 {
		if dollars < 0 {
			return price.Input
		}
		return dollars
	}
	const perToken = 1e3 // billionths, of dollars per million tokens
	return (float64(plain)*price.Input + float64(read)*each(price.CacheRead) + float64(written)*each(price.CacheWrite)) * perToken
}

// aliasCount returns a count that the span's attributes have, 0 where they do not.
func aliasCount(s *span.Span, k semconv.Attribute) int64 {
	text, _ := s.Attributes.Get(k.Name())
	return max(parseCount(text), 0)
}
