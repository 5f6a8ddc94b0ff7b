// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/leaktest"
)

func TestMain(m *testing.M) { leaktest.Verify(m) }

const accessToken = "the operator's token"

// testAPI is the extension at work on real stores.
type testAPI struct {
	*storeProvider
	url  string
	http *http.Client
}

// storeProvider provides real stores, as the store extension does.
type storeProvider struct {
	component.StartFunc
	component.ShutdownFunc
	live  *cache.Cache
	spans store.Engine
	owed  store.Backlog
	book  *opinions.Book
	gone  *deletions.Book

	sizes    store.Measurer
	used     *usage.Meter
	limits   queries.Limits
	problems []store.Problem
	intake   store.Intake
	space    *store.Space
	backups  store.Backups

	ahead atomic.Int64 // how far the clock of the stores and of the API is
}

// now is a clock that tests set.
func (l *storeProvider) now() time.Time { return time.Now().Add(time.Duration(l.ahead.Load())) }

// atNoon sets the clock for a test of what is counted by the day.
func (l *storeProvider) atNoon() {
	now := time.Now()
	l.ahead.Store(int64(store.Midnight(now).Add(12 * time.Hour).Sub(now)))
}

// noon is for newTestAPI.
func noon(p *parts) { p.atNoon() }

func (l *storeProvider) Control() *cache.Cache  { return l.live }
func (l *storeProvider) Engine() store.Engine   { return l.spans }
func (l *storeProvider) Backlog() store.Backlog { return l.owed }

func (l *storeProvider) Backups() store.Backups { return l.backups }

func (l *storeProvider) Queries() *queries.Queries { return queries.New(l.spans, l.sizes, l.limits) }

func (l *storeProvider) Usage() *usage.Meter { return l.used }

func (l *storeProvider) Opinions() *opinions.Book { return l.book }

func (l *storeProvider) Deletions() *deletions.Book { return l.gone }

func (l *storeProvider) Paces() pace.Shared { return nil }

func (l *storeProvider) Process() string { return "test" }

func (l *storeProvider) Problems() []store.Problem { return l.problems }

func (l *storeProvider) Intake() store.Intake { return l.intake }

func (l *storeProvider) Space() (*store.Space, error) { return l.space, nil }

// authenticator is the smallest authenticator on real keys.
type authenticator struct {
	component.StartFunc
	component.ShutdownFunc
	live *cache.Cache
}

func (d *authenticator) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	credential, found := strings.CutPrefix(http.Header(sources).Get("Authorization"), "Bearer ")
	principal := &tenant.Principal{Operator: true}
	if credential != accessToken {
		key, err := d.live.Key(ctx, tenant.DigestOf(credential))
		if err != nil || !found {
			return nil, errors.New("no such key")
		}
		principal = &tenant.Principal{Environment: key.Environment, Scope: key.Scope, KeyID: key.ID}
	}
	info := client.FromContext(ctx)
	info.Auth = principal
	return client.NewContext(ctx, info), nil
}

// hostOf is a collector with these extensions and nothing else.
type hostOf map[component.ID]component.Component

func (h hostOf) GetExtensions() map[component.ID]component.Component { return h }

func newStoreProvider(t testing.TB) *storeProvider {
	t.Helper()
	l := &storeProvider{}
	db, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	live, err := cache.New(t.Context(), db)
	require.NoError(t, err)
	spans, err := duckdb.Open(t.Context(), duckdb.Config{Dir: filepath.Join(t.TempDir(), "spans"), MinFreeBytes: -1, Now: l.now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, spans.Close()) })
	owed, err := backlog.Open(t.Context(), spans, l.now)
	require.NoError(t, err)
	used := usage.New(spans, spans, l.now)
	t.Cleanup(used.Close)
	book, err := opinions.Open(t.Context(), owed.Over(spans), db, l.now)
	require.NoError(t, err)
	l.live, l.spans, l.owed, l.book, l.used, l.sizes, l.limits = live, owed.Over(spans), owed, book, used, spans, queries.Limits{AtOnce: 4}
	l.gone = deletions.New(l.spans, db, "test", func() {}, l.now)
	return l
}

func (l *storeProvider) host() hostOf {
	cfg := testConfig()
	return hostOf{cfg.Store: l, cfg.Auth: &authenticator{live: l.live}}
}

func testConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = "127.0.0.1:0"
	cfg.AnnotationTasks = map[string]string{"support": "ticket"}
	return cfg
}

// parts are what a testAPI is built of.
type parts struct {
	*storeProvider
	cfg      *Config
	settings component.TelemetrySettings
	opened   func(*apiExtension)
	models   component.Component // nil for none
}

// newTestAPI starts the extension; change, if any, gets hands on its parts first.
func newTestAPI(t testing.TB, change ...func(*parts)) *testAPI {
	t.Helper()
	p := &parts{storeProvider: newStoreProvider(t), cfg: testConfig(), settings: componenttest.NewNopTelemetrySettings()}
	for _, c := range change {
		c(p)
	}
	ext := newAPIExtension(p.cfg, p.settings, evaluators.Catalog())
	ext.version, ext.now = "v-test", p.now
	host := p.host()
	if p.models != nil {
		host[p.cfg.Models] = p.models
	}
	require.NoError(t, ext.Start(t.Context(), host))
	if p.opened != nil {
		p.opened(ext)
	}
	transport := &http.Transport{}
	h := &testAPI{storeProvider: p.storeProvider, url: "http://" + ext.address.String()}
	h.http = &http.Client{Transport: newInspector(t, transport, h.url)}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, ext.Shutdown(context.Background()))
	})
	return h
}

// reply is an answer with its body read.
type reply struct {
	status int
	header http.Header
	body   string
}

// message returns the text of an {error} body.
func (r reply) message(t testing.TB) string {
	t.Helper()
	var body map[string]string
	require.NoError(t, json.Unmarshal([]byte(r.body), &body), r.body)
	require.Len(t, body, 1, r.body)
	return body["error"]
}

// into decodes the body.
func into[T any](t testing.TB, r reply) (v T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.body))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&v), r.body)
	return v
}

// call sends a request with a JSON body, "" for none.
func (h *testAPI) call(t testing.TB, method, path, credential, body string) reply {
	t.Helper()
	header := http.Header{}
	if credential != "" {
		header.Set("Authorization", "Bearer "+credential)
	}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	return h.send(t, method, path, header, []byte(body))
}

// undocumented marks, to the inspector, a request that is served in kindness
// to clients but is not what the document asks for.
const undocumented = "X-Undocumented"

func (h *testAPI) callUndocumented(t *testing.T, method, path, credential, body string) reply {
	t.Helper()
	return h.send(t, method, path, http.Header{
		"Authorization": {"Bearer " + credential}, "Content-Type": {"application/json"}, undocumented: {"yes"},
	}, []byte(body))
}

func (h *testAPI) send(t testing.TB, method, path string, header http.Header, body []byte) reply {
	t.Helper()
	r, err := h.try(t.Context(), method, path, header, body)
	require.NoError(t, err)
	return r
}

// try does what send does, in any goroutine.
func (h *testAPI) try(ctx context.Context, method, path string, header http.Header, body []byte) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	r.Header = header
	resp, err := h.http.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(text)}, err
}

// later is call in a goroutine of its own: a request that was not answered has the
// status 0 and the error for a body.
func (h *testAPI) later(t *testing.T, method, path, credential, body string) <-chan reply {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + credential}}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	answered := make(chan reply, 1)
	go func() {
		r, err := h.try(t.Context(), method, path, header, []byte(body))
		if err != nil {
			r = reply{body: err.Error()}
		}
		answered <- r
	}()
	return answered
}

// newKey makes an organization with one environment and gives its key.
func (h *testAPI) newKey(t testing.TB) string {
	t.Helper()
	r := h.call(t, "POST", "/v2/organizations", accessToken, `{"org_name":"Acme"}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	return into[organizationAnswer](t, r).Environments[0].APIKey
}

// inspector holds every answer, and every request that was served, against
// the OpenAPI document that the API itself gives out.
type inspector struct {
	t      testing.TB
	next   http.RoundTripper
	router routers.Router
}

func newInspector(t testing.TB, next http.RoundTripper, url string) *inspector {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/openapi.json", nil)
	require.NoError(t, err)
	resp, err := next.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	router, err := gorillamux.NewRouter(document)
	require.NoError(t, err)
	return &inspector{t, next, router}
}

func (i *inspector) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	require.NoError(i.t, err)
	r.Body = io.NopCloser(bytes.NewReader(sent))
	resp, err := i.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(resp.Body)
	require.NoError(i.t, err)
	require.NoError(i.t, resp.Body.Close())
	resp.Body = io.NopCloser(bytes.NewReader(got))
	i.inspect(r, sent, resp, got)
	return resp, nil
}

func (i *inspector) inspect(r *http.Request, sent []byte, resp *http.Response, got []byte) {
	t := i.t
	switch {
	case resp.StatusCode == http.StatusNoContent, resp.StatusCode == http.StatusNotModified:
	case resp.StatusCode == http.StatusOK && strings.HasSuffix(r.URL.Path, "/text"):
		require.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"))
	case resp.StatusCode == http.StatusOK && strings.HasSuffix(r.URL.Path, "/export"):
		require.Equal(t, "text/csv; charset=utf-8; header=present", resp.Header.Get("Content-Type"))
	default:
		require.Equal(t, "application/json; charset=utf-8", resp.Header.Get("Content-Type"))
	}
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(sent))
	route, params, err := i.router.FindRoute(r)
	if err != nil {
		require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnauthorized, http.StatusForbidden}, resp.StatusCode, "%s %s is not documented", r.Method, r.URL.Path)
		require.NotEmpty(t, reply{body: string(got)}.message(t))
		return
	}
	request := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route, QueryParams: r.URL.Query(),
		Options: &openapi3filter.Options{
			AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
			IncludeResponseStatus: true,
			MultiError:            true,
		},
	}
	if resp.StatusCode < 300 && r.Header.Get("Content-Encoding") == "" && r.Header.Get(undocumented) == "" {
		require.NoError(t, openapi3filter.ValidateRequest(r.Context(), request), "%s %s %s", r.Method, r.URL, sent)
	}
	require.NoError(t, openapi3filter.ValidateResponse(r.Context(), (&openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: resp.StatusCode, Header: resp.Header, Options: request.Options,
	}).SetBodyBytes(got)), "%s %s: %d %s", r.Method, r.URL, resp.StatusCode, got)
}

func newEnvironmentAndKey(t *testing.T, live *cache.Cache) (env tenant.Environment, credential string) {
	t.Helper()
	env = tenant.Environment{ID: tenant.EnvironmentID(uuid.NewString()), Slug: "prd", OrganizationID: uuid.NewString(), ProjectID: uuid.NewString(), Retention: time.Hour}
	key, credential := tenant.NewKey(env, "default", tenant.Full, time.Now())
	require.NoError(t, live.CreateOrganization(t.Context(), tenant.Organization{
		ID: env.OrganizationID, Name: "Acme", Retention: env.Retention, CreatedAt: time.Now(),
		Projects: []tenant.Project{{ID: env.ProjectID, Slug: "default", Environments: []tenant.Environment{env}}},
	}, []tenant.Key{key}))
	return env, credential
}

// routesOf are the routes of an extension at work.
func routesOf(t testing.TB) []rest.Route {
	t.Helper()
	opened, err := newExtension(t, testConfig()).open(t.Context(), newStoreProvider(t).host())
	require.NoError(t, err)
	return opened.routes
}
