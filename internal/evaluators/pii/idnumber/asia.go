// SPDX-License-Identifier: Apache-2.0

package idnumber

import "strings"

func isAadhaar(s string) bool { return s[0] >= '2' && verhoeff(s) && s != reversed(s) }

func reversed(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = s[len(s)-1-i]
	}
	return string(b)
}

// isPAN checks the form of an Indian account number; its fourth letter is the
// kind of its holder.
func isPAN(s string) bool { return strings.IndexByte("ABCEFGHJLPT", s[3]) >= 0 && s[5:9] != "0000" }

func isGSTIN(s string) bool {
	total := 0
	for i := range 14 {
		product := value(s[i], digitsAndLetters) * (1 + i%2)
		total += product/36 + product%36
	}
	return s[:2] >= "01" && s[:2] <= "38" && isPAN(s[2:12]) && digitsAndLetters[(36-total%36)%36] == s[14]
}

func isChineseID(s string) bool {
	total := sum(s, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
	return s[0] != '0' && (s[6:8] == "19" || s[6:8] == "20" || s[6:8] == "18") && isYYMMDD(s, 8) && "10X98765432"[total%11] == s[17]
}

// isUSCC checks the code of a Chinese organisation, whose alphabet has no I, O,
// S, V and Z.
func isUSCC(s string) bool {
	const alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY"
	total, weight := 0, 1
	for i := range 17 {
		v := value(s[i], alphabet)
		if v < 0 {
			return false
		}
		total += v * weight
		weight = weight * 3 % 31
	}
	return alphabet[(31-total%31)%31] == s[17]
}

func isHKID(s string) bool {
	total := 0
	if len(s) == 8 {
		total, s = 36*9, " "+s
	} else {
		total = value(s[0], digitsAndLetters) * 9
	}
	total += value(s[1], digitsAndLetters) * 8
	for i := range 6 {
		total += digit(s, i+2) * (7 - i)
	}
	return "0123456789A"[(11-total%11)%11] == s[8]
}

func isTaiwanID(s string) bool {
	v := value(s[0], "ABCDEFGHJKLMNPQRSTUVXYWZIO") + 10
	return strings.IndexByte("1289", s[1]) >= 0 && (v/10+v%10*9+sum(s[1:], 8, 7, 6, 5, 4, 3, 2, 1, 1))%10 == 0
}

func isRRN(s string) bool {
	return isYYMMDD(s, 0) && s[6] != '0' && s[6] != '9' && (11-sum(s, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)%11)%10 == digit(s, 12)
}

func isMyNumber(s string) bool {
	check := 0
	if rest := sum(s, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11; rest > 1 {
		check = 11 - rest
	}
	return !SameDigits(s) && check == digit(s, 11)
}

func isNRIC(s string) bool {
	total := sum(s[1:], 2, 7, 6, 5, 4, 3, 2)
	switch s[0] {
	case 'S':
		return "JZIHGFEDCBA"[total%11] == s[8]
	case 'T':
		return "JZIHGFEDCBA"[(total+4)%11] == s[8]
	case 'F':
		return "XWUTRQPNMLK"[total%11] == s[8]
	case 'G':
		return "XWUTRQPNMLK"[(total+4)%11] == s[8]
	case 'M':
		return "KLJNPQRTUWX"[10-(total+3)%11] == s[8]
	}
	return false
}

func isThaiID(s string) bool {
	return s[0] != '0' && s[0] != '9' && (11-sum(s, descending(13, 2)...)%11)%10 == digit(s, 12)
}

func isTeudatZehut(s string) bool { return Luhn(s) && !SameDigits(s) }
