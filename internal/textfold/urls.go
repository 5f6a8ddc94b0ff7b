// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"strings"
	"unicode/utf8"
)

// percent reads URL encoding: the bytes of one character in UTF-8.
func percent(text string) (rune, int) {
	var buffer [utf8.UTFMax]byte
	for n := range buffer {
		if 3*n+2 >= len(text) || text[3*n] != '%' {
			break
		}
		high, low := hexDigit(text[3*n+1]), hexDigit(text[3*n+2])
		if high < 0 || low < 0 {
			break
		}
		buffer[n] = byte(high<<4 | low)
		if r, size := utf8.DecodeRune(buffer[:n+1]); r != utf8.RuneError && size == n+1 {
			return r, lengthIf(r > 0, 3*size)
		}
	}
	return 0, 0
}

// isForm reports whether the run without white space that byte i is in is
// encoded like a form, where a plus sign is a space: it has encoded bytes, but
// no encoded space.
func (f *folder) isForm(i int) bool {
	if i >= f.tokenEnd {
		end := strings.IndexAny(f.builder.in[i:], " \t\r\n")
		if end < 0 {
			end = len(f.builder.in) - i
		}
		f.tokenEnd = i + end
		token := f.builder.in[i:f.tokenEnd]
		f.form = !strings.Contains(token, "%20")
		if f.form {
			f.form = hasEncodedByte(token)
		}
	}
	return f.form
}

func hasEncodedByte(token string) bool {
	for {
		_, rest, found := strings.Cut(token, "%")
		if !found {
			return false
		}
		if len(rest) >= 2 && hexDigit(rest[0]) >= 0 && hexDigit(rest[1]) >= 0 {
			return true
		}
		token = rest
	}
}
