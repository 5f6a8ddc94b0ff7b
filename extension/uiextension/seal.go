// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// session is what a cookie holds, sealed.
type session struct {
	// ID stays the same while environments are added.
	ID   string `json:"i"`
	Made int64  `json:"m"` // Unix seconds
	Ends int64  `json:"e"` // Unix seconds
	// Page is the SHA-256 of the page token.
	Page        []byte       `json:"p"`
	Credentials []credential `json:"c"`
}

// credential is a key, and whose it is.
type credential struct {
	// Environment is the id of the key's environment, or operator.
	Environment string `json:"e"`
	Key         string `json:"k"`
}

// operator stands for the environment that an access token does not have.
const operator = "operator"

func nameOf(p *tenant.Principal) string {
	if p.Operator {
		return operator
	}
	return string(p.Environment.ID)
}

// credential returns the one with this name; without a name the only one.
func (s *session) credential(name string) (credential, bool) {
	if name == "" && len(s.Credentials) == 1 {
		return s.Credentials[0], true
	}
	for _, c := range s.Credentials {
		if c.Environment == name {
			return c, true
		}
	}
	return credential{}, false
}

func (s *session) over(now time.Time) bool { return now.Unix() >= s.Ends }

// maxCookie is the size in bytes of what browsers keep:
// https://www.rfc-editor.org/rfc/rfc6265#section-6.1
const maxCookie = 4096

// sealer seals sessions with AES-256-GCM. The name of the cookie is bound to
// the seal, so that the value of one cookie is worth nothing in another.
type sealer struct{ aead cipher.AEAD }

// newSealer makes one from a secret that all processes of a store share.
func newSealer(secret []byte) (*sealer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "touchstone ui sessions 1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of sessions: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the key of sessions: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("derive the key of sessions: %w", err)
	}
	return &sealer{aead}, nil
}

// seal returns the value of the cookie with this name, and false where that
// would be too long for browsers.
func (s *sealer) seal(name string, x *session) (string, bool) {
	plain, err := json.Marshal(x)
	if err != nil {
		return "", false
	}
	value := base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, []byte(name)))
	return value, len(name)+len(value) < maxCookie-200 // which its attributes take
}

// open returns what was sealed for the cookie with this name.
func (s *sealer) open(name, value string) (*session, bool) {
	if len(value) > maxCookie {
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return nil, false
	}
	plain, err := s.aead.Open(nil, nil, sealed, []byte(name))
	if err != nil {
		return nil, false
	}
	var x session
	if json.Unmarshal(plain, &x) != nil {
		return nil, false
	}
	return &x, true
}
