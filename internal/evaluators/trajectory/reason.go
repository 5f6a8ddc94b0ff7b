// SPDX-License-Identifier: Apache-2.0

package trajectory

import (
	"context"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

// reason tells what m found. It names tools and parameters but no values,
// which may be personal.
func (t *trajectory) reason(ctx context.Context, m matching, score float64, success bool) string {
	var parts []string
	placeless := t.matchPlaceless(ctx, m)
	unexpected := t.unexpected(m, placeless)
	full := 0
	for _, s := range m.alike {
		if s >= 1-noise {
			full++
		}
	}
	switch {
	case len(t.expected) == 0 && len(t.executed) == 0:
		return "No tool calls were expected and none were made."
	case len(t.expected) == 0:
		parts = append(parts, fmt.Sprintf("No tool calls were expected, %d made.", len(t.executed)))
	case full == 1 && len(t.expected) == 1:
		parts = append(parts, fmt.Sprintf("The expected tool call was made (%s).", t.mode()))
	case full == len(t.expected):
		parts = append(parts, fmt.Sprintf("All %d expected tool calls were made (%s).", full, t.mode()))
	default:
		parts = append(parts, fmt.Sprintf("%d of %d expected tool calls matched (%s).", full, len(t.expected), t.mode()))
	}
	missing, misplaced, different := t.faults(m, placeless)
	parts = appendItems(parts, "Missing: ", missing)
	parts = appendItems(parts, "Different parameters: ", different)
	parts = appendItems(parts, "Out of order: ", misplaced)
	switch {
	case len(t.expected) == 0 || t.cfg.Exact:
		parts = appendItems(parts, "Unexpected: ", unexpected)
	default:
		parts = appendItems(parts, "Unexpected, ignored: ", unexpected)
	}
	if !success {
		parts = append(parts, fmt.Sprintf("Score %.2f is below the threshold %.2f.", score, t.cfg.Threshold))
	}
	return strings.Join(parts, " ")
}

// mode tells how calls were compared.
func (t *trajectory) mode() string {
	order, params := "order ignored", "parameters compared"
	if t.cfg.Ordered {
		order = "order considered"
	}
	if !t.cfg.Params {
		params = "parameters ignored"
	}
	if t.cfg.Exact {
		params += ", exact match required"
	}
	return order + ", " + params
}

// faults lists what is wrong with the expected calls: those that were not made,
// those that were made but not in their place, and those with other parameters.
func (t *trajectory) faults(m, placeless matching) (missing, misplaced, different []string) {
	for i, e := range t.expected {
		switch {
		case m.of[i] < 0 && placeless.of[i] >= 0:
			misplaced = append(misplaced, wording.Shorten(e.name))
		case m.of[i] < 0:
			missing = append(missing, wording.Shorten(e.name))
		case m.alike[i] < 1-noise:
			keys := jsontext.Differing(e.params, t.executed[m.of[i]].params)
			for k := range keys {
				keys[k] = wording.Shorten(keys[k])
			}
			different = append(different, wording.Shorten(e.name)+" ("+wording.Items(keys)+")")
		}
	}
	return missing, misplaced, different
}

// matchPlaceless matches the expected calls that an ordered matching left over
// with the executed ones that it left over.
func (t *trajectory) matchPlaceless(ctx context.Context, m matching) matching {
	found := t.noMatch()
	if !t.cfg.Ordered {
		return found
	}
	rest := &trajectory{cfg: t.cfg}
	rest.cfg.Ordered = false
	var expected, executed []int // where the calls of rest are in t
	for i, e := range t.expected {
		if m.of[i] < 0 {
			rest.expected, expected = append(rest.expected, e), append(expected, i)
		}
	}
	used := t.used(m)
	for j, x := range t.executed {
		if !used[j] {
			rest.executed, executed = append(rest.executed, x), append(executed, j)
		}
	}
	left, err := rest.matchAny(ctx)
	if err != nil {
		return found // The caller has gone, and the reason has no reader.
	}
	for i, j := range left.of {
		if j >= 0 {
			found.of[expected[i]] = executed[j]
		}
	}
	return found
}

// used tells which executed calls stand for an expected one.
func (t *trajectory) used(matchings ...matching) []bool {
	used := make([]bool, len(t.executed))
	for _, m := range matchings {
		for _, j := range m.of {
			if j >= 0 {
				used[j] = true
			}
		}
	}
	return used
}

func (t *trajectory) unexpected(matchings ...matching) []string {
	var names []string
	for j, taken := range t.used(matchings...) {
		if !taken {
			names = append(names, wording.Shorten(t.executed[j].name))
		}
	}
	return names
}

func appendItems(parts []string, title string, names []string) []string {
	if len(names) == 0 {
		return parts
	}
	return append(parts, title+wording.Items(names)+".")
}
