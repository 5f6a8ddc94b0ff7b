// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"net/http"
	"strings"
)

// site serves the UI and lets its sessions pass to the API.
type site struct {
	pages    *pages
	sessions *sessions
	path     string // where the UI is, without a slash at the end
	home     string // the same as browsers ask for it, with one
}

// apiPolicy is for answers that are not to be shown as pages.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

// before serves what belongs to the UI, and hands everything else to next.
func (s *site) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside, isOurs := strings.CutPrefix(r.URL.Path, s.path+"/")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case isOurs:
			setSecurityHeaders(w.Header())
			s.serve(w, r, inside)
		case reads && (r.URL.Path == "/" || r.URL.Path == s.path):
			setSecurityHeaders(w.Header())
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, s.home, http.StatusFound)
		case r.URL.Path == "/v2" || strings.HasPrefix(r.URL.Path, "/v2/"):
			w.Header().Set("Content-Security-Policy", apiPolicy)
			s.sessions.pass(w, r, next)
		default:
			next.ServeHTTP(w, without(r))
		}
	})
}

// serve answers for a path below that of the UI.
func (s *site) serve(w http.ResponseWriter, r *http.Request, inside string) {
	switch {
	case inside == "session":
		s.sessions.serve(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "this path does not know the method")
	case strings.HasPrefix(inside, "assets/"):
		s.pages.asset(w, r, strings.TrimPrefix(inside, "assets/"))
	default:
		s.pages.index(w, r)
	}
}

func firstSegment(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}
