// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// ClassifierSettings are the settings of a classifier.
type ClassifierSettings struct {
	// Server is where it is, without /predict; unused by one in this process.
	Server Server
	// Name is what answers call the model: the servers do not say.
	Name       string
	Activation Activation
	// Rename gives labels the names that evaluators know.
	Rename map[string]string
	Cache  CacheLimits
}

// Classifier gives texts labels.
type Classifier struct {
	settings ClassifierSettings
	guard    *Guard
	run      labeller
	classes  *cache[eval.Classification]
}

// labeller returns the labels of one text, or of two that are read together, and whether their
// scores are logits. Its errors are failures.
type labeller func(ctx context.Context, texts ...string) (labels []eval.Label, logits bool, err error)

var _ eval.ClassifierModel = (*Classifier)(nil)

// NewClassifier makes a classifier on a server of Text Embeddings Inference
// behind its guard.
func NewClassifier(settings ClassifierSettings, guard *Guard) *Classifier {
	server := &tei{server: settings.Server, client: bounded(settings.Server.Client, maxAnswer), raw: settings.Activation == Sigmoid, clock: guard.clock}
	return newClassifier(settings, guard, server.predict)
}

// NewLocalClassifier makes a classifier in this process; run gives probabilities for one text, or
// for two that are read together.
func NewLocalClassifier(
	settings ClassifierSettings, guard *Guard, run func(ctx context.Context, texts ...string) ([]eval.Label, error),
) *Classifier {
	return newClassifier(settings, guard, func(ctx context.Context, texts ...string) ([]eval.Label, bool, error) {
		labels, err := run(ctx, texts...)
		return labels, false, err
	})
}

func newClassifier(settings ClassifierSettings, guard *Guard, run labeller) *Classifier {
	return &Classifier{
		settings: settings, guard: guard, run: run,
		classes: newCache(guard, settings.Cache, func(c eval.Classification) int {
			n := len(c.Model)
			for _, l := range c.Labels {
				n += len(l.Name) + 24
			}
			return n
		}),
	}
}

// Classify scores a text. The model reads as much of it as it can.
func (c *Classifier) Classify(ctx context.Context, text string) (eval.Classification, error) {
	return c.classify(ctx, valid(text))
}

// ClassifyPair scores two texts that the model reads together, as much of them as it can.
func (c *Classifier) ClassifyPair(ctx context.Context, first, second string) (eval.Classification, error) {
	return c.classify(ctx, valid(first), valid(second))
}

func (c *Classifier) classify(ctx context.Context, texts ...string) (eval.Classification, error) {
	bytes := 0
	for _, t := range texts {
		bytes += len(t)
	}
	got, shared, err := c.classes.do(ctx, keyOf(texts...), func(ctx context.Context) (eval.Classification, error) {
		labels, _, err := send(ctx, c.guard, KindClassify, bytes/BytesPerToken+1, func(ctx context.Context) ([]eval.Label, eval.Usage, error) {
			labels, logits, err := c.run(ctx, texts...)
			if err == nil {
				labels, err = readLabels(labels, logits, c.settings.Activation, c.settings.Rename)
			}
			return labels, eval.Usage{}, err
		})
		if err != nil {
			return eval.Classification{}, err
		}
		return eval.Classification{Labels: labels, Model: c.settings.Name}, nil
	})
	c.guard.cacheLookup(ctx, KindClassify, c.settings.Cache, shared)
	got.Cached = shared
	return got, c.guard.public(err)
}
