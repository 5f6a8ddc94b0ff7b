// SPDX-License-Identifier: Apache-2.0

package quantities

import (
	"maps"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// unit is what a number counts: a measure, and how many of the smallest unit of its
// measure it has.
type unit struct {
	measure string
	size    float64
	stem    string
}

// measures are units by what they measure, the same one in several words.
var measures = map[string][]struct {
	words string
	size  float64
}{
	"length": {{"mm millimetre millimetres millimeter millimeters", 1}, {"cm centimetre centimetres centimeter centimeters", 10}, {"metre metres meter meters", 1000}, {"km kilometre kilometres kilometer kilometers", 1e6}},
	"mass":   {{"mg milligram milligrams", 1}, {"gram grams", 1000}, {"kg kilo kilos kilogram kilograms", 1e6}, {"tonne tonnes", 1e9}},
	"volume": {{"ml millilitre millilitres milliliter milliliters", 1}, {"cl centilitre centilitres centiliter centiliters", 10}, {"litre litres liter liters", 1000}},
	"time":   {{"second seconds sec secs", 1}, {"minute minutes min mins", 60}, {"hour hours hr hrs", 3600}, {"day days", 86400}, {"week weeks", 7 * 86400}},
	"years":  {{"month months", 1}, {"year years yr yrs", 12}, {"decade decades", 120}, {"century centuries", 1200}},
}

// unitWords are the units of all measures by their words, and those of each measure.
type unitWords struct {
	of        map[string]unit
	ofMeasure map[string][]unit
}

var units = sync.OnceValue(func() unitWords {
	all := unitWords{of: map[string]unit{}, ofMeasure: map[string][]unit{}}
	for measure, list := range measures {
		for _, u := range list {
			for word := range strings.FieldsSeq(u.words) {
				all.of[word] = unit{measure, u.size, lexical.Stem(word)}
				all.ofMeasure[measure] = append(all.ofMeasure[measure], all.of[word])
			}
		}
	}
	return all
})

// shortUnits are those of a letter or two, which are units behind a number alone.
var shortUnits = map[string]unit{
	"m": {"length", 1000, "m"}, "g": {"mass", 1000, "g"}, "t": {"mass", 1e9, "t"}, "l": {"volume", 1000, "l"}, "s": {"time", 1, "s"}, "h": {"time", 3600, "h"},
	"mile": {"length", 1609344, "mile"}, "foot": {"length", 304.8, "foot"}, "feet": {"length", 304.8, "feet"}, "inch": {"length", 25.4, "inch"},
	"pound": {"mass", 453592.37, "pound"}, "ounc": {"mass", 28349.5, "ounc"}, "gallon": {"volume", 3785.4, "gallon"},
}

// unitsByStem are all units by the stems of their words.
var unitsByStem = sync.OnceValue(func() map[string]unit {
	all := maps.Clone(shortUnits)
	for _, u := range units().of {
		all[u.stem] = u
	}
	return all
})

// OtherUnits reports whether the stems of two words behind a number are units of one
// measure and not of one size, such as metres and kilometres.
func OtherUnits(a, b string) bool {
	x, isUnit := unitsByStem()[a]
	y, isToo := unitsByStem()[b]
	return isUnit && isToo && x.measure == y.measure && x.size != y.size
}

// converted reads a number of n words with its unit in another unit, if the other texts
// have it in that one and not as it is written: 5 km where they have 5,000 metres.
func (r *reader) converted(value float64, n int, stem string) bool {
	if r.known == nil {
		return false
	}
	said, ok := units().of[r.word(n)]
	if !ok || r.known(stem) && r.known(said.stem) {
		return false
	}
	for _, u := range units().ofMeasure[said.measure] {
		if number := format(value * said.size / u.size); r.known(number) && r.known(u.stem) {
			r.put(number, n, number)
			r.put(u.stem, 1, u.stem)
			return true
		}
	}
	return false
}
