// SPDX-License-Identifier: Apache-2.0

package idnumber

import (
	"strconv"
	"strings"
)

const dniLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

func isDNI(s string) bool {
	return !SameDigits(s[:8]) && dniLetters[Remainder(s[:8], 23)] == s[8]
}

func isNIE(s string) bool {
	first := value(s[0], "XYZ")
	return first >= 0 && dniLetters[Remainder(strconv.Itoa(first)+s[1:8], 23)] == s[8]
}

func isCIF(s string) bool {
	if strings.IndexByte("ABCDEFGHJNPQRSUVW", s[0]) < 0 {
		return false
	}
	for c := range 10 {
		if Luhn(s[1:8] + strconv.Itoa(c)) {
			return digitsAndLetters[c] == s[8] && strings.IndexByte("PQRSNW", s[0]) < 0 || "JABCDEFGHI"[c] == s[8] && strings.IndexByte("ABEH", s[0]) < 0
		}
	}
	return false
}

func isNSS(s string) bool {
	digits := s[:10]
	if s[2] == '0' {
		digits = s[:2] + s[3:10]
	}
	return s[:2] >= "01" && s[:2] <= "66" && Remainder(digits, 97) == Remainder(s[10:], 100)
}

func isNIF(s string) bool {
	check := 11 - sum(s, descending(9, 2)...)%11
	if check >= 10 {
		check = 0
	}
	return strings.IndexByte("1235689", s[0]) >= 0 && check == digit(s, 8)
}

// isNIR checks the number of the French social security; departments of
// Corsica have a letter.
func isNIR(s string) bool {
	digits := s[:13]
	switch s[5:7] {
	case "2A":
		digits = s[:5] + "19" + s[7:13]
	case "2B":
		digits = s[:5] + "18" + s[7:13]
	}
	month := s[3:5]
	if strings.Trim(digits+s[13:], "0123456789") != "" {
		return false
	}
	return strings.IndexByte("123478", s[0]) >= 0 && (month >= "01" && month <= "12" || month >= "20") && 97-Remainder(digits, 97) == Remainder(s[13:], 100)
}

func isSIREN(s string) bool { return Luhn(s) && !SameDigits(s) }

const fiscalMonths = "ABCDEHLMPRST"

// isCodiceFiscale checks the Italian tax code; digits may be letters where two
// people would have the same code.
func isCodiceFiscale(s string) bool {
	odd := [...]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	total := 0
	for i := range 15 {
		v := value(s[i], digitsAndLetters)
		switch {
		case i%2 == 0:
			total += odd[v]
		case v >= 10:
			total += v - 10
		default:
			total += v
		}
		place := i == 6 || i == 7 || i == 9 || i == 10 || i >= 12
		if place && (s[i] < '0' || s[i] > '9') && strings.IndexByte("LMNPQRSTUV", s[i]) < 0 {
			return false
		}
	}
	return strings.IndexByte(fiscalMonths, s[8]) >= 0 && byte('A'+total%26) == s[15]
}

// isPartitaIVA checks an Italian company, with or without its country.
func isPartitaIVA(s string) bool {
	digits, written := strings.CutPrefix(s, "IT")
	return (written || len(s) == 11) && Luhn(digits) && !SameDigits(digits)
}

// isSteuerID checks the German tax number: of its first ten digits one is
// there twice or three times.
func isSteuerID(s string) bool {
	var counts [10]int
	for i := range 10 {
		counts[digit(s, i)]++
	}
	twice := 0
	for _, n := range counts {
		if n > 3 {
			return false
		}
		if n > 1 {
			twice++
		}
	}
	return s[0] != '0' && twice == 1 && elevenTen(s)
}

func isRVNR(s string) bool {
	letter := int(s[8]-'A') + 1
	full := s[:8] + strconv.Itoa(letter/10) + strconv.Itoa(letter%10) + s[9:]
	total := 0
	for i, w := range []int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		product := digit(full, i) * w
		total += product/10 + product%10
	}
	day := Remainder(s[2:4], 100)
	if day > 50 {
		day -= 50
	}
	return IsDay(Remainder(s[4:6], 100), day) && total%10 == digit(full, 12)
}

func isVATDE(s string) bool { return strings.HasPrefix(s, "DE") && s[2] != '0' && elevenTen(s[2:]) }

// isGermanIDCard and isGermanPassport check the letters of a document, of which
// the first tells the kind, and its check digit where it is written along.
func isGermanIDCard(s string) bool {
	return strings.IndexByte("LMNPRTVWXY", s[0]) >= 0 && isGermanDocument(s)
}

func isGermanPassport(s string) bool {
	return strings.IndexByte("CFGHJK", s[0]) >= 0 && isGermanDocument(s)
}

func isGermanDocument(s string) bool {
	total, digits := 0, 0
	for i := range 9 {
		v := value(s[i], digitsAndLetters)
		if v < 10 {
			digits++
		} else if strings.IndexByte("CFGHJKLMNPRTVWXYZ", s[i]) < 0 {
			return false
		}
		total += v * [3]int{7, 3, 1}[i%3]
	}
	return digits >= 4 && (len(s) == 9 || total%10 == digit(s, 9))
}

func isSVNR(s string) bool {
	return s[0] != '0' && (sum(s, 3, 7, 9)+sum(s[4:], 5, 8, 4, 2, 1, 6))%11 == digit(s, 3) && Remainder(s[4:6], 100) >= 1 && s[4:6] <= "31"
}

func isAHV(s string) bool {
	return strings.HasPrefix(s, "756") && sum(s, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
}

func isRijksregister(s string) bool {
	check := Remainder(s[9:], 100)
	month := Remainder(s[2:4], 100) % 20
	return month <= 12 && (97-Remainder(s[:9], 97) == check || 97-Remainder("2"+s[:9], 97) == check)
}

func isBSN(s string) bool {
	return !SameDigits(s) && (sum(s, descending(9, 2)...)-digit(s, 8))%11 == 0
}

func isPPS(s string) bool {
	total := sum(s, descending(8, 2)...)
	if len(s) == 9 && s[8] != 'W' {
		total += int(s[8]-'A'+1) * 9
	}
	return "WABCDEFGHIJKLMNOPQRSTUV"[total%23] == s[7]
}

// isNINO checks the form of a British National Insurance number
// (https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110).
func isNINO(s string) bool {
	return strings.IndexByte("DFIQUV", s[0]) < 0 && strings.IndexByte("DFIOQUV", s[1]) < 0 && s[8] <= 'D' &&
		!startsWith(s, "BG GB KN NK NT TN ZZ")
}

func isUTR(s string) bool {
	return "21987654321"[sum(s[1:], 6, 7, 8, 9, 10, 5, 4, 3, 2)%11] == s[0]
}

// isLEI checks the identifier of a legal entity like an IBAN: letters are 10 to
// 35, and the whole leaves 1 when divided by 97.
func isLEI(s string) bool {
	rest := 0
	for i := range len(s) {
		if v := value(s[i], digitsAndLetters); v < 10 {
			rest = (rest*10 + v) % 97
		} else {
			rest = (rest*100 + v) % 97
		}
	}
	return rest == 1
}
