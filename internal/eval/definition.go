// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
)

// Definition is the source form of an evaluator. In, Cfg and Out are structs
// whose tags are the schema:
//
//	json  the name of the field, as clients write it
//	doc   what the field means, one sentence
//	need  "required": refused when missing or null; otherwise optional
//	span  the part of a span that fills the field (In only); see Source
//	whole "true": a cut text would be judged wrongly, so one over MaxText
//	      is refused on spans too (In only)
//	min, max  inclusive bounds of a number (Cfg only)
//
// Fields of In are string or JSONText. Fields of Cfg are string, bool,
// float64, int, int64 or JSONText. Fields of Out are string, bool, float64,
// int or int64, all always present in the answer.
type Definition[In, Cfg, Out any] struct {
	// Slug names the evaluator in paths, setups and attributes.
	Slug string
	// Doc says in a few sentences what is computed.
	Doc string
	// Backend is what Run computes with; "" is Deterministic.
	Backend Backend
	// Version is the version of the prompts that ByJudge asks with. It is part
	// of the result, since another prompt is another measure.
	Version string
	// Defaults are the values of config fields that a caller leaves out.
	Defaults Cfg
	// Check refuses a configuration that Run would refuse, so that a setup is
	// turned down when it is made and not on every span. It may be nil.
	Check func(cfg Cfg) error
	// Languages are those that Run can judge, in ISO 639-1; nil is any. Language
	// returns the language of the text to judge, "" where it is not clear. Either
	// both are given or neither.
	Languages []string
	Language  func(in In) string
	// Run judges without a model server; nil where nothing honest can be said
	// without one. What a caller can mend is a fault of kind Invalid that names
	// the field as "input.<field>" or "config.<field>". It must be safe for
	// concurrent use and depend on nothing but its arguments.
	Run func(ctx context.Context, in In, cfg Cfg) (Out, error)
	// Places returns what finds the places by which Run judges against a text, with
	// this configuration; nil where there are none to tell. A refusal is a fault of
	// kind Invalid that names the field as "config.<field>".
	Places func(cfg Cfg) (Finder, error)
	// Cascade says that Run is uncertain where it cannot know: if the choice is left to
	// us, a judge is asked about what Run is uncertain of, and about nothing else.
	Cascade bool
	// OnRequest says that a model judges only where config.backend names it: if the choice is
	// left to us, Run judges, so that no text waits for a model or goes to its server.
	OnRequest bool
	// These judge with models, under the same rules, and are nil where there
	// is no such variant. The first whose model is configured judges, before
	// Run, unless config.backend says otherwise. When it fails its error is the
	// outcome: no other variant is tried, for a verdict of one kind must not
	// pass for one of another.
	ByClassifier Variant[In, Cfg, Out] // of texts, or of pairs of them
	ByEmbedding  Variant[In, Cfg, Out]
	ByAnswer     Variant[In, Cfg, Out] // with Models.Answerer
	ByScore      Variant[In, Cfg, Out] // with Models.Scorer
	ByJudge      Variant[In, Cfg, Out]
	// Examples prove the definition; there is at least one.
	Examples []Example
}

// None is the Cfg of an evaluator that takes no configuration.
type None struct{}

// Example is one call and its answer. Tests run it, the documentation shows it.
type Example struct {
	About  string
	Input  string // a JSON object
	Config string // a JSON object, or "" for none
	// Judge are the answers of a judge, JSON objects in the order in which they
	// are asked for; empty without one.
	Judge []string
	// Want is the answer, a JSON object; Refused is the message of the
	// refusal instead. Exactly one of them is given.
	Want    string
	Refused string
}

var slugPattern = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// New closes a definition into an evaluator. The error lists everything that
// is wrong with the definition.
func New[In, Cfg, Out any](d Definition[In, Cfg, Out]) (*Evaluator, error) {
	var errs []error
	if !slugPattern.MatchString(d.Slug) {
		errs = append(errs, fmt.Errorf("slug %q is not lower-case words joined by hyphens", d.Slug))
	}
	if d.Doc == "" {
		errs = append(errs, errors.New("doc is missing"))
	}
	r := &runner[In, Cfg, Out]{Definition: d, variants: d.variants()}
	if d.Run == nil && len(r.variants) == 0 {
		errs = append(errs, errors.New("run is missing"))
	}
	if (d.ByJudge == nil) != (d.Version == "") {
		errs = append(errs, errors.New("a judge's prompts have a version, and nothing else has"))
	}
	if (d.Language == nil) != (len(d.Languages) == 0) || d.Language != nil && d.Run == nil {
		errs = append(errs, errors.New("languages need a run and a function that tells them"))
	}
	if d.Cascade && (d.Run == nil || d.ByJudge == nil) {
		errs = append(errs, errors.New("a cascade has a run and a judge"))
	}
	if d.OnRequest && (d.Run == nil || d.Cascade) {
		errs = append(errs, errors.New("models on request need a run, and are no cascade"))
	}
	switch {
	case d.Backend != "":
	case d.Run != nil:
		d.Backend = Deterministic
	case len(r.variants) > 0:
		d.Backend = r.variants[0].backend
	}
	r.Backend = d.Backend
	local, judged := splitExamples(d.Examples)
	errs = append(errs, checkExamples(d.Examples)...)
	if len(judged) > 0 && d.ByJudge == nil {
		errs = append(errs, errors.New("an example has answers of a judge that is not asked"))
	}
	var err error
	if r.input, err = newShape("input", reflect.TypeFor[In](), reflect.Value{}); err != nil {
		errs = append(errs, err)
	}
	if r.settings, err = newShape("config", reflect.TypeFor[Cfg](), reflect.ValueOf(&d.Defaults).Elem()); err != nil {
		errs = append(errs, err)
	}
	if r.output, err = newOutputs(reflect.TypeFor[Out]()); err != nil {
		errs = append(errs, err)
	}
	if len(r.variants) > 0 {
		if r.choice, err = newChoice(r.settings, r.backends()); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("evaluator %q: %w", d.Slug, err)
	}
	return &Evaluator{
		Slug: d.Slug, Doc: d.Doc, Backend: d.Backend, Version: d.Version, Languages: d.Languages, Examples: local, JudgeExamples: judged,
		Input: r.input.schema(), Config: append(r.settings.schema(), r.choice.schema()...), Output: r.output.fields,
		typed: r,
	}, nil
}

func splitExamples(examples []Example) (local, judged []Example) {
	for _, x := range examples {
		if len(x.Judge) > 0 {
			judged = append(judged, x)
		} else {
			local = append(local, x)
		}
	}
	return local, judged
}

func checkExamples(examples []Example) []error {
	if len(examples) == 0 {
		return []error{errors.New("an example is missing")}
	}
	var errs []error
	for i, e := range examples {
		if (e.Want == "") == (e.Refused == "") {
			errs = append(errs, fmt.Errorf("example %d needs one of want and refused", i+1))
		}
		for _, text := range append([]string{e.Input, e.Config, e.Want}, e.Judge...) {
			var object map[string]any
			if text == "" {
				continue
			}
			if err := json.Unmarshal([]byte(text), &object); err != nil {
				errs = append(errs, fmt.Errorf("example %d: %q: %w", i+1, text, err))
			}
		}
	}
	return errs
}
