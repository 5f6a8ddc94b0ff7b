// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const operatorToken = "the operator's token"

// storeProvider provides a real control store, as the store extension does.
type storeProvider struct {
	component.StartFunc
	component.ShutdownFunc
	live    *cache.Cache
	control *sqldb.DB
}

func (l *storeProvider) Control() *cache.Cache  { return l.live }
func (l *storeProvider) Engine() store.Engine   { return nil }
func (l *storeProvider) Backlog() store.Backlog { return nil }

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func newStoreProvider(t *testing.T) *storeProvider {
	t.Helper()
	c, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	live, err := cache.New(t.Context(), c)
	require.NoError(t, err)
	return &storeProvider{live: live, control: c}
}

// key makes an environment with a key, and gives what its holder is.
func (l *storeProvider) key(t *testing.T, organization string) (string, *tenant.Principal) {
	t.Helper()
	credential := tenant.NewCredential()
	org, keys := storetest.NewOrganization(organization, "prd")
	keys[0].Digest = tenant.DigestOf(credential)
	require.NoError(t, l.live.CreateOrganization(t.Context(), org, keys))
	return credential, &tenant.Principal{Environment: keys[0].Environment, Scope: tenant.Full, KeyID: keys[0].ID}
}

// revoke revokes a key, as another process does, and has this one hear of it.
func (l *storeProvider) revoke(t *testing.T, credential string) {
	t.Helper()
	key, err := l.live.Key(t.Context(), tenant.DigestOf(credential))
	require.NoError(t, err)
	require.NoError(t, l.control.ChangeKeys(t.Context(), []tenant.EnvironmentID{key.Environment.ID}, func(keys []tenant.Key) ([]tenant.Key, error) {
		for i := range keys {
			keys[i].RevokedAt = time.Now()
		}
		return keys, nil
	}))
	require.NoError(t, l.live.Refresh(t.Context()))
}

// started is the extension at work; what it logs and counts is kept.
func started(t *testing.T, l *storeProvider, change func(*Config)) (*keyAuth, *observer.ObservedLogs, *componenttest.Telemetry) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.AccessToken = operatorToken
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	core, logs := observer.New(zap.DebugLevel)
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	set := extensiontest.NewNopSettings(Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	set.Logger = zap.New(core)
	ext, err := NewFactory().Create(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), host{cfg.Store: l}))
	t.Cleanup(func() { require.NoError(t, ext.Shutdown(context.WithoutCancel(t.Context()))) })
	return ext.(*keyAuth), logs, telemetry
}

func principal(t *testing.T, k *keyAuth, sources map[string][]string) *tenant.Principal {
	t.Helper()
	ctx, err := k.Authenticate(t.Context(), sources)
	require.NoError(t, err)
	p, ok := client.FromContext(ctx).Auth.(*tenant.Principal)
	require.True(t, ok)
	return p
}

func requireRefused(t *testing.T, k *keyAuth, sources map[string][]string) {
	t.Helper()
	ctx, err := k.Authenticate(t.Context(), sources)
	require.EqualError(t, err, "Unauthorized")
	require.Equal(t, codes.Unauthenticated, status.Code(err))
	require.Equal(t, "Unauthorized", status.Convert(err).Message())
	require.True(t, fault.Is(err, fault.Unauthorized))
	require.Nil(t, client.FromContext(ctx).Auth)
}

func TestKeysNameTheirEnvironment(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	k, _, _ := started(t, l, nil)
	acmeKey, acme := l.key(t, "acme") // after the start: keys work at once
	blueKey, blue := l.key(t, "blue")

	for _, name := range []string{"Authorization", "authorization", "AUTHORIZATION"} {
		for _, scheme := range []string{"Bearer ", "bearer ", "BEARER ", "Bearer   "} {
			require.Equal(t, acme, principal(t, k, map[string][]string{name: {scheme + acmeKey}}))
			require.Equal(t, blue, principal(t, k, map[string][]string{name: {scheme + blueKey}}))
			require.Equal(t, &tenant.Principal{Operator: true}, principal(t, k, map[string][]string{name: {scheme + operatorToken}}))
		}
	}
	require.Equal(t, acme, principal(t, k, http.Header{
		"Authorization": {"Bearer " + acmeKey}, "User-Agent": {"x"}, "X-Authorization": {"Bearer " + blueKey},
	}))
}

func TestOtherFactsOfTheClientStay(t *testing.T) {
	t.Parallel()
	k, _, _ := started(t, newStoreProvider(t), nil)
	before := client.NewContext(t.Context(), client.Info{Metadata: client.NewMetadata(map[string][]string{"a": {"b"}})})
	ctx, err := k.Authenticate(before, map[string][]string{"authorization": {"Bearer " + operatorToken}})
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, client.FromContext(ctx).Metadata.Get("a"))
	require.Nil(t, client.FromContext(before).Auth)
}

func TestEverythingElseIsRefused(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	k, logs, telemetry := started(t, l, nil)
	key, _ := l.key(t, "acme")
	refused := []map[string][]string{
		nil,
		{},
		{"authorization": nil},
		{"authorization": {}},
		{"authorization": {""}},
		{"authorization": {"Bearer"}},
		{"authorization": {"Bearer "}},
		{"authorization": {"Bearer    "}},
		{"authorization": {key}},
		{"authorization": {"Bearer" + key}},
		{"authorization": {"Bearer\t" + key}},
		{"authorization": {" Bearer " + key}},
		{"authorization": {"Basic " + key}},
		{"authorization": {"Beárer " + key}},
		{"authorization": {"Token " + key}},
		{"authorization": {"Bearer " + key, "Bearer " + key}},
		{"authorization": {"Bearer " + key}, "Authorization": {"Bearer " + key}},
		{"Authorization": {"Bearer " + key}, "AUTHORIZATION": {""}},
		{"authorization": {"Bearer " + key + ", Bearer " + key}},
		{"authorization": {"Bearer " + key + "x"}},
		{"authorization": {"Bearer " + key[:len(key)-1]}},
		{"authorization": {"Bearer " + strings.ToUpper(key)}},
		{"authorization": {"Bearer " + tenant.NewCredential()}},
		{"authorization": {"Bearer " + operatorToken + "\x00"}},
		{"authorization": {"Bearer \xff\xfe\x00"}},
		{"authorization": {"Bearer " + strings.Repeat("x", maxCredential+1)}},
		{"authorization": {"Bearer " + strings.Repeat("x", 1<<20)}},
		{"authorization": {"Bearer " + strings.Repeat(" ", maxCredential) + key}},
		{"x-api-key": {key}},
		{"authorizatio\u017f": {"Bearer " + key}},
	}
	for _, sources := range refused {
		requireRefused(t, k, sources)
	}

	got, err := telemetry.GetMetric("touchstone_auth_refused")
	require.NoError(t, err)
	metricdatatest.AssertAggregationsEqual(t, metricdata.Sum[int64]{
		Temporality: metricdata.CumulativeTemporality, IsMonotonic: true,
		DataPoints: []metricdata.DataPoint[int64]{{Value: int64(len(refused))}},
	}, got.Data, metricdatatest.IgnoreTimestamp())
	require.Empty(t, logs.All(), "callers without a key write no log")
}

func TestWhoIsKnownNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	k, _, _ := started(t, l, nil)
	key, caller := l.key(t, "acme")
	requireRefused(t, k, bearer("tried before"))
	require.NoError(t, l.control.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := k.Authenticate(ctx, bearer(key))
	require.NoError(t, err)
	require.Equal(t, caller, principal(t, k, bearer(key)))
	require.True(t, principal(t, k, bearer(operatorToken)).Operator)
	requireRefused(t, k, bearer("tried before"))
	requireRefused(t, k, nil)

	// Whether this one is valid is unknown at the moment.
	ctx, err = k.Authenticate(t.Context(), bearer(tenant.NewCredential()))
	require.True(t, fault.Is(err, fault.Unavailable))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.Nil(t, client.FromContext(ctx).Auth)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	cfg := createDefaultConfig().(*Config)
	cfg.AccessToken = configopaque.String(operatorToken)
	create := func() *keyAuth {
		ext, err := f.Create(t.Context(), extensiontest.NewNopSettings(Type), cfg)
		require.NoError(t, err)
		return ext.(*keyAuth)
	}
	sources := map[string][]string{"authorization": {"Bearer " + operatorToken}}

	k := create()
	require.Equal(t, []component.ID{cfg.Store}, k.Dependencies())
	requireRefused(t, k, sources) // before the start
	require.NoError(t, k.Shutdown(t.Context()))

	k = create()
	require.NoError(t, k.Start(t.Context(), host{cfg.Store: l}))
	require.True(t, principal(t, k, sources).Operator)
	require.NoError(t, k.Shutdown(t.Context()))
	require.NoError(t, k.Shutdown(t.Context()))
	requireRefused(t, k, sources) // and after it

	k = create()
	require.ErrorContains(t, k.Start(t.Context(), host{}), `"store"`)
	require.ErrorContains(t, k.Start(t.Context(), host{cfg.Store: new(stranger)}), `"store"`)
	require.NoError(t, k.Shutdown(t.Context()))
}

type stranger struct {
	component.StartFunc
	component.ShutdownFunc
}

var _ extension.Extension = (*stranger)(nil)

func FuzzCredential(f *testing.F) {
	for _, v := range []string{"", "Bearer", "Bearer x", "bearer  x ", "Basic x", "Bearer \x00"} {
		f.Add("authorization", v, "Authorization", "")
		f.Add("Authorization", v, "x", v)
	}
	f.Fuzz(func(t *testing.T, name, value, other, otherValue string) {
		offered, ok := credential(map[string][]string{name: {value}, other: {otherValue}})
		require.Equal(t, ok, offered != "")
		if ok {
			require.LessOrEqual(t, len(offered), maxCredential)
			require.True(t, strings.Contains(value, offered) || strings.Contains(otherValue, offered))
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	c, err := sqldb.Open(b.Context(), sqldb.Config{Path: filepath.Join(b.TempDir(), "control.db")})
	require.NoError(b, err)
	defer c.Close()
	live, err := cache.New(b.Context(), c)
	require.NoError(b, err)
	key := tenant.NewCredential()
	org, keys := storetest.NewOrganization("acme", "prd")
	keys[0].Digest = tenant.DigestOf(key)
	require.NoError(b, errors.Join(live.CreateOrganization(b.Context(), org, keys)))
	k, err := newExtension(&Config{}, componenttest.NewNopTelemetrySettings())
	require.NoError(b, err)
	k.authenticator.Store(&authenticator{keys: live})
	h := http.Header{"Authorization": {"Bearer " + key}, "User-Agent": {"x"}, "Content-Type": {"y"}, "Accept-Encoding": {"z"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Authenticate(b.Context(), h); err != nil {
			b.Fatal(err)
		}
	}
}
