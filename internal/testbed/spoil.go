// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"bytes"
	"math/rand/v2"
)

// Spoil returns a message in which some bytes are changed, repeated or left out, or
// from which the end is cut off.
func Spoil(r *rand.Rand, message []byte) []byte {
	b := bytes.Clone(message)
	for range 1 + r.IntN(4) {
		if len(b) < 2 {
			return b
		}
		from := r.IntN(len(b))
		to := from + r.IntN(min(len(b)-from, 40))
		switch r.IntN(4) {
		case 0:
			b[from] ^= 1 << r.IntN(8)
		case 1:
			b = append(b[:to:to], b[from:]...)
		case 2:
			b = append(b[:from:from], b[to:]...)
		default:
			b = b[:from]
		}
	}
	return b
}
