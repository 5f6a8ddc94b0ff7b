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
}

func (r *runner[In, Cfg, Out]) fromJSON(ctx context.Context, input, config json.RawMessage) (Result, error) {
	var in In
	if err := r.input.decode(input, reflect.ValueOf(&in).Elem()); err != nil {
		return Result{}, err
	}
	cfg, err := r.configure(config)
	if err != nil {
		return Result{}, err
	}
	return r.judge(ctx, in, cfg, false)
}

func (r *runner[In, Cfg, Out]) fromSpan(ctx context.Context, s Source, config json.RawMessage) (Result, error) {
	var in In
	cut, err := r.input.fill(s, reflect.ValueOf(&in).Elem())
	if err != nil {
		return Result{}, err
	}
	cfg, err := r.configure(config)
	if err != nil {
		return Result{}, err
	}
	return r.judge(ctx, in, cfg, cut)
}

func (r *runner[In, Cfg, Out]) checkConfig(config json.RawMessage) error {
	cfg, err := r.configure(config)
	if err != nil || r.Check == nil {
		return err
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

func (r *runner[In, Cfg, Out]) judge(ctx context.Context, in In, cfg Cfg, cut bool) (Result, error) {
	out, err := r.run(ctx, in, cfg)
	if err != nil {
		return Result{}, err
	}
	values, err := r.output.values(reflect.ValueOf(&out).Elem())
	if err != nil {
		return Result{}, fmt.Errorf("evaluator %s: %w", r.Slug, err)
	}
	return Result{Outputs: values, Backend: r.Backend, Truncated: cut}, nil
}

// run turns a panic into an error: one hostile text must not take the process
// and everybody's spans with it. The error does not tell what panicked with,
// since that may hold the text.
func (r *runner[In, Cfg, Out]) run(ctx context.Context, in In, cfg Cfg) (out Out, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("evaluator %s panicked: %w", r.Slug, p)
		default:
			err = fmt.Errorf("evaluator %s panicked with a %T", r.Slug, p)
		}
	}()
	return r.Run(ctx, in, cfg)
}
