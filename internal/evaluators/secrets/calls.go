// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp"
	"strings"
)

// calledTokens are passwords that are given in calls of programs, in statements of SQL, and
// where a file has a place for them.
var calledTokens = []token{
	{ // Two words in quotes: who, and with what.
		keywords:   []string{"auth(", "auth=", "auth =", "credential", "usernamepassword", "passwordauth", "login(", "basic("},
		expression: `(?:(?i:basic_?auth\w{0,14}|NetworkCredentials?|UsernamePassword\w{0,24}|PasswordAuth\w{0,14}|\.auth|\.basic|\.login|credentials)\(|\b(?i:auth)\s{0,3}=\s{0,3}[(\[{])\s{0,8}["'][^"'\r\n]{1,80}["'],\s{0,40}["']([^"'\s]{4,80})["']`,
		accept:     isChosen,
	},
	{ // And before them, where.
		keywords:   []string{"directoryentry(", "login(", "connect("},
		expression: `(?:DirectoryEntry|\.login|\.connect)\(\s{0,8}(?:[\w.]{1,60}|["'][^"'\r\n]{0,120}["']),\s{0,40}["'][^"'\r\n]{1,80}["'],\s{0,40}["']([^"'\s]{4,80})["']`,
		accept:     isChosen,
	},
	{keywords: []string{"identified"}, expression: `(?i)\bidentified\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?["']([^"'\r\n]{4,80})["']`, accept: isTyped},
	{keywords: []string{"password"}, expression: `(?i)\b(?:role|user|login)\s[^;\r\n]{1,120}?\bpassword\s*=?\s*N?'([^'\r\n]{4,80})'`, accept: isTyped},
	{keywords: []string{"set password"}, expression: `(?i)\bset\s+password\s+for\s[^=;\r\n]{1,120}=\s{0,3}(?:password\()?["']([^"'\r\n]{4,80})["']`, accept: isTyped},
	{keywords: []string{"sp_addlogin", "sp_password"}, expression: `(?i)\bsp_(?:addlogin|password)\s+(?:@\w+\s*=\s*)?N?'[^'\r\n]{1,80}',\s*(?:@\w+\s*=\s*)?N?'([^'\r\n]{4,80})'`, accept: isTyped},
	{keywords: []string{"securestring"}, expression: `(?i)\bConvertTo-SecureString\s+(?:-\w+\s+){0,3}["']([^"'\r\n$]{4,120})["']`, accept: isTyped},
	{keywords: []string{"psk"}, expression: `(?i)\bpsk\s?[=:]\s?["']([^"'\r\n]{8,63})["']`, accept: isChosen},
	{keywords: []string{"rabbitmqctl"}, expression: `\brabbitmqctl\s(?:[^\r\n|;]{0,80}?\s)?(?:add_user|change_password)\s+\S{1,60}\s+["']?` + typed, accept: isTyped},
	{keywords: []string{"htpasswd"}, expression: `\bhtpasswd\s+(?:-\w+\s+){0,3}?-\w{0,4}b\w{0,4}\s+(?:-\w+\s+){0,3}\S{1,120}\s+\S{1,60}\s+["']?` + typed, accept: isTyped},
	{keywords: []string{":5432:", ":*:", ":5433:", ":6432:"}, expression: `(?m)^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.*-]{1,40}:([^\s:]{4,80})\s*$`, accept: isChosen}, // pgpass
	{keywords: []string{"variable"}, expression: `(?i)\bvariable\s+"[\w-]{0,40}(?:password|passwd|pwd|secret|token|api_?key)[\w-]{0,20}"\s*\{[^{}]{0,300}?\bdefault\s*=\s*"([^"\s]{5,120})"`, accept: isTyped},
	{keywords: []string{"token"}, expression: `(?i)\b(?:name|key|id)\s?=\s?["'][\w.:-]{0,60}token["'][^<>]{0,80}>\s{0,3}([^<>\s]{6,120})\s{0,3}</`, accept: isTokenLike},
	{keywords: []string{"token"}, expression: `(?i)\b(?:name|key|id)\s?=\s?["'][\w.:-]{0,60}token["'][^<>]{0,80}?\svalue\s?=\s?["']([^"'<>\s]{5,120})["']`, accept: isTokenLike},
	{keywords: []string{"secret", "token", "key"}, expression: `(?i)\b(?:secret|token|key) (?:(?:of|for|to) [\w .-]{1,40}? )?(?:is|was|lautet|ist)(?: now)?:? {1,2}["'\x60]?([A-Za-z0-9_+/=-]{20,200})`, accept: isTokenLike, sign: decimals},
}

// harmlessKeys are names of keys that are no secrets: of tables, of caches, for the public
// and of machines with keys.
var harmlessKeys = regexp.MustCompile(`(?i)(?:primary|foreign|partition|sort|idempotency|public|cache|row|shard|routing|object|surrogate|unique|composite|candidate|correlation|message|event|group|index|registry|translation|mon|tur|hoc|joc|don|whis)[ _-]?key["'\x60]?s?["'\x60]?\W{0,12}$`)

// isHarmlessKey reports whether what stands before a value calls it a key that is no secret.
func isHarmlessKey(before string) bool {
	return strings.Contains(strings.ToLower(before), "key") && harmlessKeys.MatchString(before)
}
