// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// sessions signs people in and out.
type sessions struct {
	auth   *authenticator
	owners interface {
		Organizations(ctx context.Context, ids ...string) ([]tenant.Organization, error)
	}
	sealed     *sealer
	ended      *ended
	protection *http.CrossOriginProtection
	now        func() time.Time

	lifetime     time.Duration
	alwaysSecure bool
}

// maxCredentials is how many environments a session may have.
const maxCredentials = 8

// serve answers at the path of sessions. A session counts here under the same
// conditions as it does before the API.
func (s *sessions) serve(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		s.signIn(w, r)
	case http.MethodGet, http.MethodHead:
		s.show(w, r)
	case http.MethodDelete:
		s.signOut(w, r)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "this path does not know the method")
	}
}

// signIn makes a session with a key, or adds the key to the caller's session.
func (s *sessions) signIn(w http.ResponseWriter, r *http.Request) {
	key, err := s.readKey(w, r)
	if err != nil {
		refuseFault(w, err)
		return
	}
	p, err := s.auth.ask(r.Context(), key)
	if err == nil && !p.Operator {
		err = p.Check(tenant.Reading)
	}
	if err != nil {
		refuseFault(w, err)
		return
	}
	owner := nameOf(p)
	if s.ended.full(owner) {
		refuse(w, http.StatusTooManyRequests, "too many sessions were signed out: try again later, or use the key without a session")
		return
	}
	x, token := s.of(r), r.Header.Get(pageHeader)
	if x == nil {
		x, token = s.begin()
	}
	x.Credentials = slices.DeleteFunc(x.Credentials, func(c credential) bool { return c.Environment == owner })
	if len(x.Credentials) == maxCredentials {
		refuse(w, http.StatusBadRequest, "a session holds at most 8 environments: sign out of one first")
		return
	}
	x.Credentials = append(x.Credentials, credential{Environment: owner, Key: key})
	shown, err := s.describe(r.Context(), x)
	if err != nil {
		refuseFault(w, err)
		return
	}
	if !s.setCookie(w, r, x) {
		refuse(w, http.StatusBadRequest, "the credentials of this session are too long together: sign out of one first")
		return
	}
	shown.Token = token
	answer(w, http.StatusOK, shown)
}

// begin makes a session without credentials, and the page token that it is
// tied to.
func (s *sessions) begin() (x *session, token string) {
	token = rand.Text()
	now, page := s.now(), sha256.Sum256([]byte(token))
	return &session{ID: rand.Text(), Made: now.Unix(), Ends: now.Add(s.lifetime).Unix(), Page: page[:]}, token
}

func (s *sessions) show(w http.ResponseWriter, r *http.Request) {
	x := s.of(r)
	if x == nil {
		refuse(w, http.StatusUnauthorized, unauthorized)
		return
	}
	shown, err := s.describe(r.Context(), x)
	if err != nil {
		refuseFault(w, err)
		return
	}
	answer(w, http.StatusOK, shown)
}

// signOut ends a session, or takes one environment out of it.
func (s *sessions) signOut(w http.ResponseWriter, r *http.Request) {
	x := s.of(r)
	if x == nil {
		refuse(w, http.StatusUnauthorized, unauthorized)
		return
	}
	env := r.URL.Query().Get("env")
	w.Header().Set("Cache-Control", "no-store")
	if env != "" && !slices.ContainsFunc(x.Credentials, func(c credential) bool { return c.Environment == env }) {
		w.WriteHeader(http.StatusNoContent) // it is not in the session, as was asked for
		return
	}
	s.ended.add(x)
	if env != "" {
		x.Credentials = slices.DeleteFunc(x.Credentials, func(c credential) bool { return c.Environment == env })
		x.ID = rand.Text() // the cookie that has the environment still is worth nothing
	} else {
		x.Credentials = nil
	}
	if len(x.Credentials) == 0 {
		s.takeCookie(w, r)
	} else {
		_ = s.setCookie(w, r, x) // it is shorter than it was
	}
	w.WriteHeader(http.StatusNoContent)
}

const unauthorized = "Unauthorized"

func refuseFault(w http.ResponseWriter, err error) {
	switch {
	case fault.Is(err, fault.Unauthorized):
		refuse(w, http.StatusUnauthorized, unauthorized)
	case fault.Is(err, fault.Forbidden):
		refuse(w, http.StatusForbidden, fault.Message(err))
	case fault.Is(err, fault.Invalid):
		refuse(w, http.StatusBadRequest, fault.Message(err))
	case fault.Is(err, fault.Unavailable):
		w.Header().Set("Retry-After", "2")
		refuse(w, http.StatusServiceUnavailable, "keys cannot be looked up just now: try again")
	default:
		refuse(w, http.StatusInternalServerError, "internal error")
	}
}
