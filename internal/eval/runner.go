// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
)

// runner is a definition with its schemas compiled.
type runner[In, Cfg, Out any] struct {
	Definition[In, Cfg, Out]

	input    *shape
	settings *shape
	output   *outputs
	variants []variant[In, Cfg, Out]
	choice   *choice // nil without variants
}

func (r *runner[In, Cfg, Out]) fromJSON(ctx context.Context, models Models, input, config json.RawMessage) (Result, error) {
	var in In
	if err := r.input.decode(input, reflect.ValueOf(&in).Elem()); err != nil {
		return Result{}, err
	}
	cfg, err := r.configure(config)
	if err != nil {
		return Result{}, err
	}
	wanted, err := r.choice.read(config)
	if err != nil {
		return Result{}, err
	}
	return r.judge(ctx, models, in, cfg, wanted, true)
}

func (r *runner[In, Cfg, Out]) prepare(config json.RawMessage) (judging, error) {
	cfg, err := r.configure(config)
	if err != nil {
		return nil, err
	}
	wanted, err := r.choice.read(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, models Models, get func(f *Field) (string, bool), anyLanguage bool) (Result, error) {
		var in In
		cut, err := r.input.fill(get, reflect.ValueOf(&in).Elem())
		if err != nil {
			return Result{}, err
		}
		result, err := r.judge(ctx, models, in, cfg, wanted, anyLanguage)
		result.Truncated = cut && err == nil
		return result, err
	}, nil
}

func (r *runner[In, Cfg, Out]) checkConfig(config json.RawMessage) error {
	cfg, err := r.configure(config)
	if err != nil {
		return err
	}
	if _, err := r.choice.read(config); err != nil {
		return err
	}
	if r.Check == nil {
		return nil
	}
	return r.Check(cfg)
}

func (r *runner[In, Cfg, Out]) configure(config json.RawMessage) (Cfg, error) {
	if len(config) == 0 && !r.settings.required {
		return r.Defaults, nil
	}
	cfg := r.Defaults
	if err := r.settings.decode(config, reflect.ValueOf(&cfg).Elem()); err != nil {
		return r.Defaults, err
	}
	return cfg, nil
}

// judge lets the best variant judge. Beside an error, the result tells what
// the models took or the language, and nothing else.
func (r *runner[In, Cfg, Out]) judge(
	ctx context.Context, models Models, in In, cfg Cfg, wanted string, anyLanguage bool,
) (Result, error) {
	chosen, err := r.choose(models, wanted)
	if err != nil {
		return Result{}, err
	}
	if chosen != nil {
		return r.judgeBy(ctx, chosen, models, in, cfg)
	}
	language, known := r.languageOf(in)
	if !known && !anyLanguage {
		return Result{Language: language}, &OtherLanguageError{r.Slug, language}
	}
	out, err := r.run(ctx, nil, models, in, cfg)
	if err != nil {
		return Result{}, err
	}
	values, err := r.values(&out)
	if err != nil {
		return Result{}, err
	}
	return Result{Outputs: values, Backend: r.Backend, Language: language}, nil
}

// judgeBy lets a variant judge, and a meter count what its models take.
func (r *runner[In, Cfg, Out]) judgeBy(ctx context.Context, chosen *variant[In, Cfg, Out], models Models, in In, cfg Cfg) (Result, error) {
	var meter Meter
	out, err := r.run(ctx, chosen, models.Metered(&meter), in, cfg)
	if err != nil {
		return Result{Usage: meter.Usage()}, err
	}
	values, err := r.values(&out)
	if err != nil {
		return Result{Usage: meter.Usage()}, err
	}
	result := Result{Outputs: values, Backend: chosen.backend, Version: chosen.version, Usage: meter.Usage()}
	result.Model, result.Cached = meter.Answered()
	return result, nil
}

func (r *runner[In, Cfg, Out]) values(out *Out) ([]Output, error) {
	values, err := r.output.values(reflect.ValueOf(out).Elem())
	if err != nil {
		return nil, fmt.Errorf("evaluator %s: %w", r.Slug, err)
	}
	return values, nil
}

// caught, when it is deferred, turns a panic into an error: one hostile text must not
// take the process and everybody's spans with it. The error does not tell what panicked
// with, since that may hold the text.
func (r *runner[In, Cfg, Out]) caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = fmt.Errorf("evaluator %s panicked: %w", r.Slug, p)
	default:
		*err = fmt.Errorf("evaluator %s panicked with a %T", r.Slug, p)
	}
}

// run judges, by the variant that was chosen or by the definition itself.
func (r *runner[In, Cfg, Out]) run(ctx context.Context, chosen *variant[In, Cfg, Out], models Models, in In, cfg Cfg) (out Out, err error) {
	defer r.caught(&err)
	if chosen != nil {
		return chosen.run(ctx, models, in, cfg)
	}
	return r.Run(ctx, in, cfg)
}
