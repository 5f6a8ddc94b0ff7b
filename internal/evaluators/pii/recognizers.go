// SPDX-License-Identifier: Apache-2.0

package pii

// recognizers are what is looked for, the surest and cheapest first.
var recognizers = []recognizer{
	{"EMAIL_ADDRESS", []string{"email", "mail", "contact"}, findEmails},
	{"CREDIT_CARD", []string{"credit", "card", "visa", "mastercard", "amex", "discover", "jcb", "diners", "maestro", "debit", "cc", "kreditkarte", "karte", "tarjeta", "carte", "carta", "cartão", "карта", "карты", "信用卡", "カード", "카드"}, findCards},
	{"IBAN_CODE", []string{"iban", "bank", "transaction"}, findIBANs},
	{"CRYPTO", []string{"wallet", "btc", "bitcoin", "crypto"}, findWallets},
	{"US_SSN", []string{"social", "security", "ssn", "ss", "ssid"}, findSSNs},
	{"US_ITIN", []string{"individual", "taxpayer", "itin", "tax", "payer", "taxid", "tin"}, findITINs},
	{"UK_NHS", []string{"nhs", "national", "health", "service", "patient", "authority"}, findNHS},
	{"MEDICAL_LICENSE", []string{"medical", "certificate", "dea", "license", "licence", "prescriber"}, findDEA},
	{"IP_ADDRESS", []string{"ip", "ipv4", "ipv6", "host", "client"}, findIPs},
	{"MAC_ADDRESS", []string{"mac", "hardware", "physical", "ethernet", "device", "interface", "nic", "wifi", "bluetooth"}, findMACs},
	{"US_PASSPORT", []string{"passport", "travel", "reisepass", "pasaporte", "passeport", "passaporto", "passaporte", "paszport", "паспорт", "护照", "旅券"}, findPassports},
	{"US_BANK_NUMBER", []string{"account", "acct", "checking", "saving", "savings", "bank", "debit", "konto", "kontonummer", "cuenta", "compte", "conto", "conta", "rekening"}, findBankNumbers},
	{"PHONE_NUMBER", phoneWords, findPhones},
	{"PERSON", nil, findPersons},
	{"ADDRESS", nil, findAddresses},
	{"DATE_OF_BIRTH", birthWords, findDates},
	{"AGE", nil, findAges},
	{"POSTCODE", []string{"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "cap", "cep"}, findPostcodes},
	{"US_DRIVER_LICENSE", []string{"driver", "drivers", "driving", "führerschein", "permiso", "permis", "patente"}, findLicences},
}

var (
	phoneWords = []string{
		"phone", "telephone", "tel", "cell", "cellphone", "mobile", "call", "fax", "whatsapp", "sms", "text", "message", "registered", "contact", "dial", "reach", "hotline", "telefon", "telefono", "handy", "celular",
		"teléfono", "móvil", "movil", "llámame", "llamar", "telefone", "telemóvel", "ligue", "téléphone", "tél", "portable", "appelez", "appeler", "telefonnummer", "handynummer", "mobilnummer", "rufnummer", "anrufen", "cellulare", "chiamami", "chiamare",
		"telefoon", "telefoonnummer", "bel", "mobiel", "ring", "puhelin", "puhelinnumero", "telefonszám", "mobil", "numer", "zadzwoń", "komórka", "číslo", "zavolejte", "telefonul", "sună", "numarası", "cep", "ara",
		"телефон", "тел", "номер", "позвоните", "звоните", "τηλέφωνο", "κινητό", "טלפון", "נייד", "هاتف", "الهاتف", "جوال", "फ़ोन", "मोबाइल", "फोन", "电话", "電話", "手机", "手機", "携帯", "전화", "휴대폰", "연락처", "โทร", "điện", "thoại",
	}
	birthWords = []string{
		"birth", "birthday", "born", "dob", "birthdate", "geboren", "geburtsdatum", "geburtstag", "nacimiento", "nací", "nacido", "nacida", "naissance", "né", "née", "nato", "nata", "nascita", "nascimento", "nasci", "nascido",
		"geboortedatum", "född", "født", "syntynyt", "urodzenia", "urodzony", "narození", "született", "doğum", "рождения", "родился", "родилась", "出生", "生年月日", "생년월일",
	}
)

func findSSNs(s *scan, _ []string, yield func(match) bool) {
	for _, i := range s.numeric {
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
	for _, i := range s.numeric {
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
	for _, i := range s.numeric {
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
	for _, i := range s.numeric {
		t := s.tokens[i]
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
	for _, i := range s.numeric {
		t := s.tokens[i]
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
	for _, i := range s.numeric {
		t := s.tokens[i]
		if t.digits >= 8 && t.digits <= 17 && t.number(t.digits) && !yield(s.span(i, 1, 0.05)) {
			return
		}
	}
}
