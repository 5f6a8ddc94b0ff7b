// SPDX-License-Identifier: Apache-2.0

package idnumber

import "strings"

// isCPR checks a Danish number with its check digit, which numbers given out
// since 2007 may lack.
func isCPR(s string) bool {
	return isDDMM(s) && sum(s, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

// isPersonnummer checks a Swedish number of ten digits or, with the century,
// of twelve. Coordination numbers have a day that is 60 higher.
func isPersonnummer(s string) bool {
	s = s[len(s)-10:]
	return IsDay(Remainder(s[2:4], 100), Remainder(s[4:6], 100)%60) && Luhn(s)
}

// isOrganisationsnummer has a third digit from 2 on, where people have months.
func isOrganisationsnummer(s string) bool {
	return s[2] >= '2' && strings.IndexByte("1235679", s[0]) >= 0 && Luhn(s)
}

func isFodselsnummer(s string) bool {
	day := Remainder(s[:2], 100)
	if day > 40 {
		day -= 40
	}
	month := Remainder(s[2:4], 100)
	if month > 40 {
		month -= 40
	}
	return IsDay(month, day) && (sum(s, 3, 7, 6, 1, 8, 9, 4, 5, 2)+digit(s, 9))%11 == 0 &&
		(sum(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)+digit(s, 10))%11 == 0
}

// isHetu checks a Finnish number; the sign of the century is in it if it is a
// letter.
func isHetu(s string) bool {
	if len(s) == 11 {
		if strings.IndexByte("ABCDEFYXWVU", s[6]) < 0 {
			return false
		}
		s = s[:6] + s[7:]
	}
	return isDDMM(s) && s[6:9] >= "002" && "0123456789ABCDEFHJKLMNPRSTUVWXY"[Remainder(s[:9], 31)] == s[9]
}

func isKennitala(s string) bool {
	day := Remainder(s[:2], 100) % 40
	return IsDay(Remainder(s[2:4], 100), day) && strings.IndexByte("890", s[9]) >= 0 && (sum(s, 3, 2, 7, 6, 5, 4, 3, 2)+digit(s, 8))%11 == 0
}

// isIsikukood checks an Estonian or Lithuanian number.
func isIsikukood(s string) bool {
	check := sum(s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1) % 11
	if check == 10 {
		check = sum(s, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3) % 11 % 10
	}
	return s[0] >= '1' && s[0] <= '8' && isYYMMDD(s, 1) && check == digit(s, 10)
}
