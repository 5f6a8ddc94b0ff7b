// SPDX-License-Identifier: Apache-2.0

package idnumber

import "strings"

// digit returns the value of the digit at place i.
func digit(s string, i int) int { return int(s[i] - '0') }

// sum adds up the first digits of a number, each times its weight.
func sum(s string, weights ...int) int {
	total := 0
	for i, w := range weights {
		total += digit(s, i) * w
	}
	return total
}

// descending returns the weights from high down to low.
func descending(high, low int) []int {
	var weights []int
	for w := high; w >= low; w-- {
		weights = append(weights, w)
	}
	return weights
}

// Remainder divides a number of any length.
func Remainder(digits string, by int) int {
	rest := 0
	for i := range len(digits) {
		rest = (rest*10 + digit(digits, i)) % by
	}
	return rest
}

// Luhn checks the last digit of a number, each second digit from the right
// counting twice.
func Luhn(digits string) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// SameDigits reports whether all digits of a number are the same, which numbers that are
// given out never are.
func SameDigits(digits string) bool {
	for i := range digits {
		if digits[i] != digits[0] {
			return false
		}
	}
	return true
}

// elevenTen checks the last digit by ISO 7064 modulo 11,10.
func elevenTen(s string) bool {
	product := 10
	for i := range len(s) - 1 {
		if product = (digit(s, i) + product) % 10; product == 0 {
			product = 10
		}
		product = product * 2 % 11
	}
	return (11-product)%10 == digit(s, len(s)-1)
}

// verhoeffProduct and verhoeffTurn are the tables of Verhoeff's code
// (https://en.wikipedia.org/wiki/Verhoeff_algorithm).
var (
	verhoeffProduct = [10]string{"0123456789", "1234067895", "2340178956", "3401289567", "4012395678", "5987604321", "6598710432", "7659821043", "8765932104", "9876543210"}
	verhoeffTurn    = [8]string{"0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258"}
)

func verhoeff(s string) bool {
	c := 0
	for i := range len(s) {
		turned := digit(verhoeffTurn[i%8], digit(s, len(s)-1-i))
		c = digit(verhoeffProduct[c], turned)
	}
	return c == 0
}

// IsDay reports whether month and day are of a year, given as numbers.
func IsDay(month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}

// startsWith reports whether a number begins with one of some pairs of
// characters, which are given with spaces between them.
func startsWith(s, pairs string) bool {
	for pair := range strings.FieldsSeq(pairs) {
		if strings.HasPrefix(s, pair) {
			return true
		}
	}
	return false
}

// isYYMMDD reads the day that a number has at place i, isDDMM one at its
// beginning.
func isYYMMDD(s string, i int) bool {
	return IsDay(Remainder(s[i+2:i+4], 100), Remainder(s[i+4:i+6], 100))
}

func isDDMM(s string) bool {
	return IsDay(Remainder(s[2:4], 100), Remainder(s[:2], 100))
}

// value returns the place of a character in an alphabet.
func value(c byte, alphabet string) int { return strings.IndexByte(alphabet, c) }

// digitsAndLetters is the alphabet in which A stands for ten.
const digitsAndLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
