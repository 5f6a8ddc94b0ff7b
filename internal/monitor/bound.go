// SPDX-License-Identifier: Apache-2.0

package monitor

// MaxEvaluations is how many evaluations are made of one span, by all setups of
// its environment together, those that are older first.
const MaxEvaluations = 200

// Evaluations returns how many evaluations of one span the setups of an
// environment are sure to ask for, once the one with the ID of changed is, or
// there is besides, changed; nil changes nothing. Setups without a selector ask
// for theirs of every span, and one with a selector of those that it matches.
// That several selectors match the same span is not sure.
func Evaluations(setups []Setup, changed *Setup) int {
	all, most := 0, 0
	count := func(s *Setup) {
		if n := len(s.Evaluators); len(s.Selector) == 0 {
			all += n
		} else {
			most = max(most, n)
		}
	}
	for i := range setups {
		if changed == nil || setups[i].ID != changed.ID {
			count(&setups[i])
		}
	}
	if changed != nil {
		count(changed)
	}
	return all + most
}
