// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/base64"
	"strings"
)

// yamlNames are the words that names of secrets in YAML end with.
const yamlNames = `pass|password|passwd|passphrase|pwd|secret|(?:api|auth|private|client|access)[_-]?key`

// placedTokens are values that only their place makes secrets: behind the name
// of a service and a word for keys, in the header of a request, in netrc, in
// connection strings, on command lines, in sentences.
var placedTokens = []token{
	{
		keywords:   []string{"secret", "token", "key", "access", "private", "auth", "password", "passwd"},
		expression: `(?i)(?:secret|token|key|access|private|auth|passw(?:or)?d)[a-z]{0,8}(?:[ _.-](?:key|token|secret|access|private|pat|code|id)){0,2}["']?[ \t]{0,3}(?::=|=>|=|:|-|_| )[ \t]{0,3}(?:!!binary )?["'\x60]?([A-Za-z0-9$][A-Za-z0-9_+/=.:$-]{15,300})`, accept: isTokenLike, unless: isHarmlessKey, sign: decimals,
	},
	{keywords: []string{"authorization"}, expression: `(?i)authorization\W{1,6}(?:bearer|basic|token|apikey|digest|negotiate)\s+([A-Za-z0-9._~+/=-]{10,400})`, accept: isCredential},
	{keywords: []string{"bearer"}, expression: `(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{20,400})`, accept: isTokenLike},
	{keywords: []string{"machine"}, expression: `(?i)\bmachine\s+[\w.-]+\s+login\s+\S+\s+password\s+(\S{4,100})`, accept: isNoPlaceholder},
	{keywords: []string{"pwd", "password"}, expression: `(?i)(?:server|data source|host|provider|uid|user id|user|username|database(?:name)?|driver)\s*=[^\r\n]{1,200}?;\s*(?:password|pwd)\s*=\s*([^;"'\s]{4,100})`, accept: isWritten},
	{keywords: []string{"pass"}, expression: `(?i)\buser(?:name)?\s*[:=]\s*\S+[ \t]*\r?\n(?:[^\n]{0,120}\n){0,3}?[\w.-]{0,40}pass(?:word)?[ \t]*=[ \t]*([^\s"'(){}\[\]$<]{4,100})[ \t]*(?:\r?\n|$)`, accept: isWritten},
	{keywords: []string{"_pass"}, expression: `(?m)^[#\s]{0,6}(?:export\s+)?[A-Z][A-Z0-9_]{2,60}_PASS(?:WORD|WD)?=([^\s"'(){}\[\]$<]{4,100})`, accept: isSet},
	{keywords: []string{"psexec", "docker login", "connect-viserver", "net use", "wget", "curl"}, expression: `(?i)\b(?:psexec(?:\.exe)?|docker login|connect-viserver|net use|wget|curl)\s[^\r\n]{0,160}?\s-{1,2}(?:p|password)[= ]\s*["']?([^\s"'$<{(]{4,100})`, accept: isTyped},
	{keywords: []string{"--"}, expression: `(?i)\s--(?:password|passwd|api-?key|token|secret)[= ]["']?([^\s"'$<{(]{8,200})`, accept: isTokenLike},
	{keywords: append([]string{"pass", "pwd", "secret", "key"}, passwordKeys...), expression: `(?im)^[\s#;>*-]{0,12}(?:export |set |var |let |const )?["']?[\w.$@-]{0,40}(?:pass|` + passwordWords + `|pwd|secret|(?:api|auth|service|account|db|database|priv|private|client|access)[_-]?key)(?:[\w-]{0,20})(?:\.[\w-]{1,20})?["'*_]{0,4}[ \t]{0,12}(?::=|=>|=|:)[*_]{0,4}[ \t]{0,12}([^\s"'\x60;]{5,99}[^\s"'\x60,;])[,;]?[ \t]*\r?$`, accept: isConfigured, unless: isPointer, sign: decimals + configuredSigns + "$"},
	{ // In YAML, on the line behind its name.
		keywords:   []string{"pass", "pwd", "secret", "key"},
		expression: `(?im)^[ \t-]{0,40}["']?[\w.-]{0,40}(?:` + yamlNames + `)["']?:[ \t]{1,4}[|>][+-]?[ \t]*\r?\n[ \t]{1,40}([^\s"'\x60;]{6,100})[ \t]*\r?$`, accept: isConfigured, unless: isPointer,
	},
	{ // In a list of variables of a container.
		keywords:   []string{"value"},
		expression: `(?im)^[ \t-]{0,40}name:[ \t]{1,4}["']?[\w.-]{0,60}(?:` + yamlNames + `|token)["']?[ \t]*\r?\n[ \t]{1,40}value:[ \t]{1,4}["']?([^\s"'\x60;]{6,200})["']?[ \t]*\r?$`, accept: isConfigured,
	},
	{keywords: []string{"password for", "password of"}, expression: `(?i)password (?:for|of) (?:the )?(?:\w+ )?user ['"\x60]?[\w-]{1,40}['"\x60]? is ['"\x60]([^'"\x60\s]{4,60})['"\x60]`, accept: isWritten},
	{keywords: []string{"$1$", "$2", "$5$", "$6$", "$y$", "$apr1$", "$argon2", "$krb5"}, expression: `\$(?:(?:1|apr1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|5\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}|6\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}|y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43}|argon2(?:id?|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[+/A-Za-z0-9]+\$[+/A-Za-z0-9]{20,}|krb5(?:asrep|tgs|pa)\$\d+\$[^\s]{32,})`},
}

// isPrivateKey reports whether base64 begins a private key in PEM.
func isPrivateKey(value string) bool {
	text, err := base64.StdEncoding.DecodeString(value[:len(value)/4*4])
	return err == nil && strings.Contains(string(text[:min(len(text), 60)]), "PRIVATE KEY")
}

func isNoPlaceholder(value string) bool { return !isPlaceholder(value) && !isTemplate(value) }

// isWritten reports whether a value stands for itself, not for one that is
// still to be put there.
func isWritten(value string) bool {
	low := strings.ToLower(value)
	for _, sign := range []string{"your", "xxx", "***", "...", "placeholder", "changeme", "example", "enter_"} {
		if strings.Contains(low, sign) {
			return false
		}
	}
	return !isTemplate(value) && !unclosed.MatchString(value) && !sameDigits(low) && value != strings.ToUpper(strings.Trim(value, "0123456789"))
}

// isSet reports whether a variable is given a password: isWritten, but for one that the
// reader of a sample is to change.
func isSet(value string) bool { return isWritten(value) && !samplePasswords[strings.ToLower(value)] }

// isCredential reports whether the value of a header is one.
func isCredential(value string) bool {
	return isNoPlaceholder(value) && strings.ContainsAny(value, "0123456789._=")
}

// isPassword reports whether what a sentence or a label names is a password:
// it has letters, a digit and no more than that a word has not.
func isPassword(value string) bool {
	value = strings.TrimRight(value, ".,;:!?")
	return len(value) >= 8 && isMixed(value) && isNoPlaceholder(value) && strings.IndexByte(value, '/') < 0 && !described.MatchString(value)
}

// isConfigured reports whether the unquoted value of a setting is a password,
// and not a name or a call in a program: it has digits among its letters, or
// signs that no name has.
func isConfigured(value string) bool {
	low := strings.ToLower(value)
	if !isTyped(value) || isDigest(value) || strings.HasPrefix(low, "pass") || strings.HasPrefix(low, "pwd") || strings.HasPrefix(low, "secret") {
		return false
	}
	if strings.ContainsAny(value, "()[].<>/\\") {
		if strings.ContainsAny(value[:len(value)-1], "#!$%^&~") && !strings.ContainsAny(value, "()[]<>/\\") && isMixed(value) {
			return true // A name with a dot has no such sign within.
		}
		return strings.ContainsAny(value, "$#!^&~%@") && strings.ContainsAny(value, "{[") && len(value) >= 16
	}
	return entropy(value) >= minPasswordEntropy && (isMixed(value) || strings.ContainsAny(value, configuredSigns))
}

// Characters of which some values have one at least.
const (
	decimals        = "0123456789"
	configuredSigns = "!#^&~%@" // that no name in a program has
)

// minPasswordEntropy is the entropy of five characters of one kind each.
const minPasswordEntropy = 2

// isTokenLike reports whether a value looks drawn by chance: letters and digits
// change places often, or it is long and of one kind.
func isTokenLike(value string) bool {
	value = strings.TrimRight(value, ".,;:-_")
	if len(value) < minTokenLength || isPlaceholderToken(value) || isDigest(value) {
		return false
	}
	digits, letters, turns, piece, longest := 0, 0, 0, 0, 0
	last := byte(0)
	for i := range len(value) {
		if piece++; !isWordByte(value[i]) || value[i] == '_' {
			piece = 0
		}
		longest = max(longest, piece)
		kind := byte(0)
		switch c := value[i]; {
		case c >= '0' && c <= '9':
			kind = 'd'
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			kind = 'a'
			letters++
		default:
			continue
		}
		if last != 0 && kind != last {
			turns++
		}
		last = kind
	}
	return digits >= 2 && letters >= 2 && (turns >= 3 || turns >= 1 && longest >= minPiece) && entropy(value) >= minTokenEntropy
}

const (
	minTokenLength  = 16
	minTokenEntropy = 3.0
	// minPiece is the length from which letters and digits without a sign
	// between them are no name.
	minPiece = 20
)

// isPlaceholderToken is isPlaceholder for what may be an identifier by form.
func isPlaceholderToken(value string) bool {
	low := strings.ToLower(value)
	for _, sign := range []string{"your", "xxxx", "****", "...", "placeholder", "insert", "example", "://", "dummy", "redacted", "replace", "test_key", "undefined"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return sameDigits(low) || isTemplate(value)
}

// isDigest reports whether a value says of itself that it is the digest of
// something, as in the lock files of package managers.
func isDigest(value string) bool {
	for _, name := range []string{"sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "sha1:", "md5-", "md5:", "h1:"} {
		if strings.HasPrefix(value, name) {
			return true
		}
	}
	return false
}
