// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math"
	"regexp"
	"strings"
)

// Bounds of strings that are secret by their entropy, in bits per character.
const (
	minBase64Entropy = 4.5
	minHexEntropy    = 3.0
	minHexLength     = 16
	minBase64Length  = 20
	maxKeyLength     = 512
	maxNameLength    = 40 // of the name that a value is given to
)

var (
	identifier  = regexp.MustCompile(`(?i)(?:id|uuid|guid|hash|digest|checksum|etag|sha\d*|md5|signature|fingerprint|revision|\brev|commit)["'` + "`" + `]?\s*(?::=|=>|=|:)\s*$`)
	hexadecimal = regexp.MustCompile(`^(?:[0-9a-f]+|[0-9A-F]+)$`)
	template    = regexp.MustCompile(`\$\{[\w.:/ -]*\}|\{\{[^{}]*\}\}|^[^{}]*\{\w+\}$`)
	unclosed    = regexp.MustCompile(`(?:\$\{|\{\{)[\w.:/-]*$`) // a template cut where a space is in it
	digestNear  = regexp.MustCompile(`(?i)integrity|sha-?(?:1|256|384|512)|md5|digest|checksum`)
	uuid        = regexp.MustCompile(`(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`)
)

// allowed marks lines whose secrets are none.
const allowed = "pragma: allowlist secret"

// plainSecrets hands over what has no form of its own but stands in a telling
// place, line by line, until yield says that it has seen enough; then it returns
// false.
func plainSecrets(text string, yield func(place) bool) bool {
	begin := 0
	var rows table
	for line := range strings.Lines(text) {
		inText := func(start, end int) bool {
			return strings.Contains(line, allowed) || yield(place{begin + start, begin + end})
		}
		if !urlPasswords(line, inText) {
			return false
		}
		if !rows.secrets(line, inText) {
			return false
		}
		if strings.ContainsAny(line, quotes) && (!namedValues(line, inText) || !randomValues(line, inText)) {
			return false
		}
		begin += len(line)
	}
	return true
}

const quotes = "\"'`"

// urlPasswords hands over what stands between colon and at sign in an address, as
// plainSecrets does.
func urlPasswords(whole string, yield func(start, end int) bool) bool {
	const schemeEnd = "://"
	line := whole
	for {
		_, rest, found := strings.Cut(line, schemeEnd)
		if !found {
			return true
		}
		line = rest
		user := strings.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune(":/?#[]@\"'<>{}$ \t\n\f\r", r) })
		if user < 0 || rest[user] != ':' {
			continue
		}
		name := rest[:user]
		rest = rest[user+1:]
		password := strings.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune(":/?#[]@\"'<> \t\n\f\r", r) })
		if password <= 0 || rest[password] != '@' || password+1 == len(rest) || name == "" && password < minNamedValue {
			continue
		}
		if c := rest[password+1]; (isWordByte(c) || c == '.' || c == '[' || c == '-') && !isTemplate(rest[:password]) && !isSampleAddress(name, rest[:password], rest[password+1:]) {
			if at := len(whole) - len(rest); !yield(at, at+password) {
				return false
			}
		}
	}
}

// isTemplate reports whether something else will take the value's place, or
// fetches it.
func isTemplate(value string) bool {
	if strings.IndexByte("$%<{[*", value[0]) >= 0 || strings.HasSuffix(value, ">") || template.MatchString(value) {
		return true
	}
	return strings.HasSuffix(value, ")") && strings.Contains(value, "(")
}

// placeholders are values that stand where a secret will.
var placeholders = map[string]bool{
	"string": true, "text": true, "null": true, "none": true, "true": true, "false": true, "undefined": true, "secret": true,
	"password": true, "passwd": true, "required": true, "optional": true, "hidden": true, "redacted": true, "[redacted]": true, "example": true,
	"value": true, "token": true, "input": true, "type": true, "name": true, "username": true, "email": true, "password_hash": true,
}

func isPlaceholder(value string) bool {
	low := strings.ToLower(value)
	if placeholders[low] || sameDigits(low) || isSequence(low) || uuid.MatchString(low) {
		return true
	}
	for _, sign := range []string{"your", "xxx", "***", "...", "placeholder", "insert", "enter_", "enter-", "change_me", "changeme", "replace", "dummy", "redacted", "<", "example"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

func sameDigits(value string) bool {
	return strings.Trim(value, value[:1]) == ""
}

// isSequence reports whether value is a piece of the alphabet or of the digits,
// once or more.
func isSequence(value string) bool {
	const alphabet, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	for _, row := range []string{alphabet + alphabet, digits + digits, alphabet + alphabet + digits, alphabet + digits + alphabet, digits + alphabet + alphabet, digits + alphabet + digits, "0123456789abcdef0123456789abcdef"} {
		if strings.Contains(row, value) {
			return true
		}
	}
	return false
}

// randomValues hands over the quoted strings that look like no text that a person writes, and
// are not the identifier of something, as plainSecrets does.
func randomValues(line string, yield func(start, end int) bool) bool {
	for i := 0; i < len(line); {
		if strings.IndexByte(quotes, line[i]) < 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(line) && isKeyByte(line[end]) {
			end++
		}
		if value := line[i+1 : end]; len(value) >= minHexLength && len(value) <= maxKeyLength && end < len(line) && strings.IndexByte(quotes, line[end]) >= 0 &&
			isRandom(value) && !isPlaceholder(value) && !isDigest(value) && !digestNear.MatchString(line[max(0, i-maxNameLength):i]) && !identifier.MatchString(line[max(0, i-maxNameLength):i]) && !yield(i+1, end) {
			return false
		}
		i = end
	}
	return true
}

// isKeyByte reports whether c is of the alphabets that keys are written in.
func isKeyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("+/=_-", c) >= 0
}

func isRandom(value string) bool {
	if hexadecimal.MatchString(value) {
		return hexEntropy(value) > minHexEntropy
	}
	return len(value) >= minBase64Length && isMixed(value) && entropy(value) > minBase64Entropy
}

// isMixed tells a key from words and paths: it has digits and letters.
func isMixed(value string) bool {
	return strings.ContainsAny(value, "0123456789") && strings.ContainsAny(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz")
}

// hexEntropy is the entropy, less what a number of digits alone does not owe
// to chance.
func hexEntropy(value string) float64 {
	bits := entropy(value)
	if strings.Trim(value, "0123456789") == "" {
		bits -= 1.2 / math.Log2(float64(len(value)))
	}
	return bits
}

// entropy is Shannon's, in bits per character.
func entropy(value string) float64 {
	var counts [256]int
	for i := range len(value) {
		counts[value[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(value))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
