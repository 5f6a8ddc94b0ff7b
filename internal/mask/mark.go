// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// kindNotSearched is the kind of a text that could not be searched to its end.
const kindNotSearched = "NOT_SEARCHED"

// hashBytes is how much of a hash is shown. RFC 2104 recommends half of the hash or more.
// https://www.rfc-editor.org/rfc/rfc2104#section-5
const hashBytes = sha256.Size / 2

// SecretName is what control stores call the secret of an installation that texts are
// hashed with.
const SecretName = "hashes"

// Key returns the key that an environment's texts are hashed with, made of the secret of an
// installation. Equal texts of two environments have different hashes.
func Key(secret []byte, env tenant.EnvironmentID) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("environment\x00" + string(env)))
	return h.Sum(nil)
}

// markedBegins begins what is not hashed.
const markedBegins = "[masked:"

// notSearched stands in place of a text that could not be searched to its end.
var notSearched = mark(kindNotSearched, Mask, nil, "")

// mark returns what stands in place of a text: [masked:email_address], or
// [hashed:email_address:…] with HMAC-SHA-256 cut to 128 bits. It has no capital letters, which
// might be taken for a name, and hashes are spelled in the letters a to p, one for four bits:
// digits might be taken for a number of a person.
func mark(kind string, effect Effect, key []byte, text string) string {
	kind = strings.ToLower(kind)
	if effect == Mask {
		return markedBegins + kind + "]"
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	var b strings.Builder
	b.WriteString("[hashed:" + kind + ":")
	for _, c := range h.Sum(nil)[:hashBytes] {
		b.WriteByte('a' + c>>4)
		b.WriteByte('a' + c&15)
	}
	b.WriteByte(']')
	return b.String()
}
