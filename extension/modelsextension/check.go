// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric/noop"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// examplesOfSlots are lines of JSON, each an example.
//
//go:embed examples.jsonl
var examplesOfSlots []byte

// example is a call of an evaluator that uses the model of a slot, and the answer that most people
// would give.
type example struct {
	Slot, Evaluator, Output string
	Input                   json.RawMessage
	Want                    any // a number of the output is true from 0.5 on
}

// Checked is the result of a check of the model in a slot.
type Checked struct {
	Slot             string
	Examples, Agreed int
	// Median and Slowest are durations of evaluations with a model that has seen texts of the
	// same length: the first takes longer.
	Median, Slowest time.Duration
}

// Check opens the models in a directory as a start does, and evaluates the examples of their slots.
func Check(ctx context.Context, dir string) (checked []Checked, err error) {
	e, err := newExtension(&Config{ModelsDir: dir}, component.TelemetrySettings{Logger: zap.NewNop(), MeterProvider: noop.NewMeterProvider()})
	if err != nil {
		return nil, err
	}
	if err := e.Start(ctx, nil); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Shutdown(ctx)) }()
	examples := map[string][]example{}
	for lines := json.NewDecoder(bytes.NewReader(examplesOfSlots)); ; {
		var x example
		if err := lines.Decode(&x); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		examples[x.Slot] = append(examples[x.Slot], x)
	}
	for _, s := range slots() {
		if !e.registry.serves(s) {
			continue
		}
		one, err := e.check(ctx, s.name, examples[s.name])
		if err != nil {
			return nil, fmt.Errorf("check the model in slot %q: %w", s.name, err)
		}
		checked = append(checked, one)
	}
	return checked, nil
}

// check evaluates the examples of a slot twice and measures the second time.
func (e *modelsExtension) check(ctx context.Context, name string, examples []example) (Checked, error) {
	c := Checked{Slot: name, Examples: len(examples)}
	var durations []time.Duration
	for _, x := range examples {
		evaluator, ok := evaluators.Catalog().Get(x.Evaluator)
		if !ok {
			return c, fmt.Errorf("there is no evaluator %q", x.Evaluator)
		}
		evaluator = evaluator.With(e.Models(x.Evaluator))
		if _, err := evaluator.FromJSON(ctx, x.Input, nil); err != nil {
			return c, err
		}
		e.ForgetAnswers()
		began := time.Now()
		result, err := evaluator.FromJSON(ctx, x.Input, nil)
		if err != nil {
			return c, err
		}
		durations = append(durations, time.Since(began))
		for _, o := range result.Outputs {
			value := o.Value
			if score, ok := value.(float64); ok {
				value = score >= 0.5
			}
			if o.Name == x.Output && value == x.Want {
				c.Agreed++
			}
		}
	}
	slices.Sort(durations)
	c.Median, c.Slowest = durations[len(durations)/2], durations[len(durations)-1]
	return c, nil
}
