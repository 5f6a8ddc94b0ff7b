// SPDX-License-Identifier: Apache-2.0

package idnumber

import "strings"

func isCPF(s string) bool {
	return !SameDigits(s) && sum(s, descending(10, 2)...)*10%11%10 == digit(s, 9) && sum(s, descending(11, 2)...)*10%11%10 == digit(s, 10)
}

func isCNPJ(s string) bool {
	check := func(weights ...int) int {
		if rest := sum(s, weights...) % 11; rest >= 2 {
			return 11 - rest
		}
		return 0
	}
	return !SameDigits(s) && check(5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2) == digit(s, 12) && check(6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2) == digit(s, 13)
}

func isCUIT(s string) bool {
	return startsWith(s, "20 23 24 27 30 33 34 50 51 55") &&
		"012345678990"[11-sum(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11] == s[10]
}

func isRUT(s string) bool {
	total, n := 0, len(s)-1
	for i := range n {
		total += digit(s, n-1-i) * (2 + i%6)
	}
	return "0123456789K0"[11-total%11] == s[n]
}

func isNIT(s string) bool {
	total, n := 0, len(s)-1
	for i, w := range []int{3, 7, 13, 17, 19, 23, 29, 37, 41}[:n] {
		total += digit(s, n-1-i) * w
	}
	return "01987654321"[total%11] == s[n]
}

// isCURP checks the code of a person in Mexico: letters of the names, the day
// of birth, sex, state, consonants. The Spanish alphabet has Ñ after N.
func isCURP(s string) bool {
	total := 0
	for i := range 17 {
		v := value(s[i], digitsAndLetters)
		if s[i] > 'N' {
			v++
		}
		total += v * (18 - i)
	}
	return isYYMMDD(s, 4) && (s[10] == 'H' || s[10] == 'M') && (10-total%10)%10 == digit(s, 17)
}

func isCLABE(s string) bool {
	total := 0
	for i := range 17 {
		total += digit(s, i) * [3]int{3, 7, 1}[i%3] % 10
	}
	return (10-total%10)%10 == digit(s, 17)
}

func isRUC(s string) bool {
	return startsWith(s, "10 15 16 17 20") && (11-sum(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11)%10 == digit(s, 10)
}

func isCedulaEC(s string) bool {
	province := Remainder(s[:2], 100)
	return (province >= 1 && province <= 24 || province == 30) && s[2] < '6' && Luhn(s)
}

func isCedulaUY(s string) bool {
	return !SameDigits(s) && (10-sum(s, 2, 9, 8, 7, 6, 3, 4)%10)%10 == digit(s, 7)
}

func isSIN(s string) bool { return s[0] != '0' && s[0] != '8' && Luhn(s) && !SameDigits(s) }

func isNPI(s string) bool { return (s[0] == '1' || s[0] == '2') && Luhn("80840"+s) }

func isABA(s string) bool {
	first := Remainder(s[:2], 100)
	return (first <= 12 || first >= 21 && first <= 32 || first >= 61 && first <= 72 || first == 80) && !SameDigits(s) &&
		sum(s, 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 == 0
}

// isMBI checks the form of a Medicare beneficiary identifier: letters without
// S, L, O, I, B and Z.
func isMBI(s string) bool {
	for i := range len(s) {
		if strings.IndexByte("SLOIBZ", s[i]) >= 0 {
			return false
		}
	}
	return s[0] != '0'
}
