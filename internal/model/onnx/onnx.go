// SPDX-License-Identifier: Apache-2.0

// Package onnx runs transformer models inside the process, from files that the
// operator provides: a directory with the model in ONNX, tokenizer.json and
// config.json, as they are exported for text classification or for sentence
// embeddings. Nothing is ever fetched. The backend is pure Go, meant for
// small models.
package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/pipelines"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Settings name a model's files.
type Settings struct {
	// Path is the directory, File the model's name in it; "" if there is one.
	Path, File string
	// MaxTokens is how much of a text is read, at most what the model can; 0
	// is 512. The rest is cut off.
	MaxTokens int
}

const (
	defaultTokens = 512
	// bytesPerToken is more than the tokens of any text are long on average:
	// what is beyond it need not be looked at.
	bytesPerToken = 32
)

// Model is a model in memory.
type Model struct {
	loaded    *backends.Model
	maxTokens int

	// running is held by those that use the model, and for good by Close.
	running *sync.RWMutex
	session *hugot.Session // nil once closed
}

// Classifier is a model that gives labels.
type Classifier struct {
	Model
	run func(ctx context.Context, texts []string) ([]eval.Label, error)
	// pair is run with two texts, nil if the model has no separator to put between them.
	pair func(ctx context.Context, first, second string) ([]eval.Label, error)
}

// Embedder is a model that gives vectors.
type Embedder struct {
	Model
	run func(ctx context.Context, texts []string) ([]float64, error)
}

// OpenClassifier loads a model for text classification.
func OpenClassifier(ctx context.Context, s Settings, a model.Activation) (*Classifier, error) {
	session, err := open(ctx, s)
	if err != nil {
		return nil, err
	}
	activate := pipelines.WithSoftmax()
	if a == model.Sigmoid {
		activate = pipelines.WithSigmoid()
	}
	pipeline, err := guarded(func() (*classification, error) {
		return hugot.NewPipeline(session, hugot.TextClassificationConfig{
			ModelPath: s.Path, OnnxFilename: s.File, Name: "classifier",
			Options: []hugot.TextClassificationOption{pipelines.WithMultiLabel(), activate},
		})
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the classifier in %q: %w", s.Path, err), session.Destroy())
	}
	m, err := newModel(session, pipeline.GetModel(), s)
	if err != nil {
		return nil, errors.Join(err, session.Destroy())
	}
	return &Classifier{m, labels(pipeline), pairs(pipeline)}, nil
}

// OpenEmbedder loads a model for sentence embeddings: its first output is the
// vector of the text or, averaged here, the vectors of its tokens.
func OpenEmbedder(ctx context.Context, s Settings) (*Embedder, error) {
	session, err := open(ctx, s)
	if err != nil {
		return nil, err
	}
	pipeline, err := guarded(func() (*extraction, error) {
		return hugot.NewPipeline(session, hugot.FeatureExtractionConfig{ModelPath: s.Path, OnnxFilename: s.File, Name: "embedder"})
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the embedder in %q: %w", s.Path, err), session.Destroy())
	}
	m, err := newModel(session, pipeline.GetModel(), s)
	if err != nil {
		return nil, errors.Join(err, session.Destroy())
	}
	return &Embedder{m, vector(pipeline)}, nil
}

// open makes a session that pads texts to a few lengths: the backend compiles
// the model again for each length, and keeps all of them.
func open(ctx context.Context, s Settings) (*hugot.Session, error) {
	var lengths []int
	for n := 16; n < s.tokens(); n *= 2 {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, s.tokens())
	// The session lasts longer than the opening.
	return hugot.NewGoSession(context.WithoutCancel(ctx), options.WithGoMLXBatchBuckets([]int{1}), options.WithGoMLXSequenceBuckets(lengths))
}

func (s Settings) tokens() int {
	if s.MaxTokens > 0 {
		return s.MaxTokens
	}
	return defaultTokens
}

func newModel(session *hugot.Session, loaded *backends.Model, s Settings) (Model, error) {
	m := Model{session: session, loaded: loaded, maxTokens: s.tokens(), running: &sync.RWMutex{}}
	if n := loaded.MaxPositionEmbeddings; n > 0 {
		m.maxTokens = min(m.maxTokens, n)
	}
	names := backends.GetNames(loaded.InputsMeta)
	for _, input := range []string{"input_ids", "attention_mask"} {
		if !slices.Contains(names, input) {
			return Model{}, fmt.Errorf("the model in %q has no input %q", s.Path, input)
		}
	}
	return m, nil
}

// Close lets go of the model once it is no longer in use. It may be called
// again.
func (m *Model) Close() error {
	m.running.Lock()
	defer m.running.Unlock()
	if m.session == nil {
		return nil
	}
	session := m.session
	m.session = nil
	return session.Destroy()
}

var (
	errClosed  = errors.New("the model is closed")
	errNoPairs = errors.New("the model reads one text: its tokenizer has no separator")
)

// using calls with the model there.
func using[A any](m *Model, call func() (A, error)) (A, error) {
	m.running.RLock()
	defer m.running.RUnlock()
	if m.session == nil {
		var none A
		return none, errClosed
	}
	return guarded(call)
}

// Labels returns every label of a text, or of two that are read together, with its probability.
func (c *Classifier) Labels(ctx context.Context, texts ...string) ([]eval.Label, error) {
	return using(&c.Model, func() ([]eval.Label, error) {
		if len(texts) == 2 {
			return c.both(ctx, texts[0], texts[1])
		}
		text, err := c.cut(ctx, texts[0], c.maxTokens)
		if err != nil {
			return nil, err
		}
		return c.run(context.WithoutCancel(ctx), []string{text})
	})
}

// Pairs reports whether the model reads two texts together.
func (c *Classifier) Pairs() bool { return c.pair != nil }

// extraTokens is more than the special tokens around two texts.
const extraTokens = 6

// both reads two texts together. The second has at most half of the tokens, and the first the rest.
func (c *Classifier) both(ctx context.Context, first, second string) ([]eval.Label, error) {
	if c.pair == nil {
		return nil, errNoPairs
	}
	// What separates the texts may not stand in them.
	separator := strings.NewReplacer(c.loaded.SeparatorToken, " ")
	second, err := c.cut(ctx, separator.Replace(second), c.maxTokens/2)
	if err != nil {
		return nil, err
	}
	first, err = c.cut(ctx, separator.Replace(first), c.maxTokens-c.count(second)-extraTokens)
	if err != nil {
		return nil, err
	}
	return c.pair(context.WithoutCancel(ctx), first, second)
}

func (m *Model) count(text string) int {
	return len(m.loaded.Tokenizer.GoTokenizer.Tokenizer.Encode(text))
}

// Vectors returns a vector per text.
func (e *Embedder) Vectors(ctx context.Context, texts []string) ([][]float64, error) {
	return using(&e.Model, func() ([][]float64, error) {
		vectors := make([][]float64, len(texts))
		for i, text := range texts {
			text, err := e.cut(ctx, text, e.maxTokens)
			if err != nil {
				return nil, err
			}
			if vectors[i], err = e.run(context.WithoutCancel(ctx), []string{text}); err != nil {
				return nil, err
			}
		}
		return vectors, nil
	})
}

// cut shortens a text to so many tokens, which the tokenizer does not do
// by itself. It is the last place where a caller that went away is noticed: the
// backend cannot be stopped without leaving its memory to a run that still
// goes on.
func (m *Model) cut(ctx context.Context, text string, most int) (string, error) {
	most = max(most, 1)
	text = textcut.Bytes(text, most*bytesPerToken)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		tokens := m.count(text)
		if tokens <= most || text == "" {
			return text, nil
		}
		// In proportion, and a little more so that it ends soon.
		text = textcut.Bytes(text, len(text)*most/tokens*31/32)
	}
}

// errPanic stands for a panic of the backend, whose text may quote the input.
var errPanic = errors.New("the model panicked")

func guarded[A any](call func() (A, error)) (a A, err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return call()
}
