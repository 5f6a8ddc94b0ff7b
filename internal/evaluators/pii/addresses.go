// SPDX-License-Identifier: Apache-2.0

package pii

import "strings"

const (
	numberedStreet = 0.85 // a street with the number of a house
	partOfAddress  = 0.85 // a box or a flat with its number
	maxStreetWords = 5
)

var (
	// streetWords stand behind the name of a street.
	streetWords = set("street st avenue ave road rd lane ln drive dr boulevard blvd court ct way place pl square sq terrace close crescent highway hwy parkway pkwy circle cir trail trl alley row mews " +
		"squares streets roads avenues lanes plaza walk hill gardens grove turnpike loop crossing ridge path pike expressway freeway route")
	// wholeStreets need no capital word before them: they are its end.
	streetEnds = []string{
		"straße", "strasse", "gasse", "allee", "platz", "damm", "ufer", "gatan", "gata", "gaten", "gade", "vägen", "vej", "veien", "vegen", "katu",
		"kuja", "straat", "laan", "plein", "gracht", "stræde", "weg", "str", "brinken", "alléen", "bakken", "wijk", "singel", "gränd", "stigen", "torget",
		"vænget", "haven", "parken", "terrasse", "haugen", "kade", "dreef", "dijk", "plantsoen", "steig", "chaussee", "pfad", "polku", "ntie", "rinne", "ská",
		"cká", "ného", "stígur", "braut", "körút", "sugárút",
	}
	// streetBegins stand before the name of a street.
	streetBegins = set("rue avenue av avda avd bvd zza boulevard chemin impasse allée quai via viale piazza corso vicolo calle avenida paseo plaza carrera rua praça travessa estrada ulica ul aleja calea strada strade bulevardul bd ulitsa ул улица cesta ulice")
	streetAfter  = set("utca u út útja tér ulice náměstí caddesi sokak cad sok cd sk utcája")
	streetAlone  = set("straße strasse str platz allee weg gasse ring damm gata väg vägen vej katu straat laan plein")
	flats        = set("apt apartment suite ste unit flat box psc room floor po apto piso étage appt bus lgh")
)

// findAddresses finds streets with the number of a house, boxes and flats with
// theirs, and the corners of streets.
func findAddresses(s *scan, yield func(match) bool) {
	for i := range s.tokens {
		if m, ok := s.corner(i); ok && !yield(m) {
			return
		}
	}
	for _, i := range s.numeric {
		if !s.houseNumber(i) {
			continue
		}
		for _, find := range []func(int) (match, bool){s.numberFirst, s.numberLast, s.flat, s.labelled, s.beforeTown} {
			if m, ok := find(i); ok {
				if !yield(m) {
					return
				}
				break
			}
		}
	}
}

// corner reads corner of Long Street and Mill Lane, and corner of Elm and Main.
func (s *scan) corner(i int) (match, bool) {
	if s.of(s.tokens[i]) != "corner" || s.lowerToken(i+1) != "of" || i+2 >= len(s.tokens) || !s.capital(i+2) && s.tokens[i+2].digits == 0 {
		return match{}, false
	}
	for k := i + 3; k+1 < len(s.tokens) && k <= i+2+maxStreetWords && s.spaced(k, " .,"); k++ {
		if and := s.of(s.tokens[k]); and != "and" && and != "&" {
			continue
		}
		return s.span(i, k-i+2, numberedStreet), s.capital(k+1) || s.tokens[k+1].digits > 0
	}
	return match{}, false
}

// houseNumber reports whether a token is one to five digits, with a letter at
// most: 12, 12b.
func (s *scan) houseNumber(i int) bool {
	t := s.tokens[i]
	return t.digits >= 1 && t.digits <= 5 && t.size()-t.digits <= 1 && s.text[t.start] >= '0' && s.text[t.start] <= '9'
}

// spaced reports whether only spaces, and commas if that is allowed, are before
// token i.
func (s *scan) spaced(i int, signs string) bool {
	if i <= 0 || i >= len(s.tokens) {
		return false
	}
	between := s.text[s.tokens[i-1].end:s.tokens[i].start]
	return between != "" && len(between) <= 4 && strings.Trim(between, signs) == ""
}

// numberFirst reads 12 Long Street, and 12 rue de la Paix.
func (s *scan) numberFirst(i int) (match, bool) {
	capital := false
	for k := i + 1; k < len(s.tokens) && k <= i+maxStreetWords; k++ {
		if k == i+1 && !s.spaced(k, " ,") || !s.spaced(k, " .,") {
			break
		}
		low := s.lowerToken(k)
		if k == i+1 && streetBegins[low] {
			if last := s.afterParticles(k + 1); last > 0 {
				return s.span(i, last-i+1, numberedStreet), true
			}
		}
		if capital && s.capital(k) && streetWords[low] {
			return s.span(i, k-i+1, numberedStreet), true
		}
		if s.capital(k) && isStreetEnd(low) {
			return s.span(i, k-i+1, numberedStreet), true
		}
		if !s.capital(k) && s.tokens[k].digits == 0 && !nameParticles[s.of(s.tokens[k])] {
			break
		}
		capital = capital || s.capital(k) && !streetWords[low]
	}
	return match{}, false
}

// afterParticles returns the capital word that token k is or that follows it
// behind words such as "de la", 0 if there is none.
func (s *scan) afterParticles(k int) int {
	for ; k < len(s.tokens) && s.spaced(k, " .'"); k++ {
		if s.capital(k) {
			return k
		}
		if !nameParticles[s.of(s.tokens[k])] && !streetParticles[s.of(s.tokens[k])] {
			break
		}
	}
	return 0
}

// streetParticles are further words within the names of streets.
var streetParticles = set("des du d l les los las")

// numberLast reads Lange Straße 12, Hauptstr. 12, Via Roma 12 and Fő utca 12.
func (s *scan) numberLast(i int) (match, bool) {
	if !s.spaced(i, " .,nNº°") {
		return match{}, false
	}
	last := s.lowerToken(i - 1)
	if i >= 2 && (streetAfter[last] || streetAlone[last]) && s.spaced(i-1, " ") && s.capital(i-2) {
		return s.span(i-2, 3, numberedStreet), true
	}
	if s.capital(i-1) && isStreetEnd(last) {
		return s.span(i-1, 2, numberedStreet), true
	}
	if i >= 2 && s.capital(i-1) && s.lowerToken(i-2) == "c" && s.text[s.tokens[i-2].end] == '/' { // C/ Mayor 12
		return s.span(i-2, 3, numberedStreet), true
	}
	for k := i - 1; k >= 1 && k >= i-maxStreetWords && s.spaced(k, " .'"); k-- {
		if streetBegins[s.lowerToken(k-1)] && s.capital(i-1) {
			return s.span(k-1, i-k+2, numberedStreet), true
		}
		if !s.capital(k) && !nameParticles[s.of(s.tokens[k])] && !streetParticles[s.of(s.tokens[k])] {
			break
		}
	}
	return match{}, false
}

// beforeTown reads Am Markt 3, 04109 Leipzig: a number behind a name and before
// a postcode with its town.
func (s *scan) beforeTown(i int) (match, bool) {
	if i == 0 || i+2 >= len(s.tokens) || !s.capital(i-1) || !s.spaced(i, " ") || !s.spaced(i+1, " ,\n") || !s.tokens[i+1].number(5) || !s.spaced(i+2, " ") || !s.capital(i+2) {
		return match{}, false
	}
	first := i - 1
	for first > 0 && first > i-maxStreetWords && s.spaced(first, " ") && (s.capital(first-1) || streetPlaces[s.lowerToken(first-1)]) {
		first--
	}
	return s.span(first, i+3-first, numberedStreet), true
}

// streetPlaces are words with which German streets begin, or that are in their
// names.
var streetPlaces = set("am an im in auf unter zum zur bei der den dem")

func isStreetEnd(low string) bool {
	for _, end := range streetEnds {
		if len(low) > len(end)+2 && strings.HasSuffix(low, end) {
			return true
		}
	}
	// Czech and Slovak streets are named after people; Villanova and a villa
	// nova are none.
	return len(low) > 5 && strings.HasSuffix(low, "ova") && !strings.HasSuffix(low, "nova")
}

// flat reads Apt. 12 and P.O. Box 12.
func (s *scan) flat(i int) (match, bool) {
	if i == 0 || !flats[s.lowerToken(i-1)] || !s.spaced(i, " .#") {
		return match{}, false
	}
	what := s.lowerToken(i - 1)
	// Most are also in buildings and programs: another part of an address must
	// be near.
	alone := s.capital(i-1) && (what == "apt" || what == "apto" || what == "appt" || what == "apartment" || what == "psc")
	if !alone && !s.addressNear(i) {
		return match{}, false
	}
	return s.span(i-1, 2, partOfAddress), true
}

// addressNear reports whether a number of four digits or more, a box's "P.O."
// or a comma with a capital word is near token i.
func (s *scan) addressNear(i int) bool {
	for k := max(0, i-6); k < min(len(s.tokens), i+6); k++ {
		if t := s.tokens[k]; k != i && t.number(5) || s.lowerToken(k) == "po" || s.lowerToken(k) == "psc" || streetWords[s.lowerToken(k)] && (s.capital(k) || k == i-2) || streetBegins[s.lowerToken(k)] {
			return true
		}
	}
	return i >= 3 && s.lowerToken(i-2) == "o" && s.lowerToken(i-3) == "p"
}

// addressLabels speak of an address that follows.
var addressLabels = set("address addresses adresse anschrift dirección direccion domicilio indirizzo endereço morada osoite cím adresa")

// labelled reads a number next to a capital word that a word for addresses
// stands before.
func (s *scan) labelled(i int) (match, bool) {
	first := i
	switch {
	case i+1 < len(s.tokens) && s.capital(i+1) && s.spaced(i+1, " ,"):
	case i > 0 && s.capital(i-1) && s.spaced(i, " "):
		first = i - 1
	default:
		return match{}, false
	}
	for k := max(0, first-labelReach); k < first; k++ {
		if addressLabels[s.lowerToken(k)] {
			return s.span(first, 2, numberedStreet), true
		}
	}
	return match{}, false
}

// labelReach is how many words are between a label and an address at most.
const labelReach = 6
