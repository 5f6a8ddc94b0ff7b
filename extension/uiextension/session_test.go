// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func unzipped(t *testing.T, packed string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(packed))
	require.NoError(t, err)
	b, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(b)
}

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	key, env := p.key(t, "Acme", tenant.Full)
	now := time.Now()
	b := newBrowser(t, serving(t, p.handler(t, func(e *uiExtension) { e.now = func() time.Time { return now } })))

	resp, body := b.send(t, http.MethodPost, "/ui/session", `{"key":"`+key+`"}`, nil)
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
	require.NotContains(t, body, key)
	cookie := resp.Header.Get("Set-Cookie")
	require.Regexp(t, `^touchstone_session=[\w-]+; Path=/; Max-Age=43(200|199); HttpOnly; SameSite=Strict$`, cookie)
	require.NotContains(t, cookie, key)

	status, d := b.signIn(t, key)
	require.Equal(t, http.StatusOK, status)
	require.GreaterOrEqual(t, len(d.Token), 26, "130 bits in base32")
	require.Equal(t, []environment{{ID: string(env.ID), Slug: "prd", Organization: "Acme", Scope: tenant.Full}}, d.Environments)
	require.False(t, d.Operator)
	ends, err := time.Parse(time.RFC3339, d.ExpiresAt)
	require.NoError(t, err)
	require.WithinDuration(t, now.Add(12*time.Hour), ends, time.Second)

	resp, body = b.send(t, http.MethodGet, "/ui/session", "", nil)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.NotContains(t, body, "token")
	got := b.api(t, nil)
	require.Equal(t, []string{"Bearer " + key}, got.Authorization)
	require.NotContains(t, got.Header, "Cookie")
	require.NotContains(t, got.Header, pageHeader)
	require.Nil(t, b.api(t, map[string]string{environmentHeader: "another"}).Authorization)
	require.Equal(t, []string{"Bearer own"}, b.api(t, map[string]string{"Authorization": "Bearer own"}).Authorization, "the session does not count")

	old := b.http.Jar.Cookies(resp.Request.URL)
	resp, _ = b.send(t, http.MethodDelete, "/ui/session", "", nil)
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Regexp(t, `^touchstone_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict$`, resp.Header.Get("Set-Cookie"))
	b.http.Jar.SetCookies(resp.Request.URL, old)
	require.Nil(t, b.api(t, nil).Authorization, "a kept cookie is worthless")
}

func TestRefusedSignIns(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	ingest, _ := p.key(t, "Acme", tenant.Ingest)
	key, _ := p.key(t, "Other", tenant.Read)
	b := newBrowser(t, serving(t, p.handler(t)))
	for body, want := range map[string]int{
		`{"key":"tl_nobody"}`: 401, `{"key":""}`: 401, `{"key":"a\r\nb"}`: 401, `{"key":"ключ"}`: 401, `{}`: 401,
		`{"key":"` + ingest + `"}`: 403,
		``:                         400, `[]`: 400, `{"key":1}`: 400, `{"key":"` + key + `"} {}`: 400, `{"key":"` + key + `","next":"x"}`: 400,
		`{"key":"` + strings.Repeat("a", maxBody) + `"}`: 400,
	} {
		resp, answer := b.send(t, http.MethodPost, "/ui/session", body, nil)
		require.Equal(t, want, resp.StatusCode, body)
		require.Empty(t, resp.Header.Values("Set-Cookie"), body)
		require.NotContains(t, answer, "tl_", body)
		if want == 401 {
			require.JSONEq(t, `{"error":"Unauthorized"}`, answer)
		}
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		resp, _ := b.send(t, http.MethodPost, "/ui/session", `{"key":"`+key+`"}`, map[string]string{"Content-Type": kind})
		require.Equal(t, http.StatusBadRequest, resp.StatusCode, kind)
	}
	p.away.Store(true)
	resp, _ := b.send(t, http.MethodPost, "/ui/session", `{"key":"`+key+`"}`, nil)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.NotEmpty(t, resp.Header.Get("Retry-After"))
}

func TestSeveralEnvironments(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	b := newBrowser(t, serving(t, p.handler(t)))
	keys, ids := make([]string, 0, maxCredentials), make([]string, 0, maxCredentials)
	for i := range maxCredentials {
		if i == 1 {
			status, d := b.signIn(t, accessToken)
			require.Equal(t, http.StatusOK, status)
			require.True(t, d.Operator)
			keys, ids = append(keys, accessToken), append(ids, operator)
			continue
		}
		key, env := p.key(t, "Org "+string(rune('A'+i)), tenant.Full)
		before := b.token
		status, d := b.signIn(t, key)
		require.Equal(t, http.StatusOK, status)
		if before != "" {
			require.Equal(t, before, d.Token, "the same session")
		}
		keys, ids = append(keys, key), append(ids, string(env.ID))
	}
	for i := range keys {
		require.Equal(t, []string{"Bearer " + keys[i]}, b.api(t, map[string]string{environmentHeader: ids[i]}).Authorization)
	}
	require.Nil(t, b.api(t, nil).Authorization, "it is not said which")
	ninth, _ := p.key(t, "One more", tenant.Full)
	status, _ := b.signIn(t, ninth)
	require.Equal(t, http.StatusBadRequest, status)
	status, _ = b.signIn(t, keys[0])
	require.Equal(t, http.StatusOK, status, "one that is there takes no place")

	u, err := url.Parse(b.url)
	require.NoError(t, err)
	old := b.http.Jar.Cookies(u)
	resp, _ := b.send(t, http.MethodDelete, "/ui/session?env="+url.QueryEscape(ids[2]), "", nil)
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Nil(t, b.api(t, map[string]string{environmentHeader: ids[2]}).Authorization)
	require.NotNil(t, b.api(t, map[string]string{environmentHeader: ids[3]}).Authorization)
	resp, _ = b.send(t, http.MethodDelete, "/ui/session?env="+url.QueryEscape(ids[2]), "", nil)
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Empty(t, resp.Header.Get("Set-Cookie"), "what is not in the session changes nothing")
	now := b.http.Jar.Cookies(u)
	b.http.Jar.SetCookies(u, old)
	require.Nil(t, b.api(t, map[string]string{environmentHeader: ids[2]}).Authorization, "the cookie of before")
	b.http.Jar.SetCookies(u, now)
	require.NotNil(t, b.api(t, map[string]string{environmentHeader: ids[3]}).Authorization)
}

// A revoked key ends at once; sessions end after their time; both survive a
// restart, and work in a second process of the store.
func TestEndsOfSessions(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	one, first := p.key(t, "One", tenant.Full)
	two, second := p.key(t, "Two", tenant.Full)
	var mu sync.Mutex
	now := time.Now()
	later := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	clock := func(e *uiExtension) { e.now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now } }
	s, again := serving(t, p.handler(t, clock)), serving(t, p.handler(t, clock))
	b := newBrowser(t, s)
	_, _ = b.signIn(t, one)
	later(11 * time.Hour)
	_, d := b.signIn(t, two)
	require.Len(t, d.Environments, 2)

	b.url = again.URL // cookies know no ports
	require.NotNil(t, b.api(t, map[string]string{environmentHeader: string(first.ID)}).Authorization)
	p.revoke(t, first)
	resp, body := b.send(t, http.MethodGet, "/ui/session", "", nil)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.NotContains(t, body, string(first.ID))
	require.Contains(t, body, string(second.ID))
	later(time.Hour)
	require.Nil(t, b.api(t, map[string]string{environmentHeader: string(second.ID)}).Authorization, "adding a key does not make it last longer")
	resp, _ = b.send(t, http.MethodGet, "/ui/session", "", nil)
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	p.revoke(t, second)
	_, d = b.signIn(t, accessToken)
	require.True(t, d.Operator)
}

func TestLastEnvironmentSignedOut(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	key, env := p.key(t, "One", tenant.Full)
	b := newBrowser(t, serving(t, p.handler(t)))
	_, _ = b.signIn(t, key)
	p.revoke(t, env)
	resp, _ := b.send(t, http.MethodGet, "/ui/session", "", nil)
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode, "nothing is left in it")
	resp, _ = b.send(t, http.MethodDelete, "/ui/session?env="+string(env.ID), "", nil)
	require.Contains(t, resp.Header.Get("Set-Cookie"), "Max-Age=0")
}

func TestOverTLS(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := httptest.NewTLSServer(p.handler(t))
	t.Cleanup(s.Close)
	b := newBrowser(t, s)
	resp, _ := b.send(t, http.MethodPost, "/ui/session", `{"key":"`+accessToken+`"}`, nil)
	require.Regexp(t, `^__Host-touchstone_session=[\w-]+; Path=/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$`, resp.Header.Get("Set-Cookie"))
	_, _ = b.signIn(t, accessToken)
	require.NotNil(t, b.api(t, nil).Authorization)
	require.Nil(t, b.api(t, map[string]string{"Origin": strings.Replace(b.url, "https", "http", 1)}).Authorization)
}

// Behind a proxy that ends TLS the request is plain and the browser's origin is
// not.
func TestBehindAProxyThatEndsTLS(t *testing.T) {
	t.Parallel()
	h := newProvider(t).handler(t, func(e *uiExtension) { e.cfg.SecureCookie = secureAlways })
	ask := func(method, path, body, token string, cookies []*http.Cookie) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://touchstone.example"+path, strings.NewReader(body))
		r.Header.Set("Origin", "https://touchstone.example")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(pageHeader, token)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := ask(http.MethodPost, "/ui/session", `{"key":"`+accessToken+`"}`, "", nil)
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Header().Get("Set-Cookie"), "__Host-touchstone_session=")
	require.Contains(t, w.Header().Get("Set-Cookie"), "; Secure")
	_, after, _ := strings.Cut(w.Body.String(), `"token":"`)
	token, _, _ := strings.Cut(after, `"`)
	cookies := w.Result().Cookies()
	require.Contains(t, ask(http.MethodGet, "/v2/me", "", token, cookies).Body.String(), "Bearer")
	cookies[0].Name = "touchstone_session"
	require.NotContains(t, ask(http.MethodGet, "/v2/me", "", token, cookies).Body.String(), "Bearer", "its name is part of the seal")
}

func TestAnswersToSessionsAreCompressed(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	b := newBrowser(t, serving(t, p.handler(t)))
	_, _ = b.signIn(t, accessToken)
	long := "/v2/x?pad=" + strings.Repeat("a", 2*minCompressed)
	zip := map[string]string{"Accept-Encoding": "gzip"}
	resp, body := b.send(t, http.MethodGet, long, "", zip)
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
	require.Contains(t, resp.Header.Values("Vary"), "Accept-Encoding")
	require.Contains(t, unzipped(t, body), "aaaa")
	resp, body = b.send(t, http.MethodGet, long, "", map[string]string{"Accept-Encoding": "identity"})
	require.Empty(t, resp.Header.Get("Content-Encoding"))
	require.Contains(t, body, "aaaa")
	resp, _ = b.send(t, http.MethodGet, "/v2/short", "", zip)
	require.Empty(t, resp.Header.Get("Content-Encoding"))
	b.token = ""
	resp, _ = b.send(t, http.MethodGet, long, "", zip)
	require.Empty(t, resp.Header.Get("Content-Encoding"), "others get them as they always did")
}
