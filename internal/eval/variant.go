// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Variant judges with models: those that it is declared for are not nil.
type Variant[In, Cfg, Out any] func(ctx context.Context, m Models, in In, cfg Cfg) (Out, error)

// variant is one way to judge, with the model that it needs.
type variant[In, Cfg, Out any] struct {
	backend Backend
	needs   string // the model, as refusals call it
	ready   func(m Models) bool
	version string
	run     Variant[In, Cfg, Out]
}

// variants returns the ways to judge that the definition has, the best first:
// models made for the task come before a language model that is asked about it.
func (d *Definition[In, Cfg, Out]) variants() []variant[In, Cfg, Out] {
	all := []variant[In, Cfg, Out]{
		{Classifier, "a classifier model", func(m Models) bool { return m.Classifier != nil }, "", d.ByClassifier},
		{Embedding, "an embedding model", func(m Models) bool { return m.Embedder != nil }, "", d.ByEmbedding},
		{Judge, "a judge model", func(m Models) bool { return m.Answerer != nil }, "", d.ByAnswer},
		{Judge, "a model that scores texts", func(m Models) bool { return m.Scorer != nil }, "", d.ByScore},
		{Judge, "a judge model", func(m Models) bool { return m.Judge != nil }, d.Version, d.ByJudge},
	}
	return slices.DeleteFunc(all, func(w variant[In, Cfg, Out]) bool { return w.run == nil })
}

// backends returns every backend that may judge, the best first: the first that is there judges
// if the choice is left to us.
func (r *runner[In, Cfg, Out]) backends() []Backend {
	var all []Backend
	for _, w := range r.variants {
		all = append(all, w.backend)
	}
	if r.Run != nil {
		all = append(all, r.Backend)
	}
	if r.OnRequest {
		all = slices.Insert(slices.DeleteFunc(all, func(b Backend) bool { return b == r.Backend }), 0, r.Backend)
	}
	return slices.Compact(all)
}

// choose returns the variant that is to judge when this backend is wanted, nil where
// Run is. The error is a fault of kind NotConfigured for a model that is not
// there.
func (r *runner[In, Cfg, Out]) choose(models Models, wanted string) (*variant[In, Cfg, Out], error) {
	if len(r.variants) == 0 {
		return nil, nil
	}
	var lacking *variant[In, Cfg, Out]
	for i := range r.variants {
		w := &r.variants[i]
		if wanted != string(w.backend) && (wanted != auto || r.OnRequest) {
			continue
		}
		if w.ready(models) {
			return w, nil
		}
		lacking = w
	}
	if r.Run != nil && (wanted == auto || wanted == string(r.Backend)) {
		return nil, nil
	}
	return nil, fault.New(fault.NotConfigured, "%s needs %s; configure one in the models extension", r.Slug, lacking.needs)
}

// cascades reports whether the variant is asked only about what Run is uncertain of.
func (r *runner[In, Cfg, Out]) cascades(chosen *variant[In, Cfg, Out], wanted string) bool {
	return r.Cascade && wanted == auto && chosen.version != "" // a judge's
}

func (r *runner[In, Cfg, Out]) plan(models Models, config json.RawMessage) (Plan, error) {
	if err := r.checkConfig(config); err != nil {
		return Plan{}, err
	}
	wanted, err := r.choice.read(config)
	if err != nil {
		return Plan{}, err
	}
	return r.chosen(models, wanted)
}

func (r *runner[In, Cfg, Out]) chosen(models Models, wanted string) (Plan, error) {
	chosen, err := r.choose(models, wanted)
	switch {
	case err != nil:
		return Plan{}, err
	case chosen == nil:
		return Plan{Backend: r.Backend}, nil
	case r.cascades(chosen, wanted):
		return Plan{Backend: r.Backend, Then: chosen.backend}, nil
	default:
		return Plan{Backend: chosen.backend, Deferred: true}, nil
	}
}

// auto is the backend of a caller who leaves the choice to us.
const auto = "auto"

// choice is the config field by which callers choose among variants.
type choice struct {
	shape *shape
	known []string
}

type choiceConfig struct {
	Backend string `json:"backend" doc:"What is to judge: auto is the best that is configured."`
}

// newChoice makes the field that stands next to those of an evaluator's own config.
func newChoice(own *shape, backends []Backend) (*choice, error) {
	c := &choice{known: []string{auto}}
	for _, b := range backends {
		c.known = append(c.known, string(b))
	}
	if own != nil && slices.ContainsFunc(own.members, func(m member) bool { return m.Name == "backend" }) {
		return nil, errors.New("config field backend is every evaluator's with variants")
	}
	var err error
	c.shape, err = newShape("config", reflect.TypeFor[choiceConfig](), reflect.ValueOf(choiceConfig{auto}))
	return c, err
}

func (c *choice) schema() []Field {
	if c == nil {
		return nil
	}
	fields := c.shape.schema()
	fields[0].Values = c.known
	return fields
}

// read returns the backend that a config asks for.
func (c *choice) read(config json.RawMessage) (string, error) {
	if c == nil || len(config) == 0 {
		return auto, nil
	}
	wanted := choiceConfig{auto}
	if err := c.shape.decode(config, reflect.ValueOf(&wanted).Elem()); err != nil {
		return "", err
	}
	if !slices.Contains(c.known, wanted.Backend) {
		return "", fault.New(fault.Invalid, "config.backend must be one of %s", strings.Join(c.known, ", "))
	}
	return wanted.Backend, nil
}
