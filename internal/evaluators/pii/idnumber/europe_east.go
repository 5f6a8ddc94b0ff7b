// SPDX-License-Identifier: Apache-2.0

package idnumber

import "strings"

// isPESEL checks a Polish number; the month tells the century.
func isPESEL(s string) bool {
	return IsDay(Remainder(s[2:4], 100)%20, Remainder(s[4:6], 100)) && (10-sum(s, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10)%10 == digit(s, 10)
}

func isNIP(s string) bool {
	return !SameDigits(s) && sum(s, 6, 5, 7, 2, 3, 4, 5, 6, 7)%11 == digit(s, 9)
}

func isREGON(s string) bool {
	return !SameDigits(s) && sum(s, 8, 9, 2, 3, 4, 5, 6, 7)%11%10 == digit(s, 8)
}

// isRodneCislo checks a Czech or Slovak number of ten digits; the months of
// women are 50 higher.
func isRodneCislo(s string) bool {
	month := Remainder(s[2:4], 100) % 50
	if month > 20 {
		month -= 20
	}
	return IsDay(month, Remainder(s[4:6], 100)) && (Remainder(s, 11) == 0 || Remainder(s[:9], 11) == 10 && s[9] == '0')
}

func isAdoazonosito(s string) bool {
	return s[0] == '8' && sum(s, 1, 2, 3, 4, 5, 6, 7, 8, 9)%11 == digit(s, 9)
}

func isCNP(s string) bool {
	check := sum(s, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
	if check == 10 {
		check = 1
	}
	return s[0] != '0' && isYYMMDD(s, 1) && check == digit(s, 12)
}

func isEGN(s string) bool {
	return IsDay(Remainder(s[2:4], 100)%20, Remainder(s[4:6], 100)) && sum(s, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == digit(s, 9)
}

func isOIB(s string) bool { return !SameDigits(s) && elevenTen(s) }

// isJMBG checks a number of the countries that were Yugoslavia.
func isJMBG(s string) bool {
	check := 11 - sum(s, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	if check >= 10 {
		check = 0
	}
	return isDDMM(s) && (s[4] == '9' || s[4] == '0') && check == digit(s, 12)
}

func isAMKA(s string) bool { return isDDMM(s) && Luhn(s) }

func isAFM(s string) bool {
	return !SameDigits(s) && sum(s, 256, 128, 64, 32, 16, 8, 4, 2)%11%10 == digit(s, 8)
}

func isTCKN(s string) bool {
	odd := digit(s, 0) + digit(s, 2) + digit(s, 4) + digit(s, 6) + digit(s, 8)
	even := digit(s, 1) + digit(s, 3) + digit(s, 5) + digit(s, 7)
	return s[0] != '0' && (odd*7-even+100)%10 == digit(s, 9) && (odd+even+digit(s, 9))%10 == digit(s, 10)
}

// isINN checks a Russian taxpayer: ten digits for a company, twelve for a
// person.
func isINN(s string) bool {
	if len(s) == 10 {
		return !SameDigits(s) && sum(s, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == digit(s, 9)
	}
	return !SameDigits(s) && sum(s, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == digit(s, 10) && sum(s, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == digit(s, 11)
}

func isSNILS(s string) bool {
	return !SameDigits(s) && sum(s, descending(9, 1)...)%101%100 == Remainder(s[9:], 100)
}

func isRNOKPP(s string) bool {
	total := sum(s, -1, 5, 7, 9, 4, 6, 10, 5, 7) % 11
	return !SameDigits(s) && (total+11)%11%10 == digit(s, 9)
}

// isIIN checks a number of Kazakhstan.
func isIIN(s string) bool {
	check := sum(s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) % 11
	if check == 10 {
		check = sum(s, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2) % 11
	}
	return isYYMMDD(s, 0) && strings.IndexByte("0123456", s[6]) >= 0 && check == digit(s, 11)
}
