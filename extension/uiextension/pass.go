// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// Headers by which a page of the UI says that it is one, and which of the
// session's environments it means.
const (
	pageHeader        = "X-Touchstone-Page"
	environmentHeader = "X-Touchstone-Environment"
)

// pass hands a request to the API, with the key of its session where it has one
// and no credential of its own.
func (s *sessions) pass(w http.ResponseWriter, r *http.Request, next http.Handler) {
	to := without(r)
	if _, has := r.Header["Authorization"]; has {
		next.ServeHTTP(w, to)
		return
	}
	x := s.of(r)
	if x == nil {
		next.ServeHTTP(w, to)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if c, known := x.credential(r.Header.Get(environmentHeader)); known {
		to.Header.Set("Authorization", bearer(c.Key))
	}
	z := &zipping{ResponseWriter: w, r: r}
	defer z.end()
	next.ServeHTTP(z, to)
}

// without returns the request without what only the UI reads. What came with r
// stays as it was.
func without(r *http.Request) *http.Request {
	to := *r
	to.Header = r.Header.Clone()
	for _, name := range []string{"Cookie", pageHeader, environmentHeader} {
		to.Header.Del(name)
	}
	return &to
}

// of returns the session that counts for a request, nil if none does. A cookie
// alone is not enough, since browsers send it along from other ports of the same
// host: the request must come from a page of this very origin that knows the page
// token.
func (s *sessions) of(r *http.Request) *session {
	token := r.Header.Values(pageHeader)
	if len(token) != 1 || !s.ownOrigin(r) {
		return nil
	}
	page := sha256.Sum256([]byte(token[0]))
	name := s.cookieName(r)
	for _, c := range r.CookiesNamed(name) { // another process on this host may have set one, too
		x, ok := s.sealed.open(name, c.Value)
		if ok && subtle.ConstantTimeCompare(page[:], x.Page) == 1 && !x.over(s.now()) && !s.ended.has(x) {
			return x
		}
	}
	return nil
}

// ownOrigin reports whether nothing says that the request was made by a page of
// another origin: https://www.w3.org/TR/fetch-metadata/,
// https://www.rfc-editor.org/rfc/rfc6454
func (s *sessions) ownOrigin(r *http.Request) bool {
	if site, has := r.Header["Sec-Fetch-Site"]; has && (len(site) != 1 || site[0] != "same-origin") {
		return false
	}
	scheme := "http"
	if s.secure(r) {
		scheme = "https"
	}
	own := scheme + "://" + strings.ToLower(r.Host)
	if origin, has := r.Header["Origin"]; has && (len(origin) != 1 || origin[0] != own) {
		return false
	}
	return s.protection.Check(r) == nil
}
