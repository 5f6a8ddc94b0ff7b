// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/openai/openai-go/v3"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// EmbedderSettings are the settings of an embedder behind an OpenAI-compatible server.
type EmbedderSettings struct {
	Server Server
	Model  string
	// Dimensions shortens vectors, with models that can; 0 leaves them.
	Dimensions int64
	// Batch is how many texts go into one request.
	Batch  int
	Prices Prices
	Cache  CacheLimits
}

// Embedder gives texts vectors.
type Embedder struct {
	settings EmbedderSettings
	guard    *Guard
	// run returns one vector per text. Its errors are failures.
	run     func(ctx context.Context, texts []string) (eval.Embeddings, eval.Usage, error)
	vectors *cache[eval.Embeddings]
}

var _ eval.EmbeddingModel = (*Embedder)(nil)

// NewEmbedder makes an embedder on an OpenAI-compatible server behind its guard.
func NewEmbedder(settings EmbedderSettings, guard *Guard) *Embedder {
	server := &openAIEmbedder{settings: settings, clock: guard.clock, service: openai.NewEmbeddingService(settings.Server.options(maxVectors)...)}
	return newEmbedder(settings, guard, server.exchange)
}

// NewLocalEmbedder makes an embedder in this process.
func NewLocalEmbedder(
	settings EmbedderSettings, guard *Guard, run func(ctx context.Context, texts []string) ([][]float64, error),
) *Embedder {
	return newEmbedder(settings, guard, func(ctx context.Context, texts []string) (eval.Embeddings, eval.Usage, error) {
		vectors, err := run(ctx, texts)
		return eval.Embeddings{Vectors: vectors, Model: settings.Model}, eval.Usage{}, err
	})
}

func newEmbedder(
	settings EmbedderSettings, guard *Guard, run func(context.Context, []string) (eval.Embeddings, eval.Usage, error),
) *Embedder {
	return &Embedder{
		settings: settings, guard: guard, run: run,
		vectors: newCache(guard, settings.Cache, func(e eval.Embeddings) int {
			n := len(e.Model)
			for _, v := range e.Vectors {
				n += 8*len(v) + 24
			}
			return n
		}),
	}
}

// Embed returns the vectors of texts, of which the cache keeps lists as they
// were asked for.
func (e *Embedder) Embed(ctx context.Context, texts []string) (eval.Embeddings, error) {
	if len(texts) == 0 {
		return eval.Embeddings{Model: e.settings.Model}, nil
	}
	texts = slices.Clone(texts)
	for i, text := range texts {
		if texts[i] = valid(text); text == "" {
			texts[i] = " " // Servers refuse to embed nothing.
		}
	}
	parts := append([]string{e.settings.Model, strconv.FormatInt(e.settings.Dimensions, 10)}, texts...)
	got, shared, err := e.vectors.do(ctx, keyOf(parts...), func(ctx context.Context) (eval.Embeddings, error) {
		return e.embed(ctx, texts)
	})
	e.guard.cacheLookup(ctx, KindEmbed, e.settings.Cache, shared)
	if shared {
		got.Cached, got.Usage = true, eval.Usage{}
	}
	return got, e.guard.public(err)
}

func (e *Embedder) embed(ctx context.Context, texts []string) (eval.Embeddings, error) {
	var all eval.Embeddings
	for batch := range slices.Chunk(texts, max(1, e.settings.Batch)) {
		tokens := 0
		for _, text := range batch {
			tokens += len(text)/4 + 1
		}
		got, used, err := send(ctx, e.guard, KindEmbed, tokens, func(ctx context.Context) (eval.Embeddings, eval.Usage, error) {
			return e.run(ctx, batch)
		})
		all.Usage = all.Usage.Add(used)
		if err != nil {
			return eval.Embeddings{Usage: all.Usage}, err
		}
		if len(got.Vectors) != len(batch) {
			return eval.Embeddings{Usage: all.Usage}, broken("%d texts got %d vectors", len(batch), len(got.Vectors))
		}
		all.Vectors, all.Model = append(all.Vectors, got.Vectors...), got.Model
	}
	if err := normalise(all.Vectors); err != nil {
		return eval.Embeddings{Usage: all.Usage}, err
	}
	return all, nil
}

// normalise gives every vector the length 1, in place; a zero vector stays.
// The error is about vectors of different dimensions or with numbers that are
// not finite.
func normalise(vectors [][]float64) error {
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return broken("vectors have %d and %d dimensions", len(vectors[0]), len(v))
		}
		// Scaled by the largest number first, so that no square overflows.
		largest := 0.0
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return broken("a vector has a number that is not finite")
			}
			largest = max(largest, math.Abs(x))
		}
		if largest == 0 {
			continue
		}
		sum := 0.0
		for i := range v {
			v[i] /= largest
			sum += v[i] * v[i]
		}
		length := math.Sqrt(sum)
		for i := range v {
			v[i] /= length
		}
	}
	return nil
}
