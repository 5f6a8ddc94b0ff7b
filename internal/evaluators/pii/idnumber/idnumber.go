// SPDX-License-Identifier: Apache-2.0

// Package idnumber knows the numbers that authorities give to people, things and
// companies: their forms, the words that tell what they are, and whether the check
// digits of one are right. It is given numbers alone; package pii finds them in texts.
package idnumber

const (
	// MaxLen is the length of the longest number.
	MaxLen = 20
	// Checked is the score of a number whose check digit is right: among ten
	// or eleven numbers one is so by chance.
	Checked = 0.5
	// Distinct is the score of what is hardly anything else.
	Distinct = 0.85
)

// Kind is a kind of number that an authority gives to a person, a thing or a company.
type Kind struct {
	Name string
	// Source defines the number and its check digits: the name of a page below
	// https://arthurdejong.org/python-stdnum/doc/2.1/stdnum. or an address.
	Source string
	// Words are those around it that tell what it is, in lower case.
	Words string
	// Shapes are its forms without separators: d is a digit, a a letter, x
	// either.
	Shapes string
	// Score is Checked or Distinct.
	Score float64
	// Check reports whether a number of one of the shapes, in upper case, may be one.
	Check func(s string) bool
}

// Kinds returns all kinds. They are not to be changed.
func Kinds() []Kind { return kinds }
