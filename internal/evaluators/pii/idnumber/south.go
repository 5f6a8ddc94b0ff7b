// SPDX-License-Identifier: Apache-2.0

package idnumber

import "strings"

func isSouthAfricanID(s string) bool {
	return isYYMMDD(s, 0) && (s[10] == '0' || s[10] == '1' || s[10] == '2') && Luhn(s)
}

func isTFN(s string) bool {
	if len(s) == 8 {
		return sum(s, 10, 7, 8, 4, 6, 3, 5, 1)%11 == 0 && !SameDigits(s)
	}
	return sum(s, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0 && !SameDigits(s)
}

func isABN(s string) bool {
	return s[0] != '0' && (sum(s, 10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)-10)%89 == 0
}

func isACN(s string) bool {
	return !SameDigits(s) && (10-sum(s, descending(8, 1)...)%10)%10 == digit(s, 8)
}

func isMedicareAU(s string) bool {
	return s[0] >= '2' && s[0] <= '6' && sum(s, 1, 3, 7, 9, 1, 3, 7, 9)%10 == digit(s, 8)
}

// isIRD checks a number of New Zealand of eight or nine digits.
func isIRD(s string) bool {
	if len(s) == 8 {
		s = "0" + s
	}
	check := (11 - sum(s, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
	if check == 10 {
		check = (11 - sum(s, 7, 4, 3, 2, 5, 2, 7, 6)%11) % 11
	}
	return s >= "010000000" && s <= "150000000" && check == digit(s, 8)
}

// isNHI checks a health number of New Zealand, whose alphabet has no I and O.
func isNHI(s string) bool {
	const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	total := 0
	for i := range 6 {
		v := value(s[i], alphabet) + 1
		if i >= 3 {
			v = digit(s, i)
		} else if v == 0 {
			return false
		}
		total += v * (7 - i)
	}
	rest := total % 11
	return rest != 0 && (11-rest)%10 == digit(s, 6)
}

// isVIN checks the number of a car of North America.
func isVIN(s string) bool {
	const letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
	const values = "12345678123457923456789"
	total := 0
	for i, w := range []int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2} {
		v := 0
		if s[i] <= '9' {
			v = digit(s, i)
		} else if k := strings.IndexByte(letters, s[i]); k >= 0 {
			v = digit(values, k)
		} else {
			return false
		}
		total += v * w
	}
	return "0123456789X"[total%11] == s[8]
}

func isIMEI(s string) bool { return Luhn(s) && !SameDigits(s) }
