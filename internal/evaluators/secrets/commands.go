// SPDX-License-Identifier: Apache-2.0

package secrets

import "strings"

// commandTokens are passwords that are typed on a command line, each where its
// program takes it.
var commandTokens = []token{
	{keywords: []string{"sshpass"}, expression: `\bsshpass\s+-p\s*["']?` + typed, accept: isTyped},
	// With a space behind it, -p asks for the password, and what follows is a database.
	{keywords: []string{"mysql", "mariadb"}, expression: `\b(?:mysql(?:dump|admin|import|check|sh)?|mariadb(?:-dump|-admin)?)\s(?:[^\r\n|;]{0,160}?\s)?-p["']?([^\s"'$<{(=-][^\s"'$<{(|;]{3,100})`, accept: isTyped},
	{keywords: []string{"mysql", "mariadb"}, expression: `\b(?:mysql(?:dump|admin|import|check|sh)?|mariadb(?:-dump|-admin)?)\s(?:[^\r\n|;]{0,160}?\s)?--password=["']?` + typed, accept: isTyped},
	{keywords: []string{"curl", "wget", "http -", "https -", "http get", "http post", "http put", "xh -"}, expression: `\b(?:curl|wget|https?|xh)\s(?:[^\r\n|]{0,200}?\s)?(?:-[uUa]|--user|--auth|--proxy-user)[= ]?\s*["']?[\w.@+-]{1,60}:` + typed, accept: isTyped},
	{keywords: []string{"redis-cli"}, expression: `\bredis-cli\s(?:[^\r\n|]{0,160}?\s)?(?:-a|--pass)[= ]\s*["']?` + typed, accept: isTyped},
	{keywords: []string{"sqlcmd", "osql", "bcp"}, expression: `\b(?:sqlcmd|osql|bcp)\s(?:[^\r\n|]{0,160}?\s)?-P\s*["']?` + typed, accept: isTyped},
	{keywords: []string{"sqlplus"}, expression: `\bsqlplus\s+(?:-\w+\s+){0,4}["']?[\w$]{1,40}/([^\s@/"']{4,80})@`, accept: isTyped},
	{keywords: []string{"mongo"}, expression: `\bmongo(?:sh|dump|restore|export|import|stat|top)?\s(?:[^\r\n|]{0,160}?\s)?(?:-p|--password)[= ]\s*["']?` + typed, accept: isTyped},
	{keywords: []string{"freerdp"}, expression: `(?i)freerdp\d?\s(?:[^\r\n|]{0,160}?\s)?/p:["']?` + typed, accept: isTyped},
	{keywords: []string{"net use"}, expression: `(?i)\bnet use\s[^\r\n|]{0,120}?\\\\\S{1,100}\s+([^\s"'$<{(/*]{4,100})\s+/user:`, accept: isTyped},
	{keywords: []string{"ldap"}, expression: `\bldap(?:search|add|modify|delete|whoami|passwd|compare)\s(?:[^\r\n|]{0,200}?\s)?-w\s*["']?` + typed, accept: isTyped},
	{keywords: []string{"smb", "rpcclient"}, expression: `\b(?:smbclient|smbget|smbmap|rpcclient)\s(?:[^\r\n|]{0,160}?\s)?(?:-U|--user)[= ]?\s*["']?[\w.\\/-]{1,60}%` + typed, accept: isTyped},
	{keywords: []string{"7z ", "7za ", "7zr ", "7zz ", "rar "}, expression: `\b(?:7z[arz]?|(?:un)?rar)\s(?:[^\r\n|]{0,160}?\s)?-h?p["']?([^\s"'$<{(=-][^\s"'$<{(|;]{3,100})`, accept: isTyped},
	{keywords: []string{"zip -"}, expression: `\b(?:un)?zip\s(?:[^\r\n|]{0,160}?\s)?-P\s*["']?` + typed, accept: isTyped},
	{keywords: []string{"pass:"}, expression: `\s-(?:pass|passin|passout)\s+["']?pass:` + typed, accept: isTyped},
	{keywords: []string{"openssl"}, expression: `\bopenssl\s(?:[^\r\n|]{0,160}?\s)?-k\s+["']?` + typed, accept: isTyped},
	{keywords: []string{"storepass", "keypass"}, expression: `\s-{1,2}(?:(?:src|dest)?(?:store|key)pass)[= ]\s*["']?` + typed, accept: isTyped},
	{keywords: []string{"--passphrase"}, expression: `\s--passphrase[= ]\s*["']?` + typed, accept: isChosen},
	{keywords: []string{"-password", "-passwd", "--password", "--passwd"}, expression: `\s--?(?:[\w-]{1,20}-)?passw(?:or)?d[= ]\s*["']?` + typed, accept: isChosen},
	{keywords: []string{"--set", "--from-literal", "--build-arg", "--env", "-e ", " -d"}, expression: `(?:^|\s)(?:--set(?:-string)?|--from-literal|--build-arg|--env|-e|-D)[= ]?["']?[\w.\[\]-]{0,60}(?i:password|passwd|pwd|secret|token|api_?key)=([^\s,"'$<{(]{5,100})`, accept: isTyped},
	{keywords: []string{"requirepass", "masterauth", "rootpw"}, expression: `(?m)^\s{0,8}(?:requirepass|masterauth|rootpw)\s+["']?` + typed, accept: isChosen},
	{keywords: []string{"enable ", "set "}, expression: `(?im)^\s{0,8}(?:enable|set)\s+(?:\w{1,20}_)?(?:secret|password|passwd)\s+(?:level \d+ )?(?:\d\s)?["']?` + typed, accept: isChosen},
	{keywords: []string{"--password-stdin"}, expression: `\becho\s+(?:-n\s+)?["']?([^\s"'$<{(|]{5,100})["']?\s*\|\s*[^\r\n|]{1,160}?--password-stdin`, accept: isTyped},
	{keywords: []string{"sudo -s"}, expression: `\becho\s+(?:-n\s+)?["']?([^\s"'$<{(|]{5,100})["']?\s*\|\s*sudo -S\b`, accept: isTyped},
	{keywords: []string{"chpasswd"}, expression: `\becho\s+(?:-e\s+)?["']?[\w.-]{1,40}:([^\s"'$<{(|]{4,100})["']?\s*\|\s*(?:sudo\s+)?chpasswd\b`, accept: isTyped},
	{keywords: []string{"pgpassword", "mysql_pwd", "rediscli_auth", "sshpass", "sqlcmdpassword"}, expression: `\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS|SQLCMDPASSWORD)=["']?` + typed, accept: isTyped},
}

// typed is what a password on a command line looks like, which nothing else will
// take the place of.
const typed = `([^\s"'$<{(\x60|;]{4,100})`

// isTyped reports whether a password on a command line or in an address stands for
// itself, and is not one that samples have.
func isTyped(value string) bool {
	return isWritten(value) && !isPlaceholder(value) && !isSample(value)
}

// isChosen is isTyped where a word may follow that is none: it has digits among its
// letters, or signs that no word has.
func isChosen(value string) bool {
	return len(value) >= 6 && isTyped(value) && entropy(value) >= minPasswordEntropy && (isMixed(value) || strings.ContainsAny(value, "!#^&%@~"))
}
