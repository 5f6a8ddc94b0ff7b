// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Source says whose verdicts a request means, and how their values become categories.
type Source struct {
	// Name is that of the parameter, and By who it is narrowed to, as it was written.
	Name, By string
	// Field is the verdict: an output of an evaluator.
	Field  query.Field
	Source eval.EvaluationSource

	setup string // that of the evaluations; "" is any
	min   *float64
	// positive are the values that count as true, all others as false; nil is that
	// each value is a category of its own.
	positive []string
}

// maxCategory bounds a category, in characters.
const maxCategory = 200

// ReadSource reads the parameters <name>, <name>_by, <name>_min and <name>_true.
func ReadSource(ctx context.Context, setups Setups, env tenant.Environment, values url.Values, name string) (*Source, error) {
	metric := strings.TrimPrefix(values.Get(name), tenant.EvaluationPrefix)
	if metric == "" {
		return nil, fault.New(fault.Invalid, "%s is required: <slug>.<output>, or <source>:<name>.<output>", name)
	}
	if len(metric) > query.MaxFilterText {
		return nil, fault.New(fault.Invalid, "%s must be at most %d bytes long", name, query.MaxFilterText)
	}
	f, err := query.ParseVerdict(metric)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s must have the form <slug>.<output>, or <source>:<name>.<output>", name)
	}
	s := &Source{Name: name, By: values.Get(name + "_by"), Field: f}
	s.Source, _, _ = opinion.Source(f.Name)
	if s.By != "" {
		s.setup = opinion.Setup(s.Source, s.By)
		if s.Source == eval.FromTouchstone {
			setup, err := setups.Get(ctx, env.ID, s.By)
			if err != nil {
				return nil, err
			}
			s.setup = setup.ID
		}
	}
	return s, s.readCategories(values)
}

func (s *Source) readCategories(values url.Values) error {
	if text := values.Get(s.Name + "_min"); text != "" {
		n, ok := query.ParseNumber(text)
		if !ok {
			return fault.New(fault.Invalid, "%s_min must be a number", s.Name)
		}
		s.min = &n
	}
	if text := values.Get(s.Name + "_true"); text != "" {
		if s.min != nil {
			return fault.New(fault.Invalid, "%s_min and %s_true exclude each other", s.Name, s.Name)
		}
		s.positive = strings.Split(text, ",")
	}
	return nil
}

// Metric returns what the verdict is called, <slug>.<output>.
func (s *Source) Metric() string { return s.Field.Name + "." + s.Field.Output }

// Filters returns the filters that the outputs meet which the source gave.
func (s *Source) Filters() []query.Filter {
	list := []query.Filter{query.Equals(query.OfOutput(query.OutputEvaluator), s.Field.Name), query.Equals(query.OfOutput(query.OutputName), s.Field.Output)}
	if s.setup != "" {
		list = append(list, query.Equals(query.OfOutput(query.OutputSetup), s.setup))
	}
	return list
}

// Narrowed reports whether the source is one setup, author or identifier.
func (s *Source) Narrowed() bool { return s.setup != "" }

// Made reports whether the source made an evaluation.
func (s *Source) Made(e *eval.Evaluation) bool {
	return e.Evaluator == s.Field.Name && (s.setup == "" || e.SetupID == s.setup)
}

// IsTrue reports whether a value counts as true. The second result is false where the
// request does not say which values do.
func (s *Source) IsTrue(o eval.Output) (is, told bool) {
	switch {
	case s.min != nil:
		n, number := query.ParseNumber(o.Text())
		return number && n >= *s.min, true
	case s.positive != nil:
		return slices.Contains(s.positive, o.Text()), true
	}
	return false, false
}

// Category returns what a value counts as.
func (s *Source) Category(o eval.Output) string {
	if is, told := s.IsTrue(o); told {
		return strconv.FormatBool(is)
	}
	text, _ := textcut.Characters(o.Text(), maxCategory)
	return text
}
