// SPDX-License-Identifier: Apache-2.0

package lexical

import (
	"math"
	"strings"
	"unicode"
)

// Bag is the stems of a text and how often each occurs.
type Bag map[string]int

// BagOf makes a bag of a text's stems.
func BagOf(text string) Bag {
	b := make(Bag, len(text)/8) // about as many as an English text has
	for w := range EachWord(text) {
		b[w.Stem]++
	}
	return b
}

// Coverage is the share of the weight of the stems of want that have has too;
// 1 if want has none.
func Coverage(want, have Bag) float64 {
	// Weights are summed as integers: the order of a map is random, and the
	// last bit of a sum of floats depends on the order.
	found, all := int64(0), int64(0)
	for stem := range want {
		w := fixed(Weight(stem))
		all += w
		if have[stem] > 0 {
			found += w
		}
	}
	if all == 0 {
		return 1
	}
	return float64(found) / float64(all)
}

// fixed is a number in steps small enough to sum without loss.
func fixed(x float64) int64 { return int64(math.Round(x * (1 << 24))) }

// Reference is a bag that many others are compared with, each at the price of the
// other: a question of a hundred thousand words may be held against two thousand
// sentences.
type Reference struct {
	bag     Bag
	squares int64
}

// Against returns a bag to compare others with.
func Against(bag Bag) *Reference {
	r := &Reference{bag: bag}
	for stem, n := range bag {
		x := value(stem, n)
		r.squares += fixed(x * x)
	}
	return r
}

// Cosine is how alike the reference and b are, 0 to 1, telling stems counting
// most. Bags without stems are like nothing but one another.
func (r *Reference) Cosine(b Bag) float64 {
	if len(r.bag) == 0 || len(b) == 0 {
		if len(r.bag) == len(b) {
			return 1
		}
		return 0
	}
	dot, squares := int64(0), int64(0)
	for stem, n := range b {
		x := value(stem, n)
		squares += fixed(x * x)
		if m := r.bag[stem]; m > 0 {
			dot += fixed(x * value(stem, m))
		}
	}
	if r.squares == 0 || squares == 0 {
		return 0
	}
	return min(1, float64(dot)/math.Sqrt(float64(r.squares))/math.Sqrt(float64(squares)))
}

func value(stem string, n int) float64 {
	if n == 1 {
		return Weight(stem)
	}
	return (1 + math.Log(float64(n))) * Weight(stem)
}

// F1 is the harmonic mean of how much of a is in b and how much of b is in a,
// each occurrence of a stem counted by its weight.
func F1(a, b Bag) float64 {
	common, all := int64(0), int64(0)
	for stem, n := range a {
		w := fixed(Weight(stem))
		common += int64(min(n, b[stem])) * w
		all += int64(n) * w
	}
	for stem, n := range b {
		all += int64(n) * fixed(Weight(stem))
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(common) / float64(all)
}

// ending are the signs that say nothing by themselves.
const ending = ".,;:!?…。！？ "

// SameSigns reports whether two texts without words have the same signs, as 👍 and 👎
// have not, except for spaces and the stops of sentences.
func SameSigns(a, b string) bool { return signsOf(a) == signsOf(b) }

func signsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(ending, r) {
			return -1
		}
		return r
	}, text)
}
