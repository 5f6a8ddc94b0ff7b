// SPDX-License-Identifier: Apache-2.0

// Package prices says what calls of models cost by their tokens.
package prices

import (
	"maps"
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
	own  map[string]Price
	list List
}

// New returns the table of prices by the names of models, in front of list prices.
func New(own map[string]Price, list List) *Table { return &Table{own: own, list: list} }

// With returns the table with other prices in front of its own.
func (t *Table) With(own map[string]Price) *Table {
	all := maps.Clone(t.own)
	if all == nil {
		all = make(map[string]Price, len(own))
	}
	maps.Copy(all, own)
	return New(all, t.list)
}

// Of returns a price of which cached input costs what any input does where it has no price
// of its own.
func Of(input, output float64, cacheRead, cacheWrite *float64) Price {
	orInput := func(dollars *float64) float64 {
		if dollars == nil {
			return -1
		}
		return *dollars
	}
	return Price{Input: input, Output: output, CacheRead: orInput(cacheRead), CacheWrite: orInput(cacheWrite)}
}

// Clients send names of any kind. A price is looked for of names with at most so many
// bytes, and so many providers, regions and makers in front.
const (
	longestModel = 256
	maxMakers    = 8
)

// of returns the price of a model that a provider calls with an input of so many tokens.
// It looks for the longest name with which the model begins before a version: "gpt-4o"
// for "openai/gpt-4o-2024-08-06". Providers before slashes, and regions and makers in
// names of Amazon Bedrock, may be left out of the name.
func (t *Table) of(model, provider string, input int64) (Price, bool) {
	if len(model) > longestModel {
		return Price{}, false
	}
	offered := t.list
	if hosts[provider] {
		offered = nil
	}
	for range maxMakers {
		for name := model; name != ""; name = name[:max(strings.LastIndexAny(name, "-@:"), 0)] {
			if price, known := t.own[name]; known {
				return price, true
			}
			if bySize, known := offered[name]; known && (name == model || Version.MatchString(model[len(name):])) {
				return sized(bySize, input), true
			}
		}
		before, rest, is := strings.Cut(model, "/")
		if is && hosts[before] {
			offered = nil
		}
		if !is {
			before, rest, is = strings.Cut(model, ".")
			is = is && !strings.ContainsAny(before, "0123456789") // "us.anthropic.claude", not "gpt-4.1"
		}
		if !is {
			break
		}
		model = rest
	}
	return Price{}, false
}

// Fill fills in what a span cost by its tokens, unless the span says it, its model has
// no price, or its tokens are those of spans within it.
func (t *Table) Fill(s *span.Span) {
	if s.Repeats() || s.Cost != span.NoTokens || s.InputTokens == span.NoTokens && s.OutputTokens == span.NoTokens {
		return
	}
	in := inputOf(s)
	price, known := t.of(s.ResponseModel, s.Vendor, in.all())
	if !known {
		price, known = t.of(s.RequestModel, s.Vendor, in.all())
	}
	if !known {
		return
	}
	input := price.input(&in)
	total := span.Amount(input + float64(max(s.OutputTokens, 0))*price.Output*perToken)
	if s.InputCost == span.NoTokens {
		s.InputCost = min(span.Amount(input), total)
	}
	s.Cost = total
}

// perToken makes billionths a token of dollars for a million of them.
const perToken = 1e3

// input is how many tokens a call read: from a cache, into one, and other ones.
type input struct{ plain, read, written int64 }

func (in *input) all() int64 { return in.plain + in.read + in.written }

// inputOf returns the input of a span. Most conventions count cached tokens among the
// input. An SDK does not if they are more than it, or if only their sum with it and the
// output gives the total.
func inputOf(s *span.Span) input {
	in := input{max(s.InputTokens, 0), aliasCount(s, semconv.CacheTokens), aliasCount(s, semconv.CacheWriteTokens)}
	cached := in.read + in.written
	apart := in.read > in.plain || in.written > in.plain-in.read || cached > 0 && s.TotalTokens == in.all()+max(s.OutputTokens, 0)
	if !apart {
		in.plain -= cached
	}
	return in
}

// input returns what the input cost, in billionths.
func (price *Price) input(in *input) float64 {
	each := func(dollars float64) float64 {
		if dollars < 0 {
			return price.Input
		}
		return dollars
	}
	return (float64(in.plain)*price.Input + float64(in.read)*each(price.CacheRead) + float64(in.written)*each(price.CacheWrite)) * perToken
}

// aliasCount returns a count that the span's attributes have, 0 where they do not.
func aliasCount(s *span.Span, k semconv.Attribute) int64 {
	text, _ := s.Attributes.Get(k.Name())
	return max(genai.ParseCount(text), 0)
}
