// SPDX-License-Identifier: Apache-2.0

package secrets

import "strings"

// samplePasswords are what samples have for a password. What has one of these words
// in it, such as mypassword1, is one as well if nothing but a few letters is left.
var samplePasswords = map[string]bool{
	"pass": true, "passwd": true, "password": true, "passwort": true, "pwd": true, "pw": true, "secret": true, "changeme": true, "changeit": true, "change-me": true,
	"foo": true, "bar": true, "baz": true, "foobar": true, "xyz": true, "test": true, "demo": true, "sample": true, "postgres": true, "mysql": true, "guest": true, "tiger": true, "anonymous": true,
	"admin": true, "root": true, "user": true, "username": true, "token": true, "key": true, "contraseña": true, "senha": true, "kennwort": true, "mdp": true,
	"assword": true, "asswd": true, // -password, where -p takes what follows
	"topsecret": true, "top-secret": true, "s3cret": true, "p4ssw0rd": true, "passw0rd": true, "p@ssw0rd": true, "abc123": true, "123456": true, "12345678": true,
}

// sampleUsers are who samples are about.
var sampleUsers = map[string]bool{
	"user": true, "username": true, "usr": true, "uid": true, "login": true, "name": true, "foo": true, "someone": true, "me": true, "youruser": true, "your_user": true,
	"myuser": true, "my_user": true, "u": true, "x": true, "alice": true, "bob": true, "john": true, "jdoe": true, "johndoe": true, "test": true, "demo": true, "anonymous": true, "guest": true,
	"admin": true, "root": true, "postgres": true, "mysql": true,
}

// isSample reports whether a value is one that samples have for a password.
func isSample(value string) bool {
	low := strings.ToLower(value)
	if samplePasswords[low] {
		return true
	}
	for _, word := range [...]string{"password", "passwd", "passwort", "secret"} {
		before, after, found := strings.Cut(low, word)
		if found && len(before)+len(after) <= maxAround && strings.Trim(before+after, "abcdefghijklmnopqrstuvwxyz_-1234") == "" {
			return true
		}
	}
	return false
}

// maxAround is how many letters may be around the word password in a sample: mysecretpassword.
const maxAround = 10

// isSampleAddress reports whether user, password and host are those of a sample:
// user:password@example.com. Of a host that may be real, a password that is not to be
// replaced counts.
func isSampleAddress(user, password, address string) bool {
	if isPlaceholder(password) && password == strings.ToUpper(password) {
		return true
	}
	host := hostOf(address)
	low := strings.ToLower(password)
	if user == password || isPlaceholder(password) && low != "secret" || strings.Contains(low, "passw") || low == "pass" {
		return isSampleHost(host) || isHere(host)
	}
	return isSampleHost(host) && (isSample(password) || sampleUsers[strings.ToLower(user)] && !strings.ContainsAny(password, "0123456789!#%&^~")) ||
		len(user) <= 1 && len(password) <= 1 && isHere(host)
}

// hostOf returns the host that an address begins with.
func hostOf(address string) string {
	host := strings.ToLower(address)
	if i := strings.IndexAny(host, "/?#:\"'`<>,;) \t\r\n"); i >= 0 {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}

// isHere reports whether a host is this machine, or a name without a domain.
func isHere(host string) bool {
	return strings.IndexByte(host, '.') < 0 || host == "127.0.0.1" || host == "0.0.0.0"
}

// isSampleHost reports whether a host is one for samples.
func isSampleHost(host string) bool {
	for _, domain := range [...]string{"example", "example.com", "example.org", "example.net", "example.edu", "yourdomain.com", "domain.com", "mydomain.com", "host.com"} {
		if before, is := strings.CutSuffix(host, domain); is && (before == "" || strings.HasSuffix(before, ".")) {
			return true
		}
	}
	return false
}
