// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// slot is a directory in models_dir, and what the model in it serves.
type slot struct {
	name       string
	task       Task
	evaluators []string // empty: all
}

// slots are all that models_dir may hold.
func slots() []slot {
	return []slot{
		{"embeddings", TaskEmbed, nil},
		{"emotion", TaskClassify, []string{"tone-detection"}},
		{"entail", TaskClassify, readingPairs()},
		{"injection", TaskClassify, []string{"prompt-injection"}},
		{"toxicity", TaskClassify, []string{"toxicity-detector"}},
	}
}

// readingPairs are the evaluators whose classifier reads two texts together.
func readingPairs() []string { return []string{"faithfulness", "answer-correctness"} }

// directory opens the models in models_dir. One that the configuration names for the same use
// comes before the one of the directory.
func (o *opening) directory(ctx context.Context) error {
	dir := o.extension.cfg.ModelsDir
	if dir == "" {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf(`"models_dir": %w`, err)
	}
	for _, s := range slots() {
		c := defaultONNX()
		c.Task, c.Evaluators, c.Path = s.task, s.evaluators, filepath.Join(dir, s.name)
		if _, err := os.Stat(c.Path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if o.registry.serves(s) {
			o.extension.settings.Logger.Info("model of models_dir is not used, another is configured", zap.String("slot", s.name))
			continue
		}
		activation, err := activationOf(c.Path)
		if err != nil {
			return fmt.Errorf("%q: %w", "models_dir::"+s.name, err)
		}
		c.Activation = activation
		if err := o.onnx(ctx, "models_dir::"+s.name, s.name, c); err != nil {
			return err
		}
	}
	return nil
}

// serves reports whether there is a model already for what a slot is for.
func (r *registry) serves(s slot) bool {
	if s.task == TaskEmbed {
		return r.embedder.rest != nil
	}
	return r.classifier.to(s.evaluators[0]) != nil
}

// activationOf returns the activation of an exported classifier, by its config.json.
func activationOf(path string) (model.Activation, error) {
	text, err := os.ReadFile(filepath.Join(path, "config.json")) //nolint:gosec // below the operator's directory
	if err != nil {
		return "", err
	}
	var config struct {
		ProblemType string `json:"problem_type"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return "", fmt.Errorf("read config.json: %w", err)
	}
	if config.ProblemType == "multi_label_classification" {
		return model.Sigmoid, nil
	}
	return model.Softmax, nil
}
