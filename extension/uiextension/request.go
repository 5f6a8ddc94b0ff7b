// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// maxBody bounds the body of a request to sign in, in bytes.
const maxBody = 16 << 10

// readKey returns the key of a request to sign in, which only a page of the own
// origin may make: else anybody could sign a browser in.
func (s *sessions) readKey(w http.ResponseWriter, r *http.Request) (string, error) {
	if !s.ownOrigin(r) {
		return "", fault.New(fault.Unauthorized, unauthorized)
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", fault.New(fault.Invalid, "the body must be JSON, with Content-Type application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	var body struct {
		Key string `json:"key"`
	}
	if d.Decode(&body) != nil {
		return "", fault.New(fault.Invalid, `the body must be {"key": "…"}`)
	}
	if _, err := d.Token(); err != io.EOF {
		return "", fault.New(fault.Invalid, `the body must be {"key": "…"}`)
	}
	if body.Key == "" || strings.ContainsFunc(body.Key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", fault.New(fault.Unauthorized, unauthorized) // no header could carry it
	}
	return body.Key, nil
}

// secure reports whether the browser speaks TLS, to us or to a proxy.
func (s *sessions) secure(r *http.Request) bool { return r.TLS != nil || s.alwaysSecure }

// cookieName says where the cookie may come from: over TLS browsers take
// __Host- only from this very host, https://www.rfc-editor.org/rfc/rfc6265
func (s *sessions) cookieName(r *http.Request) string {
	if s.secure(r) {
		return "__Host-touchstone_session"
	}
	return "touchstone_session"
}

// setCookie reports whether the session fits into a cookie, and sets it if so.
func (s *sessions) setCookie(w http.ResponseWriter, r *http.Request, x *session) bool {
	value, fits := s.sealed.seal(s.cookieName(r), x)
	if fits {
		left := time.Unix(x.Ends, 0).Sub(s.now())
		http.SetCookie(w, s.cookie(r, value, int(left/time.Second)))
	}
	return fits
}

func (s *sessions) takeCookie(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, s.cookie(r, "", -1))
}

func (s *sessions) cookie(r *http.Request, value string, seconds int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // without TLS a Secure cookie would be dropped
		Name: s.cookieName(r), Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: s.secure(r), SameSite: http.SameSiteStrictMode,
	}
}
