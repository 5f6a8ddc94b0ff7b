// SPDX-License-Identifier: Apache-2.0

// Package trajectory compares the tool calls that an agent made with those that it should
// have made.
package trajectory

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	// maxAssignment is the largest group of calls of one name for which the
	// best pairs are sought; above it the most alike pair is taken first.
	maxAssignment = 64
	// maxComparisons bounds the members of parameters that are looked at.
	maxComparisons = 5_000_000
)

// call is a tool call made ready to be compared.
type call struct {
	name   string
	params *jsontext.Node
}

// Options say how two trajectories are compared.
type Options struct {
	Threshold float64 // the score from which the trajectory succeeds
	Exact     bool    // any missing, unexpected or different call makes the score 0
	Ordered   bool    // calls must come in the expected order
	Params    bool    // the parameters of the calls are compared too, not only the names
}

// Result is what a comparison found.
type Result struct {
	Reason  string
	Score   float64
	Success bool
}

// noise forgives what floating point loses in sums such as 1/3 + 1/3.
const noise = 1e-9

// Compare compares the calls that were made with those that were expected. It fails with
// TooLarge on calls with too many parameters to compare with each other.
func Compare(ctx context.Context, expected, executed Calls, how Options) (Result, error) {
	t := newTrajectory(expected, executed, how)
	if t.effort() > maxComparisons {
		return Result{}, fault.New(fault.TooLarge,
			"input.executed_tool_calls and input.expected_tool_calls have too many parameters to compare with each other")
	}
	m, err := t.match(ctx)
	if err != nil {
		return Result{}, err
	}
	score := t.score(m)
	success := score >= how.Threshold-noise
	return Result{Reason: t.reason(ctx, m, score, success), Score: score, Success: success}, nil
}

// trajectory is what was expected and what was executed.
type trajectory struct {
	expected, executed []call
	cfg                Options
}

// matching says for each expected call which executed one stands for it.
type matching struct {
	of    []int     // index of the executed call, or -1
	alike []float64 // how far it is the expected one, 0 without
}

func newTrajectory(expected, executed Calls, cfg Options) *trajectory {
	in := jsontext.NewInterner()
	ready := func(calls Calls) []call {
		made := make([]call, len(calls))
		for i, c := range calls {
			made[i] = call{c.Name, in.Node(c.Params)}
		}
		return made
	}
	return &trajectory{ready(expected), ready(executed), cfg}
}

// effort is an upper bound of the members that match looks at.
func (t *trajectory) effort() int {
	if !t.cfg.Params {
		return len(t.expected) * len(t.executed)
	}
	type group struct{ calls, members int }
	executed := make(map[string]group)
	for _, x := range t.executed {
		g := executed[x.name]
		executed[x.name] = group{g.calls + 1, g.members + x.params.Size}
	}
	sum := len(t.expected) * len(t.executed)
	for _, e := range t.expected {
		g := executed[e.name]
		sum += g.calls*e.params.Size + g.members
	}
	return sum
}

// similarity tells how far executed call x is the expected call e.
func (t *trajectory) similarity(e, x call) float64 {
	switch {
	case e.name != x.name:
		return 0
	case !t.cfg.Params || e.params.ID == x.params.ID:
		return 1
	case t.cfg.Exact:
		return 0
	default:
		return jsontext.Alike(e.params, x.params)
	}
}

// score is the share of the expected calls that m has.
func (t *trajectory) score(m matching) float64 {
	expected, executed := len(t.expected), len(t.executed)
	switch {
	case expected == 0 && executed == 0:
		return 1
	case expected == 0:
		return 0
	}
	sum := 0.0
	for _, s := range m.alike {
		sum += s
	}
	if t.cfg.Exact {
		if expected == executed && sum >= float64(expected)-noise {
			return 1
		}
		return 0
	}
	return min(sum/float64(expected), 1)
}

func (t *trajectory) match(ctx context.Context) (matching, error) {
	switch {
	case t.cfg.Ordered && t.cfg.Exact:
		return t.matchPositions(), nil
	case t.cfg.Ordered:
		return t.matchOrdered(ctx)
	default:
		return t.matchAny(ctx)
	}
}

func (t *trajectory) noMatch() matching {
	m := matching{make([]int, len(t.expected)), make([]float64, len(t.expected))}
	for i := range m.of {
		m.of[i] = -1
	}
	return m
}

// matchPositions pairs the calls that stand at one position.
func (t *trajectory) matchPositions() matching {
	m := t.noMatch()
	for i := range min(len(t.expected), len(t.executed)) {
		if s := t.similarity(t.expected[i], t.executed[i]); s > 0 {
			m.of[i], m.alike[i] = i, s
		}
	}
	return m
}

// matchOrdered finds the heaviest common subsequence of the two lists.
func (t *trajectory) matchOrdered(ctx context.Context) (matching, error) {
	m := t.noMatch()
	rows, columns := len(t.expected), len(t.executed)
	weights := make([][]float64, rows+1)
	for i := range weights {
		weights[i] = make([]float64, columns+1)
	}
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		for j := range columns {
			best := max(weights[i][j+1], weights[i+1][j])
			if s := t.similarity(t.expected[i], t.executed[j]); s > 0 {
				best = max(best, weights[i][j]+s)
			}
			weights[i+1][j+1] = best
		}
	}
	for i, j := rows, columns; i > 0 && j > 0; {
		switch weights[i][j] {
		case weights[i-1][j]:
			i--
		case weights[i][j-1]:
			j--
		default:
			i--
			j--
			m.of[i], m.alike[i] = j, t.similarity(t.expected[i], t.executed[j])
		}
	}
	return m, nil
}

// matchAny finds the pairs whose similarities add up to the most, whatever
// their order. Only calls of one name can be pairs, so each name is a problem
// of its own.
func (t *trajectory) matchAny(ctx context.Context) (matching, error) {
	m := t.noMatch()
	executed := make(map[string][]int)
	for j, x := range t.executed {
		executed[x.name] = append(executed[x.name], j)
	}
	expected := make(map[string][]int)
	var names []string
	for i, e := range t.expected {
		if len(executed[e.name]) == 0 {
			continue
		}
		if expected[e.name] == nil {
			names = append(names, e.name)
		}
		expected[e.name] = append(expected[e.name], i)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		t.matchGroup(m, expected[name], executed[name])
	}
	return m, nil
}

// matchGroup pairs expected and executed calls, given by index, of one name.
func (t *trajectory) matchGroup(m matching, expected, executed []int) {
	similar := make([][]float64, len(expected))
	for a, i := range expected {
		similar[a] = make([]float64, len(executed))
		for b, j := range executed {
			similar[a][b] = t.similarity(t.expected[i], t.executed[j])
		}
	}
	var of []int
	if max(len(expected), len(executed)) <= maxAssignment {
		of = assign(similar)
	} else {
		of = assignGreedily(similar)
	}
	for a, b := range of {
		if b >= 0 && similar[a][b] > 0 {
			m.of[expected[a]], m.alike[expected[a]] = executed[b], similar[a][b]
		}
	}
}

// assignGreedily takes the heaviest pair whose row and column are free, over
// and over. It gives the column of each row, or -1.
func assignGreedily(weights [][]float64) []int {
	type pair struct {
		row, column int32
		weight      float64
	}
	of := make([]int, len(weights))
	taken := make(map[int]bool)
	// Pairs of weight 1 come first whatever the order, so they need no sorting.
	for i, row := range weights {
		of[i] = -1
		for j, w := range row {
			if w == 1 && !taken[j] {
				of[i], taken[j] = j, true
				break
			}
		}
	}
	var pairs []pair
	for i, row := range weights {
		for j, w := range row {
			if w > 0 && of[i] < 0 && !taken[j] {
				pairs = append(pairs, pair{int32(i), int32(j), w})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column))
	})
	for _, p := range pairs {
		if of[p.row] < 0 && !taken[int(p.column)] {
			of[p.row], taken[int(p.column)] = int(p.column), true
		}
	}
	return of
}
