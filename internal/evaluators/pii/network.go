// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// maxEmailPart is the longest local part or domain that is looked at.
const maxEmailPart = 255

// around are signs that a local part may have by the standard, but that stand before an
// address in links, between braces and in code far more often.
const around = "/=?&|{}`"

func findEmails(s *scan, yield func(match) bool) {
	if !findSpelledEmails(s, yield) {
		return
	}
	for at := strings.IndexByte(s.text, '@'); at >= 0; {
		start, end := at, at+1
		for start > 0 && at-start < maxEmailPart {
			r, size := utf8.DecodeLastRuneInString(s.text[:start])
			if !isEmailRune(r, "!#$%&'*+/=?^_`{|}~.-") {
				break
			}
			start -= size
		}
		for end < len(s.text) && end-at <= maxEmailPart {
			r, size := utf8.DecodeRuneInString(s.text[end:])
			if !isEmailRune(r, ".-") {
				break
			}
			end += size
		}
		local := s.text[start:at]
		local = strings.TrimLeft(local[strings.LastIndexAny(local, around)+1:], ".'")
		domain := strings.TrimRight(s.text[at+1:end], ".-")
		if local != "" && !strings.HasSuffix(local, ".") && !strings.Contains(local, "..") && isPublicDomain(domain) &&
			!yield(match{start: at - len(local), end: at + 1 + len(domain), score: 1}) {
			return
		}
		next := strings.IndexByte(s.text[at+1:], '@')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// isEmailRune reports whether r is a letter, a digit or one of the signs.
func isEmailRune(r rune, signs string) bool {
	return r != '_' && isWordRune(r) || strings.ContainsRune(signs, r)
}

// isPublicDomain reports whether a domain can be registered: its suffix is one
// that exists, and there is a name before it.
func isPublicDomain(domain string) bool {
	if !strings.Contains(domain, ".") {
		return false
	}
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return false
	}
	suffix, managed := publicsuffix.PublicSuffix(ascii)
	if !managed && !strings.Contains(suffix, ".") {
		return false
	}
	_, err = publicsuffix.EffectiveTLDPlusOne(ascii)
	return err == nil
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isAddressByte(c byte) bool { return isHex(c) || c == ':' || c == '.' }

func findIPs(s *scan, yield func(match) bool) {
	for i := 0; i < len(s.text); {
		if !isAddressByte(s.text[i]) {
			i++
			continue
		}
		start := i
		for i < len(s.text) && isAddressByte(s.text[i]) {
			i++
		}
		if !s.addresses(start, i, yield) {
			return
		}
	}
}

// addresses hands over the addresses in a run of their characters: the whole
// run, or what of it stands between colons.
func (s *scan) addresses(start, end int, yield func(match) bool) bool {
	run := strings.TrimRight(s.text[start:end], ".")
	if len(run) < 2 || len(run) > 64 {
		return true
	}
	if m, ok := s.address(start, run); ok {
		return yield(m)
	}
	for part := range strings.SplitSeq(run, ":") {
		if strings.Count(part, ".") == 3 {
			if m, ok := s.address(start, part); ok && !yield(m) {
				return false
			}
		}
		start += len(part) + 1
	}
	return true
}

// address parses text, which begins at start and is no part of a word, and
// takes a length of network after it along.
func (s *scan) address(start int, text string) (match, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil || s.wordBefore(start) || s.wordAfter(start+len(text)) {
		return match{}, false
	}
	m := match{start: start, end: start + len(text), score: someAddress}
	switch {
	case text == "::":
		m.score = 0.1
	case !isPublic(addr):
		m.fixed = true
	case isTelling(addr, text) && !s.isVersion(start):
		m.score = publicAddress
	}
	if rest := s.text[m.end:]; strings.HasPrefix(rest, "/") {
		digits := 1
		for digits < len(rest) && digits < 5 && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if size, err := strconv.Atoi(rest[1:digits]); err == nil && size <= addr.BitLen() {
			m.end += digits
		}
	}
	return m, true
}

const (
	someAddress = 0.6
	// publicAddress is the score of one that leads to a person.
	publicAddress = 0.8
)

// isPublic reports whether an address may be a person's: it is none inside a
// network or a machine, nor that of a service for all.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if addr.Is4() {
		if b := addr.As4(); b[0] == 0 || b[0] >= 240 || b[0] == 100 && b[1]&0xc0 == 64 {
			return false
		}
	}
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && !resolvers[addr.String()]
}

// resolvers answer everybody's questions for names.
var resolvers = set("8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220")

// isTelling reports whether an address is hardly anything else: its numbers are
// higher than those of versions and chapters, or it is a long one that the
// internet has given out.
func isTelling(addr netip.Addr, text string) bool {
	if !addr.Is4() {
		return addr.As16()[0]>>5 == 1 && strings.Count(text, ":") >= 4
	}
	high := 0
	for _, b := range addr.As4() {
		if b >= 32 {
			high++
		}
	}
	return high >= 2
}

// versions stand before numbers that are written like an address.
var versions = set("version versions v ver release releases build firmware driver update upgrade patch section chapter clause sdk library package kernel revision rev java chrome oid")

// isVersion reports whether one of them is before byte i.
func (s *scan) isVersion(i int) bool {
	first, _ := s.around(i, i+1)
	for k := max(0, first-3); k < first; k++ {
		if versions[s.lowerToken(k)] {
			return true
		}
	}
	return false
}

func (s *scan) wordBefore(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:i])
	return i > 0 && isWordRune(r)
}

func (s *scan) wordAfter(i int) bool {
	r, _ := utf8.DecodeRuneInString(s.text[i:])
	return i < len(s.text) && isWordRune(r)
}

func findMACs(s *scan, yield func(match) bool) {
	for i := range s.tokens {
		n := 0
		switch {
		case s.hexes(i, 6, 2, ':'), s.hexes(i, 6, 2, '-'):
			n = 6
		case s.hexes(i, 3, 4, '.'):
			n = 3
		default:
			continue
		}
		// The address of all and that of none belong to no person.
		if first := s.of(s.tokens[i]); strings.Trim(s.text[s.tokens[i].start:s.tokens[i+n-1].end], first[:1]+":-.") == "" && strings.ContainsAny(first, "0Ff") {
			continue
		}
		// A longer row of the same kind is something else.
		if i > 0 && s.gap(i) == s.gap(i+1) && s.tokens[i-1].size() == s.tokens[i].size() ||
			i+n < len(s.tokens) && s.gap(i+n) == s.gap(i+1) && s.tokens[i+n].size() == s.tokens[i].size() {
			continue
		}
		if !yield(s.span(i, n, 0.6)) {
			return
		}
	}
}

// hexes reports whether n tokens from i on are hexadecimal numbers of a length
// with a separator between them.
func (s *scan) hexes(i, n, length int, separator byte) bool {
	if i+n > len(s.tokens) {
		return false
	}
	for k := range n {
		t := s.tokens[i+k]
		if t.size() != length || k > 0 && s.gap(i+k) != separator {
			return false
		}
		for j := t.start; j < t.end; j++ {
			if !isHex(s.text[j]) {
				return false
			}
		}
	}
	return true
}
