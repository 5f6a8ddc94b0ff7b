// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// MaxConfig is how large the configuration of an evaluator in a setup may be,
// in bytes.
const MaxConfig = 64 << 10

// Check refuses, with a fault of kind Invalid, what is wrong about how the
// evaluator e is to run. The message names the element below path, such as
// path.input_mapping.text.regex. What only keeps e from running, say a model
// that is not configured, is no fault of the setup.
func (w *SetupEvaluator) Check(path string, e *eval.Evaluator) error {
	if len(w.Config) > MaxConfig {
		return fault.New(fault.Invalid, "%s.config must be at most %d bytes", path, MaxConfig)
	}
	if len(w.Config) > 0 {
		if err := e.CheckConfig(w.Config); err != nil {
			return fault.Wrap(fault.Invalid, err, "%s.%s", path, fault.Message(err))
		}
	}
	if err := w.checkBackend(path, e); err != nil {
		return err
	}
	// So written that it refuses what is no number.
	if w.SampleRate != 0 && !(w.SampleRate > 0 && w.SampleRate <= 1) {
		return fault.New(fault.Invalid, "%s.sample_rate must be above 0 and at most 1", path)
	}
	return w.checkInputs(path+".input_mapping", e)
}

func (w *SetupEvaluator) checkBackend(path string, e *eval.Evaluator) error {
	if w.Backend == "" {
		return nil
	}
	known := []string{backendAuto}
	for _, b := range e.Backends() {
		known = append(known, string(b))
	}
	if !slices.Contains(known, w.Backend) {
		return fault.New(fault.Invalid, "%s.backend must be one of %s", path, strings.Join(known, ", "))
	}
	return nil
}

func (w *SetupEvaluator) checkInputs(path string, e *eval.Evaluator) error {
	compiled, err := compileSources(path, w.Inputs)
	if err != nil {
		return err
	}
	for name := range compiled {
		named := func(f eval.Field) bool { return f.Name == name }
		if !slices.ContainsFunc(e.Input, named) {
			return fault.New(fault.Invalid, "%s.%.100s is not an input of %s", path, name, e.Slug)
		}
	}
	return nil
}
