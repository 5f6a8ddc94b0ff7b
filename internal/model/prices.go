// SPDX-License-Identifier: Apache-2.0

package model

import "github.com/touchstone-otel/touchstone/internal/eval"

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Prompt, Completion float64
}

// Prices are prices by the name of the model, as requests spell it.
type Prices map[string]Price

// Of returns what tokens cost with a model.
func (p Prices) Of(model string, prompt, completion int64) eval.Usage {
	price, priced := p[model]
	prompt, completion = max(0, prompt), max(0, completion)
	return eval.Usage{
		PromptTokens:     prompt,
		CompletionTokens: completion,
		Cost:             (float64(prompt)*price.Prompt + float64(completion)*price.Completion) / 1e6,
		Unpriced:         !priced && prompt+completion > 0,
	}
}
