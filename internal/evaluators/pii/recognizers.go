// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
)

// recognizers are what is looked for, the surest and cheapest first.
var recognizers = []recognizer{
	{entity: "EMAIL_ADDRESS", find: findEmails},
	{entity: "CREDIT_CARD", find: findCards, context: newWords("credit card visa mastercard amex jcb diners maestro debit kreditkarte karte tarjeta carte carta cartão карта карты 信用卡 カード 카드 | discover cc")},
	{entity: "IBAN_CODE", find: findIBANs},
	{entity: "CRYPTO", find: findWallets},
	{entity: "US_SSN", find: findSSNs, context: newWords("social security ssn | ss ssid"), labels: set("ssn socialsecurity socialsecurity# ss#")},
	{entity: "US_ITIN", find: findITINs, context: newWords("taxpayer itin tax payer taxid tin | individual"), labels: set("itin taxpayer#")},
	{entity: "UK_NHS", find: findNHS, context: newWords("nhs health nhsid | patient")},
	{entity: "MEDICAL_LICENSE", find: findDEA},
	{entity: "IP_ADDRESS", find: findIPs, context: newWords("ip ipv4 ipv6 ipaddr | host client")},
	{entity: "MAC_ADDRESS", find: findMACs, context: newWords("mac hardware ethernet nic wifi bluetooth macaddr | physical device interface")},
	{
		entity: "US_PASSPORT", find: findPassports, context: newWords("passport travel reisepass pasaporte passeport passaporto passaporte paszport паспорт 护照 旅券"),
		labels: set("passport reisepass reisepassnummer pasaporte passeport depasseport passaporto passaporte paszport паспорт"),
	},
	{
		entity: "US_BANK_NUMBER", find: findBankNumbers, context: newWords("account acct bank konto kontonummer cuenta compte conto conta rekening | checking saving debit"),
		labels: set("account# acct# bankaccount bankaccount# checkingaccount savingsaccount checkingaccount# savingsaccount# konto konto# kontonummer kontonr decuenta cuenta# decompte compte# conto# diconto deconta conta# rekening# rekeningnummer accountno accountnumber kontonumber"),
	},
	{entity: "PHONE_NUMBER", find: findPhones, context: phoneWords, labels: phoneWords.known},
	{entity: "PERSON", find: findPersons},
	{entity: "ADDRESS", find: findAddresses},
	{entity: "DATE_OF_BIRTH", find: findDates, context: birthWords},
	{entity: "AGE", find: findAges},
	{entity: "POSTCODE", find: findPostcodes, context: newWords("zip zipcode postcode postal postalcode plz postleitzahl cap cep")},
	{entity: "US_DRIVER_LICENSE", find: findLicences, context: newWords("driver driving driverlicense driverslicense führerschein permiso permis patente")},
}

var birthWords = newWords("birth birthday born dob birthdate dateofbirth geb geboren geburtsdatum geburtstag geburts nacimiento nací nacido nacida naissance né née nato nata nascita nascimento nasci nascido nascida nasceu nació nacque naquit " +
	"geboortedatum född født syntynyt urodzenia urodzony narození született doğum рождения родился родилась 出生 生年月日 생년월일")

// grouping is a way to write a number: groups of so many digits with one of the
// separators between them.
type grouping struct {
	separators string
	lengths    []int
	score      float64
}

// findGrouped returns what finds the numbers that a check accepts. Of the ways to write one
// the first that fits counts.
func findGrouped(check func(digits string) bool, ways ...grouping) func(s *scan, yield func(match) bool) {
	return func(s *scan, yield func(match) bool) {
		for _, i := range s.numeric {
			fits := slices.IndexFunc(ways, func(w grouping) bool { return s.numbers(i, w.separators, w.lengths...) })
			if fits < 0 {
				continue
			}
			w := &ways[fits]
			if n := len(w.lengths); check(s.digitsOf(i, n)) && !yield(s.span(i, n, w.score)) {
				return
			}
		}
	}
}

var (
	findSSNs = findGrouped(isSSN,
		grouping{"-. ", []int{3, 2, 4}, 0.5},
		grouping{"-", []int{3, 6}, 0.05}, grouping{"-", []int{5, 4}, 0.05},
		grouping{"", []int{9}, 0.05})
	findITINs = findGrouped(isITIN,
		grouping{"- ", []int{3, 2, 4}, 0.5},
		grouping{"- ", []int{3, 6}, 0.05}, grouping{"- ", []int{5, 4}, 0.05},
		grouping{"", []int{9}, 0.3})
	// One in eleven numbers has the checksum of the NHS, and many are written with hyphens.
	findNHS = findGrouped(isNHS,
		grouping{" ", []int{3, 3, 4}, 1},
		grouping{"-", []int{3, 3, 4}, 0.5},
		grouping{"", []int{10}, 0.5})
)

// isSSN refuses what was never given out: numbers with an empty group, those
// of the areas 000, 666 and from 900 on, and those that were printed as samples.
func isSSN(digits string) bool {
	area, group, serial := digits[:3], digits[3:5], digits[5:]
	return area != "000" && area != "666" && area < "900" && group != "00" && serial != "0000" &&
		digits != "078051120" && digits != "219099999" && digits != "123456789" && !idnumber.SameDigits(digits)
}

func isITIN(digits string) bool {
	group := digits[3:5]
	return digits[0] == '9' && (group >= "50" && group <= "65" || group >= "70" && group <= "88" || group >= "90" && group <= "92" || group >= "94")
}

func isNHS(digits string) bool {
	sum := 0
	for i := range 10 {
		sum += (10 - i) * int(digits[i]-'0')
	}
	// The last digit has the weight 1, so the whole sum is a multiple of 11.
	return sum%11 == 0 && !idnumber.SameDigits(digits)
}

func findDEA(s *scan, yield func(match) bool) {
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

func findPassports(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		score := 0.0
		switch {
		case t.number(9):
			score = 0.05
		case t.size() == 9 && t.digits == 8 && t.letters() == 1 && s.text[t.start] > '9':
			score = 0.1
		default:
			continue
		}
		if !yield(s.span(i, 1, score)) {
			return
		}
	}
}

func findBankNumbers(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		if t.digits >= 8 && t.digits <= 17 && t.number(t.digits) && !yield(s.span(i, 1, 0.05)) {
			return
		}
	}
}
