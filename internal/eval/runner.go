// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"

	"github.com/touchstone-otel/touchstone/internal/fault"
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

func (r *runner[In, Cfg, Out]) fromJSON(ctx context.Context, models Models, input, config json.RawMessage, anyLanguage bool) (Result, error) {
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
	return r.judge(ctx, models, in, cfg, wanted, anyLanguage)
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
		result.Truncated = (cut || result.Truncated) && err == nil
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

// judge lets the best variant judge: of a cascade the evaluator itself and, where it is
// not certain, the variant. With an error, the result has what the models took, and
// nothing else.
func (r *runner[In, Cfg, Out]) judge(
	ctx context.Context, models Models, in In, cfg Cfg, wanted string, anyLanguage bool,
) (Result, error) {
	chosen, err := r.choose(models, wanted)
	if err != nil {
		return Result{}, err
	}
	if chosen == nil || r.cascades(chosen, wanted) {
		result, err := r.judgeHere(ctx, models, in, cfg, anyLanguage)
		if chosen == nil || err != nil || !result.Uncertain {
			return result, err
		}
	}
	return r.judgeBy(ctx, chosen, models, in, cfg)
}

// judgeHere judges without models. A text in a language that is not known is uncertain,
// whatever is guessed of it, and even if nothing can be.
func (r *runner[In, Cfg, Out]) judgeHere(ctx context.Context, models Models, in In, cfg Cfg, anyLanguage bool) (Result, error) {
	language, known := r.languageOf(in)
	known = known || anyLanguage
	out, err := r.run(ctx, nil, models, in, cfg)
	if err != nil && (known || fault.KindOf(err) != fault.NotConfigured) {
		return Result{}, err
	}
	result, err := r.result(&out)
	if err != nil {
		return Result{}, err
	}
	result.Backend, result.Language = r.Backend, language
	if !known {
		result.Judged = Unsure(ReasonLanguage)
		result.meet(result.Outputs)
	}
	return result, nil
}

// judgeBy lets a variant judge, and a meter count what its models take.
func (r *runner[In, Cfg, Out]) judgeBy(ctx context.Context, chosen *variant[In, Cfg, Out], models Models, in In, cfg Cfg) (Result, error) {
	var meter Meter
	out, err := r.run(ctx, chosen, models.Metered(&meter), in, cfg)
	if err != nil {
		return Result{Usage: meter.Usage()}, err
	}
	result, err := r.result(&out)
	if err != nil {
		return Result{Usage: meter.Usage()}, err
	}
	result.Backend, result.Version, result.Usage = chosen.backend, chosen.version, meter.Usage()
	result.Model, result.Cached = meter.Answered()
	result.Truncated = meter.Cut()
	return result, nil
}

// result returns what an evaluator said.
func (r *runner[In, Cfg, Out]) result(out *Out) (Result, error) {
	said := reflect.ValueOf(out).Elem()
	values, err := r.output.values(said)
	if err != nil {
		return Result{}, fmt.Errorf("evaluator %s: %w", r.Slug, err)
	}
	result := Result{Outputs: values, Judged: r.output.beside(said)}
	result.meet(result.Outputs)
	return result, nil
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
