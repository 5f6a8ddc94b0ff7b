// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"sync"
)

// Meter sums up what the models of one evaluation took, and notes which
// answered. The zero value is ready, and safe for concurrent use.
type Meter struct {
	// May, if it is not nil, is asked before a model is: its error is the model's.
	May func() error

	mu    sync.Mutex
	usage Usage
	model string // of the last answer
	asked bool   // an answer was not cached
	cut   bool   // a judge saw only a part of the texts
}

// may returns the error of a model that is not to be asked.
func (m *Meter) may() error {
	if m.May == nil {
		return nil
	}
	return m.May()
}

// Metered returns the same evaluator with m counting what its models take.
func (e *Evaluator) Metered(m *Meter) *Evaluator {
	with := *e
	if own, is := e.typed.(*customEvaluator); is {
		with.typed = own.metered(m)
	}
	if e.models == nil {
		return &with
	}
	with.models = func(slug string) Models { return e.models(slug).Metered(m) }
	return &with
}

// Usage is the sum so far.
func (m *Meter) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}

// Answered returns the model that answered last, "" if none did, and whether
// all answers were cached.
func (m *Meter) Answered() (model string, cached bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model, m.model != "" && !m.asked
}

// Cut reports whether a judge saw only a part of the texts.
func (m *Meter) Cut() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cut
}

// add notes a call: what it took and, unless it failed, who answered.
func (m *Meter) add(u Usage, model string, cached bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = m.usage.Add(u)
	if err == nil {
		m.model = model
		m.asked = m.asked || !cached
	}
}

// Metered returns the same models with m counting what their answers took.
func (s Models) Metered(m *Meter) Models {
	if s.Judge != nil {
		s.Judge = meteredJudge{s.Judge, m}
	}
	if s.Embedder != nil {
		s.Embedder = meteredEmbedder{s.Embedder, m}
	}
	if s.Classifier != nil {
		s.Classifier = meteredClassifier{s.Classifier, m}
	}
	if s.Answerer != nil {
		s.Answerer = meteredAnswerer{s.Answerer, m}
	}
	if s.Scorer != nil {
		s.Scorer = meteredScorer{s.Scorer, m}
	}
	return s
}

type meteredJudge struct {
	JudgeModel
	meter *Meter
}

func (j meteredJudge) Judge(ctx context.Context, q Question) (Verdict, error) {
	if err := j.meter.may(); err != nil {
		return Verdict{}, err
	}
	v, err := j.JudgeModel.Judge(ctx, q)
	j.meter.add(v.Usage, v.Model, v.Cached, err)
	if v.Cut {
		j.meter.mu.Lock()
		defer j.meter.mu.Unlock()
		j.meter.cut = true
	}
	return v, err
}

type meteredEmbedder struct {
	EmbeddingModel
	meter *Meter
}

func (e meteredEmbedder) Embed(ctx context.Context, texts []string) (Embeddings, error) {
	if err := e.meter.may(); err != nil {
		return Embeddings{}, err
	}
	v, err := e.EmbeddingModel.Embed(ctx, texts)
	e.meter.add(v.Usage, v.Model, v.Cached, err)
	return v, err
}

type meteredClassifier struct {
	ClassifierModel
	meter *Meter
}

func (c meteredClassifier) Classify(ctx context.Context, text string) (Classification, error) {
	if err := c.meter.may(); err != nil {
		return Classification{}, err
	}
	v, err := c.ClassifierModel.Classify(ctx, text)
	c.meter.add(v.Usage, v.Model, v.Cached, err)
	return v, err
}

func (c meteredClassifier) ClassifyPair(ctx context.Context, first, second string) (Classification, error) {
	if err := c.meter.may(); err != nil {
		return Classification{}, err
	}
	v, err := c.ClassifierModel.ClassifyPair(ctx, first, second)
	c.meter.add(v.Usage, v.Model, v.Cached, err)
	return v, err
}

type meteredAnswerer struct {
	AnswerModel
	meter *Meter
}

func (a meteredAnswerer) Answer(ctx context.Context, prompt string) (Answer, error) {
	if err := a.meter.may(); err != nil {
		return Answer{}, err
	}
	v, err := a.AnswerModel.Answer(ctx, prompt)
	a.meter.add(v.Usage, v.Model, v.Cached, err)
	return v, err
}

type meteredScorer struct {
	LogProbModel
	meter *Meter
}

func (s meteredScorer) LogProbs(ctx context.Context, text string) (LogProbs, error) {
	if err := s.meter.may(); err != nil {
		return LogProbs{}, err
	}
	v, err := s.LogProbModel.LogProbs(ctx, text)
	s.meter.add(v.Usage, v.Model, v.Cached, err)
	return v, err
}
