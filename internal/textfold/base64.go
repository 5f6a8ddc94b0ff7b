// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"encoding/base64"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minBlock is how many characters a block of base64 has at least: twelve
	// bytes are text by chance once in a hundred thousand times.
	minBlock = 16
	// minLine is how long the lines are of which a block may have several.
	minLine = 48
)

// blocks returns the text with each block of base64 that decodes to text
// replaced by that.
func (f Folded) blocks() Folded {
	if len(f.Text) > math.MaxInt32 {
		return f
	}
	b := builder{in: f.Text}
	for i := 0; i < len(f.Text); {
		if !base64Bytes[f.Text[i]] {
			i++
			continue
		}
		start := i
		i += run(f.Text[i:])
		if i-start < minBlock {
			continue
		}
		coded := f.Text[start:i]
		if i-start >= minLine {
			coded, i = lines(f.Text, start, i)
		}
		if text, ok := decoded(coded); ok {
			b.replace(start, i, text)
		}
	}
	return f.then(&b)
}

// lines returns a block whose first line is text[start:end], without the ends
// of its lines, and where it ends.
func lines(text string, start, end int) (string, int) {
	first := end - start
	rest, size := line(text[end:])
	if size == 0 || len(rest) > first {
		return text[start:end], end
	}
	var b strings.Builder
	b.WriteString(text[start:end])
	for size > 0 && len(rest) <= first {
		b.WriteString(rest)
		end += size
		if len(rest) < first {
			break
		}
		rest, size = line(text[end:])
	}
	return b.String(), end
}

// line returns the run of base64 behind the end of a line that text begins
// with, and the length of both; 0 if there is none.
func line(text string) (string, int) {
	begin := 0
	for begin < min(2, len(text)) && (text[begin] == '\r' || text[begin] == '\n') {
		begin++
	}
	end := begin
	end += run(text[end:])
	if begin == 0 || end == begin {
		return "", 0
	}
	return text[begin:end], end
}

// run returns how many characters of base64, and signs of padding behind them,
// text begins with.
func run(text string) int {
	end := 0
	for end < len(text) && base64Bytes[text[end]] {
		end++
	}
	for padding := 0; end > 0 && end < len(text) && text[end] == '=' && padding < 2; padding++ {
		end++
	}
	return end
}

// base64Bytes are the characters of both alphabets
// (https://www.rfc-editor.org/rfc/rfc4648), without the padding.
var base64Bytes = func() (table [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		table[c] = isLetterOrDigit(c) || strings.IndexByte("+/-_", c) >= 0
	}
	return table
}()

// decoded returns what a block stands for, if that is text.
func decoded(block string) (string, bool) {
	block = strings.TrimRight(block, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(block, "-_") {
		encoding = base64.RawURLEncoding
	}
	// Most are no text by their first bytes.
	var first [minBlock / 4 * 3]byte
	if len(block) < minBlock-2 || len(block)%4 == 1 {
		return "", false
	}
	n, err := encoding.Decode(first[:], []byte(block[:min(len(block), minBlock)/4*4]))
	if err != nil || !isText(string(first[:n]), true) {
		return "", false
	}
	text, err := encoding.DecodeString(block)
	if err != nil || !isText(string(text), false) {
		return "", false
	}
	return string(text), true
}

// isText reports whether a text is valid UTF-8 that people read; cut says that
// its last character may be cut off.
func isText(text string, cut bool) bool {
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			if !cut || i+utf8.UTFMax <= len(text) {
				return false
			}
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7F, r >= utf8.RuneSelf && !unicode.IsPrint(r) && !unicode.Is(unicode.Cf, r):
			return false
		}
	}
	return true
}
