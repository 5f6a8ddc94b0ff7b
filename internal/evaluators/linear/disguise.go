// SPDX-License-Identifier: Apache-2.0

package linear

import "strings"

// spoken are the letters that digits and signs stand for in the middle of a
// word.
var spoken = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '@': 'a', '$': 's', '!': 'i', '|': 'i'}

// readDigits reads a run of digits: letters where they stand between letters,
// zeros elsewhere, since the number itself says nothing.
func (t *Tokens) readDigits() {
	end := t.pos
	readable := len(t.word) > 0 && t.word[len(t.word)-1] >= 'a'
	for end < len(t.text) && class[t.text[end]] == digit {
		readable = readable && spoken[t.text[end]] != 0
		end++
	}
	readable = readable && end-t.pos <= 3 && end < len(t.text) && class[t.text[end]] == letter
	for ; t.pos < end && len(t.word) < maxToken; t.pos++ {
		if readable {
			t.put(spoken[t.text[t.pos]])
		} else {
			t.put('0')
		}
	}
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
	between := end < len(t.text) && class[t.text[end]] == letter
	if !between && (sign != '$' || t.wordAt(end)) {
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
