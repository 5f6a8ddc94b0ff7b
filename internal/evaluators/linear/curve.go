// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"errors"
	"math"
)

// Knot is a point of a calibration curve: the log odds that a sum of weights
// gives, and the log odds that hold.
type Knot struct{ Raw, True float32 }

// maxKnots is the largest number of knots of a curve.
const maxKnots = 32

// Calibrate sets the model's curve, whose knots rise in both coordinates: a
// text that scores higher than another stays higher. Without one, log odds are
// taken as they are.
func (m *Model) Calibrate(curve []Knot) error {
	if len(curve) == 1 || len(curve) > maxKnots {
		return errors.New("a curve has 2 to 32 knots")
	}
	for i, k := range curve {
		for _, v := range []float32{k.Raw, k.True} {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return errors.New("a curve must be finite")
			}
		}
		if i > 0 && (k.Raw <= curve[i-1].Raw || k.True <= curve[i-1].True) {
			return errors.New("a curve must rise")
		}
	}
	m.curve = curve
	return nil
}

// calibrated returns the log odds that hold for those of a sum of weights:
// straight lines between the knots, and beyond them.
func (m *Model) calibrated(odds float64) float64 {
	if len(m.curve) == 0 || math.IsInf(odds, 0) {
		return odds
	}
	i := 1
	for i < len(m.curve)-1 && odds > float64(m.curve[i].Raw) {
		i++
	}
	a, b := m.curve[i-1], m.curve[i]
	slope := (float64(b.True) - float64(a.True)) / (float64(b.Raw) - float64(a.Raw))
	return float64(a.True) + float64(slope*(odds-float64(a.Raw)))
}
