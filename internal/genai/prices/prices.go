// SPDX-License-Identifier: Apache-2.0

// Package prices says what calls of models cost by their tokens.
package prices

import (
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Price is what a million tokens of a model cost, in US dollars.
type Price struct {
	Input, Output float64
	// CacheRead and CacheWrite are of input that was read from a cache, or written to
	// one; negative is as any input.
	CacheRead, CacheWrite float64
}

// Table is what models cost, by their names.
type Table struct {
	byModel map[string]Price
	names   []string // the longest first
}

// New returns the table of prices by the names of models.
func New(byModel map[string]Price) *Table {
	names := slices.SortedFunc(maps.Keys(byModel), func(a, b string) int { return len(b) - len(a) })
	return &Table{byModel: byModel, names: names}
}

// longestModel is how many bytes the name of a model has that a price is looked for:
// clients send names of any length.
const longestModel = 256

// Of returns the price of a model: under its name, with or without the providers that
// stand before slashes, else under the longest name that it begins with, before a
// version: "gpt-4o" for "openai/gpt-4o-2024-08-06".
func (t *Table) Of(model string) (Price, bool) {
	if len(model) > longestModel {
		return Price{}, false
	}
	for {
		if price, known := t.byModel[model]; known {
			return price, model != ""
		}
		_, bare, provided := strings.Cut(model, "/")
		if !provided {
			break
		}
		model = bare
	}
	for _, name := range t.names {
		if rest, is := strings.CutPrefix(model, name); is && strings.IndexAny(rest, "-@:") == 0 {
			return t.byModel[name], true
		}
	}
	return Price{}, false
}

// Fill fills in what a span cost by its tokens, unless the span says it, its model has
// no price, or its tokens are those of spans within it.
func (t *Table) Fill(s *span.Span) {
	if t == nil || s.Repeats() || s.Cost != span.NoTokens || s.InputTokens == span.NoTokens && s.OutputTokens == span.NoTokens {
		return
	}
	price, known := t.Of(s.ResponseModel)
	if !known {
		price, known = t.Of(s.RequestModel)
	}
	if !known {
		return
	}
	input := price.input(s)
	total := span.Amount(input + float64(max(s.OutputTokens, 0))*price.Output*1e3)
	if s.InputCost == span.NoTokens {
		s.InputCost = min(span.Amount(input), total)
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
	return max(genai.ParseCount(text), 0)
}
