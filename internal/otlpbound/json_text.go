// SPDX-License-Identifier: Apache-2.0

package otlpbound

import (
	"encoding/binary"
	"math/bits"
)

// text reads a text from its opening quote on, and gives how many bytes it has
// at most once its escapes are read.
func (p *jsonPass) text() (int, breach) {
	start := p.pos + 1
	at := start
	escapes := 0 // what they are shorter by
	for {
		at += plain(p.b[at:])
		if at >= len(p.b) {
			return 0, malformed
		}
		switch p.b[at] {
		case '"':
			p.pos = at + 1
			return at - start - escapes, none
		case '\\':
			n := escape(p.b[at:])
			if n == 0 {
				return 0, malformed
			}
			at += n
			escapes += n / 2 // 2 become 1, 6 become 3 at most
		default: // a control character, which a text has only escaped
			return 0, malformed
		}
	}
}

// plain returns how many bytes of b come before a quote, a backslash or a control
// character. It looks at eight bytes at once: a byte's top bit is set in the sum
// where the byte is one of them.
// https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord
func plain(b []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & tops
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

// escape returns how many bytes the escape has that b begins with, 0 if it is
// none. https://www.rfc-editor.org/rfc/rfc8259#section-7
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// scalar holds the bytes that numbers, true, false and null are written with.
var scalar = func() (set [256]bool) {
	for _, c := range "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		set[c] = true
	}
	return set
}()
