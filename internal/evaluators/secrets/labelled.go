// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp"
	"slices"
	"strings"
)

// passwordWords are what passwords are called, in lower case and with what may stand
// between the words of a name. They are part of expressions that heed no case.
const passwordWords = `password|passwd|passcode|passphrase|passwort|kennwort|zugangscode|geheimwort|mot(?: de |_de_|-de-|de)passe|\bmdp|contrase(?:ñ|n)a|\bsenha|palavra[ _-]passe|` +
	`parola[ _-]?(?:d['’_]ordine|chiave)|wachtwoord|has(?:ł|l)o\b|пароль|密码|密碼|パスワード|비밀번호`

// passwordKeys are pieces of each of them, for the search. Beyond ASCII the search heeds case.
var passwordKeys = []string{
	"password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "zugangscode", "geheimwort", "mot de passe", "mot_de_passe", "mot-de-passe", "motdepasse", "mdp", "contraseña", "contraseÑa", "contrasena",
	"senha", "palavra passe", "palavra_passe", "palavra-passe", "parola", "wachtwoord", "haslo", "hasło", "hasŁo", "пароль", "Пароль", "ПАРОЛЬ", "密码", "密碼", "パスワード", "비밀번호",
}

// keyWords are what keys are called where a value must look like one.
const keyWords = `(?:api|access|secret|client|auth|license|encryption|signing)[ _-]?(?:key|token|secret)|\bpass\b|\bpwd|\bsecret\b|clave[ _-](?:secreta|de[ _-]acceso)|\bclave\b|chiave[ _-]segreta|geheimnis`

// keyKeys are pieces of each of them.
var keyKeys = func() []string {
	keys := []string{"pass", "pwd", "secret", "clave", "chiave", "geheimnis"}
	for _, owner := range [...]string{"api", "access", "secret", "client", "auth", "license", "encryption", "signing"} {
		for _, sign := range [...]string{"", " ", "_", "-"} {
			keys = append(keys, owner+sign+"key", owner+sign+"token")
		}
	}
	return keys
}()

// labelledTokens are values behind a word for passwords and keys: as a label, in a
// sentence, in markup, in an address and in the settings of a connection.
var labelledTokens = []token{
	{keywords: slices.Concat(passwordKeys, keyKeys), expression: `(?i)(?:` + passwordWords + `|` + keyWords + `)["'\x60*_]{0,4}[ \t]{0,3}(?::=|=>|->|:|=)[ \t*_]{0,5}["'\x60]?([^\s"'\x60<>|(){}\[\],;&?]{7,60})`, accept: isLabelled, unless: isPointer, sign: decimals},
	{keywords: passwordKeys, expression: `(?i)(?:` + passwordWords + `|\bapi key) (?:is|ist|lautet|est|es|é|è|war|was|becomes|ist jetzt|is now)(?: now| set to)?:?\s{1,2}["'\x60*]{0,3}([^\s"'\x60<>${}()\[\]]{8,60})`, accept: isPassword, sign: decimals},
	{keywords: passwordKeys, expression: `(?i)(?:` + passwordWords + `) ["'\x60]?([a-z0-9!#%^&@~._-]{8,40})["'\x60]?(?:[\s,.;!?)]|$)`, accept: isDrawn, sign: decimals},
	{keywords: []string{"password", "passwd", "pwd", "passwort", "passphrase", "passcode", "secret", "apikey", "api-key", "api_key", "token"}, expression: `(?i)<[\w:.-]{0,40}(?:password|passwd|pwd|passwort|passphrase|passcode|secret|api[_-]?key|token)(?:\s[^<>]{0,120})?>\s{0,3}([^<>\s]{6,120})\s{0,3}</`, accept: isMarkedUp},
	{keywords: []string{"password", "passwd", "pwd", "passphrase", "secret", "apikey", "api-key", "api_key"}, expression: `(?i)\b(?:name|key|id)\s?=\s?["'][\w.:-]{0,60}(?:password|passwd|pwd|passphrase|secret|api[_-]?key)["'][^<>]{0,80}?\svalue\s?=\s?["']([^"'<>\s]{5,120})["']`, accept: isTyped},
	{keywords: []string{"password", "passwd", "pwd", "passphrase", "secret", "apikey", "api-key", "api_key"}, expression: `(?i)\b(?:name|key)\s?=\s?["'][\w.:-]{0,60}(?:password|passwd|pwd|passphrase|secret|api[_-]?key)["'][^<>]{0,80}>\s{0,3}([^<>\s]{6,120})\s{0,3}</`, accept: isChosen},
	{keywords: []string{"password", "passwd", "pwd", "passphrase", "secret", "apikey", "api-key", "api_key", "token"}, expression: `(?i)<key>[\w .:-]{0,60}(?:password|passwd|pwd|passphrase|secret|api[_-]?key|token)</key>\s{0,12}<string>\s{0,3}([^<>\s]{6,120})\s{0,3}</`, accept: isMarkedUp}, // property lists
	{keywords: []string{"password", "passwort", "api key", "secret"}, expression: `(?i)(?:password|passwort|api key|secret)\s?:?\s?</t[dh]>\s{0,8}<td[^<>]{0,80}>\s{0,3}(?:<code>)?([^<>\s]{6,120})`, accept: isChosen},
	{keywords: []string{"password=", "passwd=", "pwd=", "pass="}, expression: `(?i)[?&](?:[\w.-]{0,20}(?:password|passwd|pwd)|pass)=([^\s&#;"'<>\x60)]{5,120})`, accept: isTyped},
	{keywords: []string{"key=", "token=", "secret="}, expression: `(?i)[?&](?:[\w.-]{0,20}(?:api_?key|access_?key|access_?token|auth_?token|client_?secret)|token|secret)=([^\s&#"'<>\x60)]{12,400})`, accept: isDrawn, sign: decimals},
	{keywords: []string{"password="}, expression: `(?i)\b(?:host|hostaddr|dbname|user|port)=[^\s,()]{1,80}(?:\s[a-z_]{1,20}=[^\s,()]{1,80}){0,6}\spassword=([^\s"',;()\x60]{4,80}|'[^'\r\n]{4,80}')`, accept: isTyped},
	{keywords: []string{"password="}, expression: `(?i)\bpassword=([^\s"',;()\x60]{4,80})(?:\s[a-z_]{1,20}=[^\s,()]{1,80}){0,3}\s(?:host|hostaddr|dbname|user|port)=`, accept: isTyped},
	{keywords: []string{"@tcp(", "@udp(", "@unix("}, expression: `\b[\w.-]{1,40}:([^\s:@/"'\x60]{4,80})@(?:tcp|udp|unix)\(`, accept: isTyped},
	{keywords: []string{"jdbc:oracle"}, expression: `(?i)\bjdbc:oracle:\w{1,8}:[\w$]{1,40}/([^\s@/"']{4,80})@`, accept: isTyped},
	{keywords: []string{"driver"}, expression: `(?i)\bdriver\s?=[^\r\n]{1,200}?;\s*(?:password|pwd)\s*=\s*\{([^}\s]{6,80})\}`, accept: isChosen},
}

var (
	measured  = regexp.MustCompile(`(?i)^\d+[+-]?[-_]?[a-z]+(?:-[a-z]+)*$|^[a-z]+-\d+$`) // 8-character, SHA-256
	algorithm = regexp.MustCompile(`(?i)argon2|pbkdf|bcrypt|scrypt|sha\d|md5|base\d|utf-?\d|oauth2|auth0|hs256|rs256|aes\d|x509|ed25519|rfc\d|iso\d`)
)

// isTechnical reports whether a value is a measure or the name of a method.
func isTechnical(value string) bool {
	return measured.MatchString(value) || algorithm.MatchString(value)
}

// isLabelled reports whether what stands behind a label, on a line with other words, is
// a password or a key: letters and digits, and no measure or name of a method.
func isLabelled(value string) bool {
	value = strings.TrimRight(value, ".,;:!?*_")
	return len(value) >= 7 && isMixed(value) && isConfigured(value) && isChosen(value) && !isTechnical(value)
}

// isDrawn reports whether letters and digits change places so often that they form no
// readable word.
func isDrawn(value string) bool {
	value = strings.TrimRight(value, ".,;:!?*_")
	return len(value) >= 8 && isTyped(value) && !isTechnical(value) && !isDigest(value) && turns(value) >= 3
}

// isMarkedUp reports whether the text of an element is a password or a key.
func isMarkedUp(value string) bool {
	low := strings.ToLower(value)
	return isTyped(value) && (isMixed(value) || strings.ContainsAny(value, "-!#^&%@~_")) && !strings.ContainsAny(value, "()=") && !strings.Contains(low, "secret") && !strings.Contains(low, "passw")
}

// turns returns how often letters and digits change places in a value.
func turns(value string) int {
	n, last := 0, byte(0)
	for i := range len(value) {
		kind := byte('a')
		switch c := value[i]; {
		case c >= '0' && c <= '9':
			kind = 'd'
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		default:
			continue
		}
		if last != 0 && kind != last {
			n++
		}
		last = kind
	}
	return n
}
