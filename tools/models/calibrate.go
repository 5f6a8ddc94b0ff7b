// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

// scored is what a model gives for a text and whether that is right: the log
// odds of its class, and of several classes those of the likeliest.
type scored struct {
	odds, weight float64
	right        bool
}

const (
	// binned is the number of parts into which texts are put by their odds.
	binned = 24
	// doubt is the number of texts of a part that are taken to be as the whole
	// is, so that a part without mistakes is not taken to be without any.
	doubt = 2
	// surest bounds log odds that a curve can promise.
	surest = 6
)

// errAlike says that there is nothing to learn from: all are right, or none.
var errAlike = errors.New("all texts to calibrate on are alike")

// isotonic fits a rising curve from odds to the share that is right: parts of
// equal weight, of which neighbours that do not rise are joined (Zadrozny and
// Elkan 2002, https://doi.org/10.1145/775047.775151).
func isotonic(texts []scored) ([]linear.Knot, error) {
	slices.SortStableFunc(texts, func(a, b scored) int { return cmp.Compare(a.odds, b.odds) })
	total, right := 0.0, 0.0
	for _, t := range texts {
		total += t.weight
		if t.right {
			right += t.weight
		}
	}
	if right == 0 || right == total {
		return nil, errAlike
	}
	type part struct{ weight, right, odds float64 }
	var parts []part
	now := part{}
	for i, t := range texts {
		now.weight += t.weight
		now.odds += t.weight * t.odds
		if t.right {
			now.right += t.weight
		}
		if now.weight < total/binned && i < len(texts)-1 {
			continue
		}
		parts = append(parts, now)
		now = part{}
		for n := len(parts); n > 1 && parts[n-2].right/parts[n-2].weight >= parts[n-1].right/parts[n-1].weight; n-- {
			parts[n-2] = part{parts[n-2].weight + parts[n-1].weight, parts[n-2].right + parts[n-1].right, parts[n-2].odds + parts[n-1].odds}
			parts = parts[:n-1]
		}
	}
	var curve []linear.Knot
	for _, p := range parts {
		share := (p.right + doubt*right/total) / (p.weight + doubt)
		k := linear.Knot{Raw: float32(p.odds / p.weight), True: float32(min(surest, max(-surest, math.Log(share/(1-share)))))}
		if n := len(curve); n > 0 && (k.Raw-curve[n-1].Raw < 0.02 || k.True-curve[n-1].True < 0.02) {
			continue
		}
		curve = append(curve, k)
	}
	if len(curve) < 2 {
		return nil, errors.New("the odds say nothing about the class")
	}
	return curve, nil
}

// bend is how far from the point in log odds a curve is bent to it.
const bend = 1.6

// through bends a curve so that a share that holds, given as log odds, becomes
// even odds: verdicts are best from there on, though fewer than half of the
// texts there are of the class. Odds farther away than bend stay.
func through(curve []linear.Knot, point float64) []linear.Knot {
	if point == 0 {
		return curve
	}
	bent := func(t float64) float64 {
		low, high := math.Min(point, 0)-bend, math.Max(point, 0)+bend
		switch {
		case t <= low || t >= high:
			return t
		case t < point:
			return low + (t-low)*(0-low)/(point-low)
		default:
			return high - (high-t)*(high-0)/(high-point)
		}
	}
	// Knots where the bend begins, turns and ends.
	raw := func(t float64) (float64, bool) {
		for i := 1; i < len(curve); i++ {
			a, b := curve[i-1], curve[i]
			if t > float64(a.True) && t < float64(b.True) {
				return float64(a.Raw) + (t-float64(a.True))*float64(b.Raw-a.Raw)/float64(b.True-a.True), true
			}
		}
		return 0, false
	}
	knots := slices.Clone(curve)
	for _, t := range []float64{math.Min(point, 0) - bend, point, math.Max(point, 0) + bend} {
		if r, ok := raw(t); ok {
			knots = append(knots, linear.Knot{Raw: float32(r), True: float32(t)})
		}
	}
	slices.SortFunc(knots, func(a, b linear.Knot) int { return cmp.Compare(a.Raw, b.Raw) })
	var made []linear.Knot
	for _, k := range knots {
		k.True = float32(bent(float64(k.True)))
		if n := len(made); n > 0 && (k.Raw <= made[n-1].Raw || k.True <= made[n-1].True) {
			continue
		}
		made = append(made, k)
	}
	return made
}
