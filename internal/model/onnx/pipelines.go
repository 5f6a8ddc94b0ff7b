// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"context"
	"errors"

	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/pipelines"
	"github.com/knights-analytics/hugot/util/vectorutil"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

type (
	classification = pipelines.TextClassificationPipeline
	extraction     = pipelines.FeatureExtractionPipeline
)

var errOutput = errors.New("the model gives something else than one result for a text")

func labels(p *classification) func(context.Context, []string) ([]eval.Label, error) {
	return func(ctx context.Context, texts []string) ([]eval.Label, error) {
		out, err := p.RunPipeline(ctx, texts)
		if err != nil {
			return nil, err
		}
		if len(out.ClassificationOutputs) != 1 {
			return nil, errOutput
		}
		labels := make([]eval.Label, len(out.ClassificationOutputs[0]))
		for i, l := range out.ClassificationOutputs[0] {
			labels[i] = eval.Label{Name: l.Label, Score: float64(l.Score)}
		}
		return labels, nil
	}
}

// pairs returns nil if the model's files name no token that separates two texts.
func pairs(p *classification) func(context.Context, string, string) ([]eval.Label, error) {
	if p.Model.SeparatorToken == "" {
		return nil
	}
	return func(ctx context.Context, first, second string) (labels []eval.Label, err error) {
		batch := backends.NewBatch(1)
		defer func() { err = errors.Join(err, batch.Destroy()) }()
		backends.TokenizeInputPairs(batch, p.Model.Tokenizer, [][2]string{{first, second}}, p.Model.SeparatorToken)
		if err := backends.CreateInputTensors(batch, p.Model, p.Runtime); err != nil {
			return nil, err
		}
		if err := backends.RunSessionOnBatch(ctx, batch, p.BasePipeline); err != nil {
			return nil, err
		}
		logits, ok := batch.OutputValues[0].([][]float32)
		if !ok || len(logits) != 1 {
			return nil, errOutput
		}
		for i, score := range vectorutil.SoftMax(logits[0]) { // exactly one label applies
			labels = append(labels, eval.Label{Name: p.Model.IDLabelMap[i], Score: float64(score)})
		}
		return labels, nil
	}
}

func vector(p *extraction) func(context.Context, []string) ([]float64, error) {
	return func(ctx context.Context, texts []string) ([]float64, error) {
		out, err := p.RunPipeline(ctx, texts)
		if err != nil {
			return nil, err
		}
		if len(out.Embeddings) != 1 {
			return nil, errOutput
		}
		v := make([]float64, len(out.Embeddings[0]))
		for i, x := range out.Embeddings[0] {
			v[i] = float64(x)
		}
		return v, nil
	}
}
