// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"crypto/sha256"
	"math/big"
	"strings"
)

const (
	base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
)

// findWallets finds Bitcoin addresses.
func findWallets(s *scan, yield func(match) bool) {
	for _, i := range s.numeric { // every address begins with a digit or has one in its prefix
		t := s.tokens[i]
		text := s.of(t)
		found := false
		switch {
		case t.size() < 14 || t.size() > 90:
		case strings.HasPrefix(text, "bc1"), strings.HasPrefix(text, "BC1"):
			found = isBech32(text)
		case text[0] == '1' || text[0] == '3':
			found = isBase58Address(text)
		}
		if found && !yield(s.span(i, 1, 1)) {
			return
		}
	}
}

// isBase58Address decodes 25 bytes whose last four are a checksum of the rest.
func isBase58Address(text string) bool {
	if len(text) < 25 || len(text) > 35 {
		return false
	}
	value, base := new(big.Int), big.NewInt(58)
	for i := range text {
		digit := strings.IndexByte(base58Alphabet, text[i])
		if digit < 0 {
			return false
		}
		value.Add(value.Mul(value, base), big.NewInt(int64(digit)))
	}
	if value.BitLen() > 25*8 {
		return false
	}
	var decoded [25]byte
	value.FillBytes(decoded[:])
	if decoded[0] != 0 && decoded[0] != 5 {
		return false
	}
	once := sha256.Sum256(decoded[:21])
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(decoded[21:])
}

// isBech32 checks an address of the main network, in either variant of the
// code, with all letters of one case.
func isBech32(text string) bool {
	lower := strings.ToLower(text)
	if text != lower && text != strings.ToUpper(text) {
		return false
	}
	check := uint32(1)
	step := func(value byte) {
		top := check >> 25
		check = (check&0x1ffffff)<<5 ^ uint32(value)
		for i, generator := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				check ^= generator
			}
		}
	}
	const prefix = "bc"
	for _, c := range []byte(prefix) {
		step(c >> 5)
	}
	step(0)
	for _, c := range []byte(prefix) {
		step(c & 31)
	}
	for i := len(prefix) + 1; i < len(lower); i++ {
		value := strings.IndexByte(bech32Alphabet, lower[i])
		if value < 0 {
			return false
		}
		step(byte(value))
	}
	return check == 1 || check == 0x2bc830a3
}
