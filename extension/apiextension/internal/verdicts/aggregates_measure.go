// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"math"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// measure is a number of every group: figures of the store, and what is made of
// them.
type measure struct {
	figures []query.Figure
	of      func(figures []query.Figure, values []query.Value) any
	at      int // where its figures begin
}

// value returns the number of a group, nil where there was nothing to measure.
func (m *measure) value(values []query.Value) any {
	end := m.at + len(m.figures)
	return m.of(m.figures, values[m.at:end])
}

// plain is a figure as it is.
func plain(f query.Figure) measure {
	return measure{figures: []query.Figure{f}, of: func(figures []query.Figure, values []query.Value) any {
		return number(&figures[0], values[0])
	}}
}

// dollars is a figure of billionths of a dollar.
func dollars(f query.Figure) measure {
	return measure{figures: []query.Figure{f}, of: func(figures []query.Figure, values []query.Value) any {
		if values[0].None {
			return nil
		}
		return finite(amount(&figures[0], values[0]) / span.PerDollar)
	}}
}

// ratio is one figure divided by another.
func ratio(above, below query.Figure) measure {
	return measure{figures: []query.Figure{above, below}, of: func(figures []query.Figure, values []query.Value) any {
		part, whole := amount(&figures[0], values[0]), amount(&figures[1], values[1])
		return finite(part / whole)
	}}
}

func number(f *query.Figure, v query.Value) any {
	switch {
	case v.None:
		return nil
	case f.IsReal():
		return finite(v.Real)
	}
	return v.Whole
}

// finite returns a number as JSON can have it.
func finite(n float64) any {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return nil
	}
	return n
}

// amount returns what a figure came to, whole or not.
func amount(f *query.Figure, v query.Value) float64 {
	if f.IsReal() {
		return v.Real
	}
	return float64(v.Whole)
}
