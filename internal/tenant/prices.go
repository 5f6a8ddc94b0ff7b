// SPDX-License-Identifier: Apache-2.0

package tenant

// Prices are what models cost an organization, by the names of the models.
type Prices map[string]ModelPrice

// ModelPrice is what a million tokens of a model cost, in US dollars. Cached input without
// a price of its own costs what any input does.
type ModelPrice struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
}
