// SPDX-License-Identifier: Apache-2.0

package linear

import "math"

// Alone is what a text that is one passage is given in log odds by models that tell such
// texts from others: in a text of many passages one is high by chance.
const Alone = 0.8

// OddsAlone returns Odds, and Alone more for a text that is one passage.
func (m *Model) OddsAlone(text string) float64 {
	s, _ := m.counters.Get().(*scorer)
	defer m.counters.Put(s)
	highest, passages := math.Inf(-1), 0
	s.counter.passages(text, func() {
		s.score(m)
		highest = max(highest, s.odds[0])
		passages++
	})
	if passages == 1 {
		highest += Alone
	}
	return highest
}

// ProbabilityAlone returns Probability by the odds of OddsAlone: the curve of the model was
// made of them.
func (m *Model) ProbabilityAlone(text string) float64 {
	return 1 / (1 + math.Exp(-m.calibrated(m.OddsAlone(text))))
}
