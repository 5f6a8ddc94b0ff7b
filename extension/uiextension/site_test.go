// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const accessToken = "the operator's token"

// provider is a real control store with an authenticator on its keys.
type provider struct {
	component.StartFunc
	component.ShutdownFunc
	live *cache.Cache
	away atomic.Bool // keys cannot be looked up
}

func (p *provider) Control() *cache.Cache { return p.live }

func (p *provider) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	offered, _ := strings.CutPrefix(http.Header(sources).Get("Authorization"), "Bearer ")
	caller := &tenant.Principal{Operator: true}
	if p.away.Load() {
		return ctx, fault.New(fault.Unavailable, "away")
	}
	if offered != accessToken {
		key, err := p.live.Key(ctx, tenant.DigestOf(offered))
		if err != nil {
			return ctx, errors.New("no such key")
		}
		caller = &tenant.Principal{Environment: key.Environment, Scope: key.Scope, KeyID: key.ID}
	}
	return client.NewContext(ctx, client.Info{Auth: caller}), nil
}

func (p *provider) key(t *testing.T, organization string, scope tenant.Scope) (credential string, env tenant.Environment) {
	t.Helper()
	credential = tenant.NewCredential()
	org, keys := storetest.NewOrganization(organization, "prd")
	keys[0].Digest, keys[0].Scope = tenant.DigestOf(credential), scope
	require.NoError(t, p.live.CreateOrganization(t.Context(), org, keys))
	return credential, keys[0].Environment
}

func (p *provider) revoke(t *testing.T, env tenant.Environment) {
	t.Helper()
	require.NoError(t, p.live.ChangeKeys(t.Context(), []tenant.EnvironmentID{env.ID}, func(keys []tenant.Key) ([]tenant.Key, error) {
		for i := range keys {
			keys[i].RevokedAt = time.Now().UTC()
		}
		return keys, nil
	}))
}

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func newProvider(t *testing.T) *provider {
	t.Helper()
	db, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	live, err := cache.New(t.Context(), db)
	require.NoError(t, err)
	return &provider{live: live}
}

// handler starts the extension on the provider; behind it is an API that tells
// what reached it.
func (p *provider) handler(t *testing.T, change ...func(*uiExtension)) http.Handler {
	t.Helper()
	ext := &uiExtension{cfg: createDefaultConfig().(*Config), now: time.Now}
	for _, c := range change {
		c(ext)
	}
	require.NoError(t, ext.Start(t.Context(), host{ext.cfg.Store: p, ext.cfg.Auth: p}))
	wrap, err := ext.GetHTTPHandler(t.Context())
	require.NoError(t, err)
	h, err := wrap(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := json.Marshal(reached{Path: r.URL.Path, Authorization: r.Header["Authorization"], Header: r.Header, Pad: r.URL.Query().Get("pad")})
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		_, _ = w.Write(b)
	}))
	require.NoError(t, err)
	return h
}

// reached is what came to the API.
type reached struct {
	Path          string
	Authorization []string
	Header        http.Header
	Pad           string
}

// browser keeps cookies and its page token as one does.
type browser struct {
	url   string
	http  *http.Client
	token string
}

func newBrowser(t *testing.T, s *httptest.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := *s.Client()
	c.Jar = jar
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{url: s.URL, http: &c}
}

func serving(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// send makes a request as a page of the own origin does; headers may say
// otherwise, and an empty one takes it away.
func (b *browser) send(t *testing.T, method, path, body string, headers map[string]string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if method != http.MethodGet {
		req.Header.Set("Origin", b.url)
		req.Header.Set("Content-Type", "application/json")
	}
	if b.token != "" {
		req.Header.Set(pageHeader, b.token)
	}
	for k, v := range headers {
		if req.Header.Set(k, v); v == "" {
			req.Header.Del(k)
		}
	}
	resp, err := b.http.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(answer)
}

func (b *browser) signIn(t *testing.T, key string) (int, description) {
	t.Helper()
	resp, body := b.send(t, http.MethodPost, "/ui/session", `{"key":"`+key+`"}`, nil)
	var d description
	if resp.StatusCode == http.StatusOK {
		require.NoError(t, json.Unmarshal([]byte(body), &d))
		b.token = d.Token
	}
	return resp.StatusCode, d
}

// api makes a request to the API and returns what reached it.
func (b *browser) api(t *testing.T, headers map[string]string) reached {
	t.Helper()
	resp, body := b.send(t, http.MethodGet, "/v2/me", "", headers)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	var got reached
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	return got
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, serving(t, newProvider(t).handler(t)))
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/ui/", 200},
		{http.MethodHead, "/ui/", 200},
		{http.MethodGet, "/ui/traces/5b8e?span=1", 200},
		{http.MethodGet, "/ui/signin", 200},
		{http.MethodGet, "/ui/assets/x/main.js", 404},
		{http.MethodGet, "/ui/assets/", 404},
		{http.MethodPost, "/ui/", 405},
		{http.MethodDelete, "/ui/spans", 405},
		{http.MethodPut, "/ui/session", 405},
		{http.MethodPost, "/ui/assets/x/y", 405},
		{http.MethodGet, "/ui/session", 401},
		{http.MethodPost, "/ui/session", 400},
		{http.MethodDelete, "/ui/session", 401},
		{http.MethodGet, "/ui", 302},
		{http.MethodGet, "/", 302},
		{http.MethodHead, "/", 302},
		{http.MethodGet, "/ui//", 200},
		{http.MethodGet, "/ui/../v2/me", 200},
		{http.MethodGet, "/ui/%2e%2e/x", 200},
	} {
		resp, body := b.send(t, c.method, c.path, "", nil)
		at := c.method + " " + c.path
		require.Equal(t, c.status, resp.StatusCode, at)
		for name, value := range protections {
			require.Equal(t, []string{value}, resp.Header.Values(name), at)
		}
		require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"), at)
		require.Equal(t, "no-store", resp.Header.Get("Cache-Control"), at)
		switch c.status {
		case 302:
			require.Equal(t, "/ui/", resp.Header.Get("Location"), at)
		case 405:
			require.NotEmpty(t, resp.Header.Get("Allow"), at)
			fallthrough
		case 400, 401, 404:
			require.Contains(t, body, `{"error":"`, at)
		}
	}
	resp, body := b.send(t, http.MethodGet, "/v2/anything", "", nil)
	require.Equal(t, "default-src 'none'; frame-ancestors 'none'", resp.Header.Get("Content-Security-Policy"))
	require.Contains(t, body, "/v2/anything")
	for _, path := range []string{"/uix", "/health", "/openapi.json", "/v22", "//ui/"} {
		resp, body = b.send(t, http.MethodGet, path, "", nil)
		require.Contains(t, body, `"Path":"`+path+`"`, "the API answers")
		require.Empty(t, resp.Header.Get("Content-Security-Policy"))
	}
	_, body = b.send(t, http.MethodPost, "/", "", nil)
	require.Contains(t, body, `"Path":"/"`, "the API answers")
}

func TestAssets(t *testing.T) {
	t.Parallel()
	h := newProvider(t).handler(t, func(e *uiExtension) { e.cfg.PublicPath = "/tools/touchstone" })
	b := newBrowser(t, serving(t, h))
	_, page := b.send(t, http.MethodGet, "/ui/spans", "", nil)
	require.Contains(t, page, `data-base="/tools/touchstone/ui" data-api="/tools/touchstone/v2"`)
	require.NotContains(t, page, "{{")
	resp, _ := b.send(t, http.MethodGet, "/", "", nil)
	require.Equal(t, "/tools/touchstone/ui/", resp.Header.Get("Location"))

	for name, kind := range map[string]string{"main.js": "text/javascript", "main.css": "text/css", "icon.svg": "image/svg+xml"} {
		_, after, found := strings.Cut(page, `="/tools/touchstone/ui/assets/`)
		require.True(t, found)
		digest, _, _ := strings.Cut(after, "/")
		require.Contains(t, page, digest+"/"+name)
		path := "/ui/assets/" + digest + "/" + name
		plain, content := b.send(t, http.MethodGet, path, "", map[string]string{"Accept-Encoding": "identity"})
		require.Equal(t, http.StatusOK, plain.StatusCode)
		require.Contains(t, plain.Header.Get("Content-Type"), kind)
		require.Equal(t, "public, max-age=31536000, immutable", plain.Header.Get("Cache-Control"))
		require.Empty(t, plain.Header.Get("Content-Encoding"))
		zipped, packed := b.send(t, http.MethodGet, path, "", map[string]string{"Accept-Encoding": "br;q=1, GZIP;q=0.5"})
		require.Equal(t, "gzip", zipped.Header.Get("Content-Encoding"))
		require.Equal(t, content, unzipped(t, packed))
		none, empty := b.send(t, http.MethodHead, path, "", map[string]string{"Accept-Encoding": "gzip;q=0"})
		require.Empty(t, none.Header.Get("Content-Encoding"))
		require.Empty(t, empty)
		require.EqualValues(t, len(content), none.ContentLength)
	}
}
