// SPDX-License-Identifier: Apache-2.0

package linear

import "strings"

// spoken are the letters that digits and signs stand for in the middle of a
// word.
var spoken = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '@': 'a', '$': 's', '!': 'i', '|': 'i'}

// readDigits turns the digits of a word into the letters they stand for where
// they are mixed with letters, and into zeros elsewhere, since a number says
// nothing: "1d10t" is a word, "10am" is not.
func (t *Tokens) readDigits() {
	lead := 0
	for lead < len(t.word) && class[t.word[lead]] == digit {
		lead++
	}
	tail := len(t.word)
	for tail > lead && class[t.word[tail-1]] == digit {
		tail--
	}
	// A number after a word counts versions and the like, unless there are
	// digits inside of the word too, or but one letter before.
	readable := lead > 0 && lead+1 < tail && !units[string(t.word[lead:])]
	readable = readable || lead == 0 && tail == 1 && len(t.word) > 2 // "h03"
	for _, b := range t.word[lead:tail] {
		readable = readable || class[b] == digit
	}
	if readable {
		t.readings++
	}
	// Who writes three words so writes all of them so: "th3".
	readable = readable || t.readings > 2 && lead == 0 && len(t.word) > 1
	for _, b := range t.word {
		readable = readable && (class[b] != digit || spoken[b] != 0)
	}
	t.runs = t.runs || !readable
	for i, b := range t.word {
		if class[b] != digit {
			continue
		}
		t.word[i] = '0'
		if readable {
			t.word[i] = spoken[b]
		}
	}
}

// units are what follows a number that is one.
var units = func() map[string]bool {
	known := map[string]bool{}
	for u := range strings.FieldsSeq("st nd rd th am pm a b c d e f g h k m p s t v w x ah bn bps cm eur ft gb ghz hp hr hrs hz in kb kg khz km kmh kph kw kwh lb lbs mb mg " +
		"mhz min mins ml mm mn mp mph ms mw ns oz ps pt px qt rem sec sek tb tbsp tsp usd wk wks yd yds yo yr yrs") {
		known[u] = true
	}
	return known
}()

// cutRuns cuts letters that are repeated for emphasis to three, or to one
// third where all of a word are tripled.
func (t *Tokens) cutRuns() {
	runs, thirds := 0, true
	for i := 0; i < len(t.word); {
		end := i + 1
		for end < len(t.word) && t.word[end] == t.word[i] {
			end++
		}
		runs++
		thirds = thirds && (end-i)%3 == 0
		i = end
	}
	thirds = thirds && runs > 1
	out := t.word[:0]
	for i := 0; i < len(t.word); {
		b, end := t.word[i], i+1
		for end < len(t.word) && t.word[end] == b {
			end++
		}
		n := min(end-i, 3)
		if thirds {
			n = (end - i) / 3
		}
		for range n {
			out = append(out, b)
		}
		i = end
	}
	t.word = out
}

// readDisguise reads a sign in the middle or at the end of a word as the
// letter it stands for. It reports false, having read nothing, when it stands
// for none: before a dot and more, which is an address, or where the word
// ends.
func (t *Tokens) readDisguise(sign byte) bool {
	if spoken[sign] == 0 || len(t.word) == 0 {
		return false
	}
	end := t.pos
	for end < len(t.text) && t.text[end] == sign && end-t.pos < 3 {
		end++
	}
	between := t.wordAt(end)
	if !between && sign != '$' {
		return false
	}
	if sign == '@' && t.addressAt(end) {
		return false
	}
	for ; t.pos < end; t.pos++ {
		t.put(spoken[sign])
	}
	return true
}

// addressAt reports whether a domain name begins at a position.
func (t *Tokens) addressAt(pos int) bool {
	end := min(pos+maxToken, len(t.text))
	for i := pos; i < end; i++ {
		switch b := t.text[i]; {
		case class[b] == letter, class[b] == digit, b == '-':
		default:
			return b == '.' && t.wordAt(i+1)
		}
	}
	return end < len(t.text)
}

// skipLink skips an address of the web: it names a place, and its letters
// would be read as words.
func (t *Tokens) skipLink() bool {
	rest := t.text[t.pos:]
	if !hasPrefixFold(rest, "http://") && !hasPrefixFold(rest, "https://") && !hasPrefixFold(rest, "www.") {
		return false
	}
	if n := strings.IndexAny(rest, " \t\r\n<>\"()[]{}"); n >= 0 {
		t.pos += n
	} else {
		t.pos = len(t.text)
	}
	return true
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// skipEntity skips a character reference of HTML.
func (t *Tokens) skipEntity() bool {
	for i := t.pos + 1; i < min(t.pos+11, len(t.text)); i++ {
		switch b := t.text[i]; {
		case b == ';' && i > t.pos+1:
			t.pos = i + 1
			return true
		case class[b] != letter && class[b] != digit && b != '#':
			return false
		}
	}
	return false
}
