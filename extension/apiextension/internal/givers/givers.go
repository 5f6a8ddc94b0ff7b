// SPDX-License-Identifier: Apache-2.0

// Package givers reads from the parameters of a request whose verdicts are meant,
// and how their values become categories.
package givers

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Setups is the part of store.Control that is needed here, under the contract of its
// collection.
type Setups interface {
	Get(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error)
}

// Giver gives verdicts.
type Giver struct {
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

// Read reads the parameters <name>, <name>_by, <name>_min and <name>_true.
func Read(ctx context.Context, setups Setups, env tenant.Environment, values url.Values, name string) (*Giver, error) {
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
	g := &Giver{Name: name, By: values.Get(name + "_by"), Field: f}
	g.Source, _, _ = opinion.Source(f.Name)
	if g.By != "" {
		g.setup = opinion.Setup(g.Source, g.By)
		if g.Source == eval.FromTouchstone {
			setup, err := setups.Get(ctx, env.ID, g.By)
			if err != nil {
				return nil, err
			}
			g.setup = setup.ID
		}
	}
	return g, g.readCategories(values)
}

func (g *Giver) readCategories(values url.Values) error {
	if text := values.Get(g.Name + "_min"); text != "" {
		n, ok := query.ParseNumber(text)
		if !ok {
			return fault.New(fault.Invalid, "%s_min must be a number", g.Name)
		}
		g.min = &n
	}
	if text := values.Get(g.Name + "_true"); text != "" {
		if g.min != nil {
			return fault.New(fault.Invalid, "%s_min and %s_true exclude each other", g.Name, g.Name)
		}
		g.positive = strings.Split(text, ",")
	}
	return nil
}

// Metric returns what the verdict is called, <slug>.<output>.
func (g *Giver) Metric() string { return g.Field.Name + "." + g.Field.Output }

// Filters returns the filters that the outputs meet which the giver gave.
func (g *Giver) Filters() []query.Filter {
	equals := func(name, value string) query.Filter {
		return query.Filter{Field: query.Field{Kind: query.FieldOutput, Name: name}, Operator: query.OpEquals, Value: value}
	}
	list := []query.Filter{equals(query.OutputEvaluator, g.Field.Name), equals(query.OutputName, g.Field.Output)}
	if g.setup != "" {
		list = append(list, equals(query.OutputSetup, g.setup))
	}
	return list
}

// Narrowed reports whether the giver is one setup, author or identifier.
func (g *Giver) Narrowed() bool { return g.setup != "" }

// Made reports whether the giver made an evaluation.
func (g *Giver) Made(e *eval.Evaluation) bool {
	return e.Evaluator == g.Field.Name && (g.setup == "" || e.SetupID == g.setup)
}

// IsTrue reports whether a value counts as true; told is false where the request
// does not say which do.
func (g *Giver) IsTrue(o eval.Output) (is, told bool) {
	switch {
	case g.min != nil:
		n, number := query.ParseNumber(o.Text())
		return number && n >= *g.min, true
	case g.positive != nil:
		return slices.Contains(g.positive, o.Text()), true
	}
	return false, false
}

// Category returns what a value counts as.
func (g *Giver) Category(o eval.Output) string {
	if is, told := g.IsTrue(o); told {
		return strconv.FormatBool(is)
	}
	text, _ := textcut.Characters(o.Text(), maxCategory)
	return text
}
