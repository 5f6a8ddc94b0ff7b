// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"
	"unicode/utf8"
)

// phoneWords are things of which a phone number is one wherever they stand near
// it. Verbs and words for numbers are read by asksToCall.
var phoneWords = func() *words {
	w := newWords("phone telephone tel cell cellphone mobile mob ph fax whatsapp sms hotline telefon telefono handy celular phonenumber mobilenumber phoneno " +
		"teléfono móvil movil telefone telemóvel téléphone tél portable telefonnummer handynummer mobilnummer rufnummer cellulare " +
		"telefoon telefoonnummer mobiel puhelin puhelinnumero telefonszám mobil komórka cep " +
		"телефон тел τηλέφωνο κινητό טלפון נייד هاتف الهاتف جوال फ़ोन मोबाइल फोन 电话 電話 手机 手機 携帯 전화 휴대폰 연락처 โทร điện thoại")
	w.also = (*scan).asksToCall
	return w
}()

var (
	// callVerbs ask to call the number that follows.
	callVerbs = set("call dial ring phone ruf rufe rufen anruf anrufen wähle wählen llame llama llámame llámanos llamar appelle appelez appeler ligue ligar chiama chiamami chiamare chiamate " +
		"chiamatemi chiamateci telefona bel bellen zadzwoń dzwoń zavolejte telefonul sunați sună ara arayın позвоните звоните позвони звони soita ringa hívjon")
	// reachVerbs do so with a person behind them, or before a number that is
	// written like a phone's: a text, a message and a contact may be things.
	reachVerbs = set("text message contact reach registered contactez contacter contacta contacte contactar contatta contattare contate joignable erreichen erreichbar erreichst erreiche")
	// phoneNumbers are words for numbers, and for means to reach a person.
	phoneNumbers = set("number num nr no nummer numéro numero número nro numer číslo numarası номер contacto contatto contato contact")
	owners       = set("my our his her your their this meine meiner mein unsere unser ihre ihr deine dein seine sein mon notre ma votre ton son sa mi mis nuestro nuestra su tu mio nostro suo tuo vostro " +
		"meu nosso seu mijn ons onze zijn haar mój nasz moje мой наш min vår vores mit benim")
	// numberKinds may stand between who has a number and the word for it.
	numberKinds  = set("new old direct work home office private personal current other us uk best callback emergency neue private dienstliche nouveau nuevo nuovo novo international usual second")
	articles     = set("the a an this that der die das le la el il lo o de het")
	calledPeople = set("me us him her them mich uns ihn sie ihr moi nous lui me nos ci noi mij mnie nam мне нам")
	// callJoins stand between those words and a number.
	callJoins = set("is are s ist lautet est es è é c on at to under unter via with my our your you back now today please or and dem al au aux no da do für for more info information details " +
		"anytime directly direct immediately tomorrow tonight number nummer bitte doch mal an para oder per zurück collect toll free straight from abroad out office home work out")
	// beforeVerbs stand before one that asks.
	beforeVerbs = set("please to or and can you could then just must will should ll bitte me por favor")
)

// maxCallWords is how many words are between a verb and a number at most.
const maxCallWords = 8

// asksToCall reports whether the words before text[start:end] ask to call it or
// say whose number it is, or those behind do the latter.
func (s *scan) asksToCall(start, end int) bool {
	first, behind := s.around(start, end)
	if behind+2 < len(s.tokens) && copulas[s.lowerToken(behind)] && owners[s.lowerToken(behind+1)] && phoneNumbers[s.lowerToken(behind+2)] {
		return true
	}
	grouped := behind-first > 1
	for k := first - 1; k >= max(0, first-maxCallWords); k-- {
		low := s.lowerToken(k)
		between := s.text[s.tokens[k].end:s.tokens[k+1].start]
		if strings.ContainsAny(between, ";!?") || strings.Contains(between, ". ") && utf8.RuneCountInString(low) > 3 {
			return false
		}
		switch {
		case phoneNumbers[low] && s.ownsNumber(k, grouped):
			return true
		case callVerbs[low]:
			if k == first-1 && !grouped {
				return end-start >= minBarePhone && (k == 0 || beforeVerbs[s.lowerToken(k-1)] || s.gap(k) != ' ')
			}
			return grouped || k < first-1 && !articles[s.lowerToken(k-1)]
		case reachVerbs[low], reachVerbs[singular(low)]:
			next := s.lowerToken(k + 1)
			return calledPeople[next] || strings.Contains(between, ":") || grouped && low != "message" || grouped && k < first-1
		case callJoins[low], calledPeople[low], articles[low]:
		default:
			return false
		}
	}
	return false
}

// minBarePhone is the length from which digits without signs between them are a
// phone's behind a verb.
const minBarePhone = 9

// ownsNumber reports whether the word for a number that token k is speaks of
// a person's, as in "my new number", or of one that only its form explains.
func (s *scan) ownsNumber(k int, grouped bool) bool {
	before := s.lowerToken(k - 1)
	if owners[before] || numberKinds[before] && owners[s.lowerToken(k-2)] || k > 0 && s.capital(k-1) && s.tokens[k-1].size() == 2 && owners[s.lowerToken(k-2)] {
		return true
	}
	return grouped && (k == 0 || articles[before] || strings.Contains(s.text[s.tokens[k-1].end:s.tokens[k].start], "\n"))
}
