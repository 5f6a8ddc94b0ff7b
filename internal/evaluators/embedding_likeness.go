// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// embeddingLikeness returns the cosine of a text's vector with those of others,
// 0 where it is negative or a vector has no direction.
func embeddingLikeness(ctx context.Context, m eval.Models, text string, others ...string) ([]float64, error) {
	embedded, err := m.Embedder.Embed(ctx, append([]string{text}, others...))
	if err != nil {
		return nil, err
	}
	if len(embedded.Vectors) != len(others)+1 {
		return nil, fault.New(fault.Unusable, "the embedding model did not embed every text")
	}
	likenesses := make([]float64, len(others))
	for i, v := range embedded.Vectors[1:] {
		if len(v) != len(embedded.Vectors[0]) {
			return nil, fault.New(fault.Unusable, "the embedding model gave vectors of different dimensions")
		}
		dot := 0.0
		for k, x := range embedded.Vectors[0] {
			dot += x * v[k]
		}
		likenesses[i] = unit(dot)
	}
	return likenesses, nil
}
