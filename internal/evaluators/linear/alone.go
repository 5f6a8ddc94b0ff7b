// SPDX-License-Identifier: Apache-2.0

package linear

// aloneOdds is what a text that is one passage is given in log odds by models that tell such
// texts from others: in a text of many passages one is high by chance.
const aloneOdds = 0.8

// OddsAlone returns Odds, and aloneOdds more for a text that is one passage.
func (m *Model) OddsAlone(text string) float64 {
	highest, passages := m.highest(text)
	if passages == 1 {
		highest += aloneOdds
	}
	return highest
}

// ProbabilityAlone returns Probability by the odds of OddsAlone: the curve of the model was
// made of them.
func (m *Model) ProbabilityAlone(text string) float64 {
	return m.probability(m.OddsAlone(text))
}
