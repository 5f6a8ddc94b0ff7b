// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of a value with a telling name, in bytes.
const (
	minNamedValue = 4
	maxNamedValue = 512
	maxSpaces     = 12 // on either side of the sign between the two
	maxSuffix     = 33 // of a name, such as _for_tests or 2
)

// What a name tells.
var (
	secretNames = []string{
		"passwort", "password", "passwd", "pwd", "secret", "passphrase", "passcode", "contraseña", "contraseÑa", "contrasena", "kennwort", "zugangscode", "geheimnis", "mot_de_passe", "mot-de-passe", "mot de passe",
		"motdepasse", "senha", "palavra_passe", "palavra-passe", "parola_chiave", "parola d'ordine", "clave_secreta", "chiave_segreta", "wachtwoord", "hasło", "haslo", "пароль", "Пароль", "密码", "密碼", "パスワード", "비밀번호",
	}
	keyOwners   = []string{"api", "auth", "service", "account", "db", "database", "priv", "private", "client", "access", "secret"}
	passOwners  = []string{"db", "database", "key"}
	longestName = len("database_key")
)

// namedValues hands over the quoted values without white space that are given to
// a name which tells that they are secret, as plainSecrets does: password = "…",
// 'api_key' => '…', login(pwd: `…`).
func namedValues(line string, yield func(start, end int) bool) bool {
	for i := 0; i < len(line); i++ {
		if strings.IndexByte(quotes, line[i]) < 0 {
			continue
		}
		value, ok := quoted(line[i:])
		if ok && isGiven(line[:i], value, line[i+len(value)+2:]) && !isTemplate(value) && !isPlaceholder(value) && !isDigest(value) && !yield(i+1, i+1+len(value)) {
			return false
		}
	}
	return true
}

// isGiven reports whether a value in quotes is given to a name that tells, or compared
// with one, by what stands before it and behind it. Where words stand in its place as
// well, it must look like a password.
func isGiven(before, value, behind string) bool {
	if isNamed(before, tells) || isCompared(behind, tells) || strings.HasPrefix(behind, ";") && isBeside(before, tells) {
		return true
	}
	return isMixed(value) && isChosen(value) && !isTechnical(value) &&
		(isDirective(before, behind) && (isBeside(before, tells) || isBeside(before, hints)) || isPassed(before) || isNamed(before, hints) || isCompared(behind, hints))
}

// quoted returns what stands between the quote that text begins with and the next
// one of its kind.
func quoted(text string) (string, bool) {
	for end := 1; end < min(len(text), maxNamedValue+2); end++ {
		switch c := text[end]; {
		case c == text[0]:
			return text[1:end], end-1 >= minNamedValue
		case isSpaceByte(c):
			return "", false
		}
	}
	return "", false
}

// isNamed reports whether text ends with a name that tells and a sign that a
// value follows.
func isNamed(text string, tells func(string) bool) bool {
	text = trimMarks(trimPrefix(strings.TrimSuffix(text[max(0, len(text)-maxNaming):], "@")))
	text, sign := cutSign(text)
	if rest, is := strings.CutSuffix(trimMarks(text), "="); is && (sign == "(" || sign == "[") { // pwd = ("…")
		text, sign = rest, "="
	}
	if sign == "" || sign == "[" {
		return false
	}
	text = trimMarks(text)
	switch {
	case strings.HasSuffix(text, "]"):
		if at := subscript.FindStringSubmatchIndex(text); at != nil {
			if spoken.MatchString(text[:at[0]]) {
				return false
			}
			text = text[:max(at[3], at[5])]
		} else if sign == "=" {
			text = declared.ReplaceAllString(text, "$1")
		}
	case sign == "=":
		text = strings.TrimRight(accessors.ReplaceAllString(text, ""), " ")
		text = declared.ReplaceAllString(text, "$1")
	}
	for _, end := range [...]string{"[]", ".assign", ".equals", ".set"} {
		text = strings.TrimSuffix(text, end)
	}
	if n := len(text); n > 0 && strings.IndexByte(quotes, text[n-1]) >= 0 {
		text = text[:n-1]
	}
	return tells(text[max(0, len(text)-longestName-maxSuffix):]) && (sign != "(" || !fetched.MatchString(text))
}

// maxNaming is how many bytes before a value are looked at for its name.
const maxNaming = 160

// declared is a name with the number of its elements or with its type behind it:
// pwd[16], password: Optional[str].
var declared = regexp.MustCompile(`(\w)(?:\[\d{1,4}\]|: ?&?(?:'static )?[A-Za-z][\w.<>\[\]?]{1,30})$`)

// set is the beginning of a line that gives a value to a name, and the end of one with an
// option of a command, less the name's last letters.
var set = regexp.MustCompile(`^\s*(?:[(#]?\w{1,12}\s+)?\w[\w.-]{0,60}\s+$|\s--?[\w-]{1,60}\s+$`)

// isDirective reports whether a name and a value next to it are no words of a sentence.
func isDirective(before, behind string) bool {
	at := set.FindStringIndex(before[max(0, len(before)-maxNaming):])
	if at == nil {
		return false
	}
	return at[0] > 0 || strings.Trim(behind, " \t\r\n;,)") == ""
}

var (
	// subscript is a name by which something is found in a table: config['password'],
	// options[:password].
	subscript = regexp.MustCompile(`\[(?:["'\x60]([^"'\x60\[\]]{1,60})["'\x60]|:(\w{1,60}))\]$`)
	// spoken is a table of what is said about its names: errors['password'].
	spoken = regexp.MustCompile(`(?i)(?:error|label|message|msg|hint|title|type|rule|field|placeholder|translation|text|string|column|header|description|help|attribute)(?:s|es)?["'\x60]?\]?$`)
	// fetched is the name of a function that looks for a secret: get_secret(…).
	fetched = regexp.MustCompile(`(?i)(?:get|load|read|fetch|find|look_?up|require|retrieve|access|open|resolve|decrypt|mount)(?:_?[a-z]{1,12})??_?(?:secret|password|passwd|credential|key)[a-z_]{0,20}$`)
	// accessors are those of a property: Password { get; set; }.
	accessors = regexp.MustCompile(`\{ ?(?:(?:private |protected |internal )?(?:get|set|init); ?){1,2}\}$`)
	// passed is a name that is handed over with a value behind it, or compared with one by
	// a function: define('DB_PASSWORD', …, set :db_password, …, strcmp(password, ….
	passed = regexp.MustCompile(`(?i)(?:\(\s?(?:[\w.]{1,40},\s?)?["'\x60]([\w.$:-]{2,60})["'\x60]|[\s(]:(\w{2,60})|(?:cmp|equals?|compare\w{0,20}|digest)\(\s?[&*$]?([\w.>-]{2,60}))\s?,\s{0,8}@?$`)
)

// isPassed reports whether text ends with a name that tells and a comma.
func isPassed(text string) bool {
	text = trimPrefix(text[max(0, len(text)-maxNaming):])
	if !strings.HasSuffix(strings.TrimRight(text, " \t@"), ",") {
		return false
	}
	name := passed.FindStringSubmatch(text)
	return name != nil && tells(name[1]+name[2]+name[3])
}

// trimPrefix takes off the letter that tells what kind of text a quote begins: b"…".
func trimPrefix(text string) string {
	n := len(text)
	if n > 1 && strings.IndexByte("bBrRuUfF", text[n-1]) >= 0 && strings.IndexByte(" \t=(:", text[n-2]) >= 0 {
		return text[:n-1]
	}
	return text
}

// isBeside reports whether text ends with a name that tells and spaces, as in
// the configuration of servers and on command lines: secret "…"; and #define AP_PASS "…".
func isBeside(text string, tells func(string) bool) bool {
	name := strings.TrimRight(text, " \t")
	if name == text || len(text)-len(name) > maxSpaces {
		return false
	}
	return tells(name[max(0, len(name)-longestName-maxSuffix):])
}

// isCompared reports whether text begins with a comparison with a name that
// tells.
func isCompared(text string, tells func(string) bool) bool {
	rest := strings.TrimLeft(text[:min(len(text), 80)], " ")
	sign := len(rest) - len(strings.TrimLeft(rest, "=!"))
	if sign < 2 || sign > 3 {
		return false
	}
	name := strings.TrimLeft(rest[sign:], " ")
	end := 0
	for end < len(name) && (isWordByte(name[end]) || name[end] == '-' || name[end] == '.' || name[end] >= utf8.RuneSelf) {
		end++
	}
	return end > 0 && tells(name[max(0, end-longestName-maxSuffix):end])
}

// cutSign takes off the sign between a name and its value, and returns it, "" for none.
func cutSign(text string) (name, sign string) {
	for _, sign := range [...]string{":=", "=>", "<-", "===", "!==", "==", "!=", "=", ":", "(", "["} {
		if rest, ok := strings.CutSuffix(text, sign); ok {
			return rest, sign
		}
	}
	return text, ""
}

// trimMarks takes off spaces and the stars of what stands out in Markdown.
func trimMarks(text string) string {
	return strings.TrimSuffix(trimSpaces(text), "**")
}

func trimSpaces(text string) string {
	for range maxSpaces {
		if n := len(text); n > 0 && isSpaceByte(text[n-1]) {
			text = text[:n-1]
		}
	}
	return text
}

// nameWords finds what names of secrets have in them.
var nameWords = sync.OnceValue(func() *words { return newWords(append([]string{"key", "pass"}, secretNames...)) })

// tells reports whether text ends with a name of a secret.
func tells(text string) bool {
	low := string(lowered(text))
	if !nameWords().in(low) {
		return false
	}
	for _, name := range secretNames {
		if endsWith(text, low, name, nil) {
			return true
		}
	}
	return endsWith(text, low, "key", keyOwners) || endsWith(text, low, "pass", passOwners)
}

// hints reports whether text ends with a short word for passwords, a word of its own or
// the last of several: pw, smtp_pass, adminPass.
func hints(text string) bool { return short.MatchString(text) }

var short = regexp.MustCompile(`(?:^|[^a-zA-Z])(?:[pP][wW]|[pP]ass|PASS|[pP]sw|PSW)$|[a-z](?:Pass|Pw|PW)$`)

// endsWith reports whether text, which is low in lower case, ends with a name
// that one of its owners stands before, if there are any, and a suffix.
func endsWith(text, low, name string, owners []string) bool {
	for end := len(low); ; {
		i := strings.LastIndex(low[:end], name)
		if i < 0 {
			return false
		}
		end = i + len(name) - 1
		before := strings.TrimSuffix(strings.TrimSuffix(low[:i], "_"), "-")
		owned := owners == nil || slices.ContainsFunc(owners, func(owner string) bool {
			return strings.HasSuffix(low[:i], owner) || len(before) == i-1 && strings.HasSuffix(before, owner)
		})
		if owned && isSuffix(text[i+len(name):]) && !isPointer(text[i:]) {
			return true
		}
	}
}

// pointers are ends of names whose values tell where a secret is, or what is asked of it.
var pointers = []string{
	"name", "names", "file", "filename", "path", "dir", "id", "ids", "ref", "key_ref", "url", "uri", "arn", "type", "field", "label", "hint", "policy", "prompt", "title", "header", "column", "length", "env", "var", "version",
	"regex", "pattern", "placeholder", "description", "message", "error",
}

// isPointer reports whether text, less signs and quotes, ends with a name of such a value:
// secret_name, passwordFile.
func isPointer(text string) bool {
	text = strings.TrimRight(text, " \t\r\n:=>*\"'`(")
	low := string(lowered(text))
	for _, end := range pointers {
		if before, is := strings.CutSuffix(low, end); is && before != "" && (strings.ContainsRune("_-.", rune(before[len(before)-1])) || text[len(before)] != low[len(before)]) {
			return true
		}
	}
	return false
}

// isSuffix reports whether text may stand at the end of a name: _old, -2024,
// Hash, 17.
func isSuffix(text string) bool {
	if text == "" {
		return true
	}
	rest := text[1:]
	words := strings.IndexFunc(rest, func(r rune) bool { return r >= 0x80 || !isWordByte(byte(r)) }) < 0
	switch c := text[0]; {
	case c == '_' || c == '-':
		return words && len(rest) >= 1 && len(rest) < maxSuffix
	case c >= 'A' && c <= 'Z':
		return words && len(rest) < maxSuffix
	}
	return len(text) <= 4 && strings.Trim(text, "0123456789") == ""
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func isSpaceByte(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }
