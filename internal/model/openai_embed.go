// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// openAIEmbedder is the embeddings API of a server:
// https://platform.openai.com/docs/api-reference/embeddings/create.
type openAIEmbedder struct {
	settings EmbedderSettings
	clock    Clock
	service  openai.EmbeddingService
}

func (e *openAIEmbedder) exchange(ctx context.Context, texts []string) (eval.Embeddings, eval.Usage, error) {
	params := openai.EmbeddingNewParams{
		Model:          e.settings.Model,
		Input:          openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
		EncodingFormat: openai.EmbeddingNewParamsEncodingFormatFloat,
	}
	if e.settings.Dimensions > 0 {
		params.Dimensions = param.NewOpt(e.settings.Dimensions)
	}
	res, err := exchange(ctx, e.clock, func(ctx context.Context, into option.RequestOption) (*openai.CreateEmbeddingResponse, error) {
		return e.service.New(ctx, params, into)
	})
	if err != nil {
		return eval.Embeddings{}, eval.Usage{}, err
	}
	used := e.settings.Prices.Of(e.settings.Model, res.Usage.PromptTokens, 0)
	if len(res.Data) != len(texts) {
		return eval.Embeddings{}, used, broken("%d texts got %d vectors", len(texts), len(res.Data))
	}
	vectors := make([][]float64, len(texts))
	for _, d := range res.Data {
		if d.Index < 0 || d.Index >= int64(len(vectors)) || vectors[d.Index] != nil {
			return eval.Embeddings{}, used, broken("a vector has a wrong index")
		}
		if len(d.Embedding) == 0 {
			return eval.Embeddings{}, used, broken("a vector is empty")
		}
		vectors[d.Index] = d.Embedding
	}
	return eval.Embeddings{Vectors: vectors, Model: cleanName(res.Model, e.settings.Model)}, used, nil
}
