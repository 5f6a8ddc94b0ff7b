// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/google/uuid"
)

// Digest is the SHA-256 of a credential: what we keep of it.
type Digest [sha256.Size]byte

// DigestOf returns the digest of an offered credential.
func DigestOf(credential string) Digest { return sha256.Sum256([]byte(credential)) }

// Key lets its holder do in one environment what its scope says. Times are in
// UTC, and zero where there is none.
type Key struct {
	// ID names the key to people and in paths; it is no secret.
	ID          string
	Digest      Digest
	Name        string
	Scope       Scope
	Environment Environment
	CreatedAt   time.Time
	// ExpiresAt is when the key stops to work, RevokedAt when it was made to.
	ExpiresAt time.Time
	RevokedAt time.Time
	// UsedAt is a minute in which the key was used; later uses may not be noted
	// yet.
	UsedAt time.Time
}

// NewKey makes a key of an environment, and the credential that it is the
// digest of, which is shown once and never stored.
func NewKey(env Environment, name string, scope Scope, now time.Time) (k Key, credential string) {
	credential = NewCredential()
	return Key{
		ID: uuid.NewString(), Digest: DigestOf(credential), Name: name, Scope: scope, Environment: env, CreatedAt: now.UTC(),
	}, credential
}

// Works reports whether the key may be used at a time.
func (k *Key) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// NewCredential makes the text of an API key: "tl_" and 32 random bytes in 43
// base64url characters. It is shown once and never stored.
func NewCredential() string { return "tl_" + NewToken() }

// NewToken makes 32 random bytes in 43 base64url characters.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}
