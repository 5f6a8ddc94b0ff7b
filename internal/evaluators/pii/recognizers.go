// SPDX-License-Identifier: Apache-2.0

package pii

// recognizers are what is looked for, the surest and cheapest first.
var recognizers = []recognizer{
	{"EMAIL_ADDRESS", []string{"email", "mail", "contact"}, findEmails},
	{"CREDIT_CARD", []string{"credit", "card", "visa", "mastercard", "amex", "discover", "jcb", "diners", "maestro", "debit"}, findCards},
	{"IBAN_CODE", []string{"iban", "bank", "transaction"}, findIBANs},
	{"CRYPTO", []string{"wallet", "btc", "bitcoin", "crypto"}, findWallets},
	{"US_SSN", []string{"social", "security", "ssn", "ss", "ssid"}, findSSNs},
	{"US_ITIN", []string{"individual", "taxpayer", "itin", "tax", "payer", "taxid", "tin"}, findITINs},
	{"UK_NHS", []string{"nhs", "national", "health", "service", "patient", "authority"}, findNHS},
	{"MEDICAL_LICENSE", []string{"medical", "certificate", "dea", "license", "licence", "prescriber"}, findDEA},
	{"IP_ADDRESS", []string{"ip", "ipv4", "ipv6", "host", "client"}, findIPs},
	{"MAC_ADDRESS", []string{"mac", "hardware", "physical", "ethernet", "device", "interface", "nic", "wifi", "bluetooth"}, findMACs},
	{"US_PASSPORT", []string{"passport", "travel"}, findPassports},
	{"US_BANK_NUMBER", []string{"account", "acct", "checking", "saving", "savings", "bank", "debit"}, findBankNumbers},
	{"PHONE_NUMBER", []string{"phone", "telephone", "tel", "cell", "cellphone", "mobile", "call", "fax", "whatsapp", "sms", "text", "message", "registered", "contact", "dial", "reach", "hotline", "telefon", "telefono", "handy", "celular"}, findPhones},
}

func findSSNs(s *scan, _ []string, yield func(match) bool) {
	for i := range s.tokens {
		n, score := 0, 0.0
		switch {
		case s.numbers(i, "-. ", 3, 2, 4):
			n, score = 3, 0.5
		case s.numbers(i, "-", 3, 6), s.numbers(i, "-", 5, 4):
			n, score = 2, 0.05
		case s.tokens[i].number(9):
			n, score = 1, 0.05
		default:
			continue
		}
		if isSSN(s.digitsOf(i, n)) && !yield(s.span(i, n, score)) {
			return
		}
	}
}

// isSSN refuses what was never given out: numbers with an empty group, those
// of the areas 000, 666 and from 900 on, and those that were printed as samples.
func isSSN(digits string) bool {
	area, group, serial := digits[:3], digits[3:5], digits[5:]
	return area != "000" && area != "666" && area < "900" && group != "00" && serial != "0000" &&
		digits != "078051120" && digits != "219099999" && digits != "123456789" && !sameDigits(digits)
}

func sameDigits(digits string) bool {
	for i := range digits {
		if digits[i] != digits[0] {
			return false
		}
	}
	return true
}

func findITINs(s *scan, _ []string, yield func(match) bool) {
	for i := range s.tokens {
		n, score := 0, 0.0
		switch {
		case s.numbers(i, "- ", 3, 2, 4):
			n, score = 3, 0.5
		case s.numbers(i, "- ", 3, 6), s.numbers(i, "- ", 5, 4):
			n, score = 2, 0.05
		case s.tokens[i].number(9):
			n, score = 1, 0.3
		default:
			continue
		}
		if isITIN(s.digitsOf(i, n)) && !yield(s.span(i, n, score)) {
			return
		}
	}
}

func isITIN(digits string) bool {
	group := digits[3:5]
	return digits[0] == '9' && (group >= "50" && group <= "65" || group >= "70" && group <= "88" || group >= "90" && group <= "92" || group >= "94")
}

func findNHS(s *scan, _ []string, yield func(match) bool) {
	for i := range s.tokens {
		n, score := 0, 0.0
		switch {
		case s.numbers(i, " ", 3, 3, 4):
			n, score = 3, 1
		// One in eleven numbers has this checksum, and many are written so.
		case s.numbers(i, "-", 3, 3, 4):
			n, score = 3, 0.5
		case s.tokens[i].number(10):
			n, score = 1, 0.5
		default:
			continue
		}
		if isNHS(s.digitsOf(i, n)) && !yield(s.span(i, n, score)) {
			return
		}
	}
}

func isNHS(digits string) bool {
	sum := 0
	for i := range 10 {
		sum += (10 - i) * int(digits[i]-'0')
	}
	// The last digit has the weight 1, so the whole sum is a multiple of 11.
	return sum%11 == 0 && !sameDigits(digits)
}

func findDEA(s *scan, _ []string, yield func(match) bool) {
	for i, t := range s.tokens {
		if t.size() == 9 && t.digits >= 7 && isDEA(s.of(t)) && !yield(s.span(i, 1, 1)) {
			return
		}
	}
}

// isDEA checks the number of a prescriber: a kind, an initial or 9, and seven
// digits of which the last checks the others.
func isDEA(text string) bool {
	kind, initial := text[0], text[1]
	if kind < 'A' || kind > 'X' || (initial < 'A' || initial > 'Z') && initial != '9' {
		return false
	}
	sum := 0
	for i, c := range []byte(text[2:]) {
		switch {
		case c < '0' || c > '9':
			return false
		case i == 6:
			return sum%10 == int(c-'0') && sum > 0
		default:
			sum += int(c-'0') * (1 + i%2)
		}
	}
	return false
}

func findPassports(s *scan, _ []string, yield func(match) bool) {
	for i, t := range s.tokens {
		score := 0.0
		switch {
		case t.number(9):
			score = 0.05
		case t.size() == 9 && t.digits == 8 && t.letters == 1 && s.text[t.start] > '9':
			score = 0.1
		default:
			continue
		}
		if !yield(s.span(i, 1, score)) {
			return
		}
	}
}

func findBankNumbers(s *scan, _ []string, yield func(match) bool) {
	for i, t := range s.tokens {
		if t.digits >= 8 && t.digits <= 17 && t.number(t.digits) && !yield(s.span(i, 1, 0.05)) {
			return
		}
	}
}
