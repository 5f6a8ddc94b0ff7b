// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lookalikes are the Latin letters that Greek, Cyrillic and Armenian ones from
// U+0370 on are taken for, as far as
// https://www.unicode.org/Public/security/latest/confusables.txt says so and a
// reader of a word with other Latin letters would.
var lookalikes = func() (table [0x590 - 0x370]byte) {
	const pairs = "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa γy ιi κk νv οo ρp τt υu χx ϲc ϳj ϹC ϺM ϻm " +
		"ЅS ІI ЇI ЈJ АA ВB ЕE ЁE ЗZ КK МM НH ОO РP СC ТT УY ХX ЬB аa вB гr еe ёe зz кk мM нH оo рp сc тT уy хx ьb ѕs іi їi јj ѡw ѵv ҮY үy һh ӀI ӏl ԁd ԌG ԍg ԚQ ԛq ԜW ԝw ҁc ԏh " +
		"ՍU ՕO աw զq հh յj ոn ռn սu ցg օo ՏS Լl"
	for pair := range strings.FieldsSeq(pairs) {
		r, size := utf8.DecodeRuneInString(pair)
		table[r-0x370] = pair[size]
	}
	return table
}()

// sameAsLatin are the look-alikes that no one can tell from Latin letters.
const sameAsLatin = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕКМНОРСТХЅІЈаеорсухѕіјһԁ"

// smallCapitals are small forms of Latin letters, and two that are drawn in
// another way.
var smallCapitals = func() map[rune]string {
	const pairs = "ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ꞯq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ɑa ɡg"
	made := map[rune]string{}
	for pair := range strings.FieldsSeq(pairs) {
		r, size := utf8.DecodeRuneInString(pair)
		made[r] = pair[size:]
	}
	return made
}()

// maxWordBefore is how many bytes before a look-alike tell what word it is in.
const maxWordBefore = 24

// inLatinWord reports whether the look-alike at byte i stands for a Latin
// letter: the word around it has a Latin letter, or is several letters that
// no one can tell from Latin ones in a text that is Latin otherwise, and has no
// letter that only another script has. A Russian or Greek word is left alone.
func (f *folder) inLatinWord(i, size int) bool {
	if i < f.wordEnd {
		return f.word
	}
	latin, foreign := f.wordBefore(i)
	first, _ := utf8.DecodeRuneInString(f.builder.in[i:])
	end, letters, same := i+size, 1, traitOf(first)&sameTrait != 0
	for end < len(f.builder.in) {
		r, size := utf8.DecodeRuneInString(f.builder.in[end:])
		t := traitOf(r)
		if t&wordTrait == 0 {
			break
		}
		latin, foreign = latin || t&latinTrait != 0, foreign || t&foreignTrait != 0
		same = same && t&sameTrait != 0
		end += size
		letters++
	}
	f.wordEnd, f.word = end, !foreign && (latin || same && letters > 1 && f.inLatinText())
	return f.word
}

// inLatinText reports whether the text has at least as many Latin letters as
// look-alikes, and no other letters of their scripts.
func (f *folder) inLatinText() bool {
	if f.looked {
		return f.mixed
	}
	f.looked = true
	latin, alike := 0, 0
	for _, r := range f.builder.in {
		switch {
		case traitOf(r)&latinTrait != 0:
			latin++
		case r >= 0x370 && r < 0x590 && lookalikes[r-0x370] != 0:
			alike++
		case r >= 0x370 && r < 0x590 && unicode.IsLetter(r):
			return false
		}
	}
	f.mixed = latin >= alike
	return f.mixed
}

// wordBefore reports whether the word before byte i has Latin letters and such
// as only another script has.
func (f *folder) wordBefore(i int) (latin, foreign bool) {
	left := maxWordBefore
	for at := i; at > f.builder.done && left > 0; {
		r, size := utf8.DecodeLastRuneInString(f.builder.in[f.builder.done:at])
		t := traitOf(r)
		if t&wordTrait == 0 {
			return latin, foreign
		}
		latin, foreign = latin || t&latinTrait != 0, foreign || t&foreignTrait != 0
		at -= size
		left -= size
	}
	for at := len(f.builder.out); at > 0 && left > 0; {
		r, size := utf8.DecodeLastRune(f.builder.out[:at])
		t := traitOf(r)
		if t&wordTrait == 0 {
			return latin, foreign
		}
		latin, foreign = latin || t&latinTrait != 0, foreign || t&foreignTrait != 0
		at -= size
		left -= size
	}
	return latin, foreign
}
