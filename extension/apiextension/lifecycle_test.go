// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configmiddleware"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func TestFactoryMakesAnExtensionThatMayNeverStart(t *testing.T) {
	t.Parallel()
	factory := NewFactory()
	require.Equal(t, component.MustNewType("api"), factory.Type())
	cfg := factory.CreateDefaultConfig()
	ext, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	require.Equal(t, []component.ID{component.MustNewID("store"), component.MustNewID("keyauth")}, ext.(*apiExtension).Dependencies())
	cfg.(*Config).HTTP.Middlewares = []configmiddleware.Config{{ID: component.MustNewID("ui")}}
	require.Contains(t, ext.(*apiExtension).Dependencies(), component.MustNewID("ui"))
	require.NoError(t, ext.Shutdown(t.Context()))
	require.NoError(t, ext.Shutdown(t.Context()))
}

func newExtension(t testing.TB, cfg *Config) *apiExtension {
	t.Helper()
	return newAPIExtension(cfg, componenttest.NewNopTelemetrySettings(), evaluators.Catalog())
}

func TestExtensionStopsTwiceAndStartsAgain(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	ext := newExtension(t, testConfig())
	for range 2 {
		require.NoError(t, ext.Start(t.Context(), l.host()))
		require.NoError(t, ext.Shutdown(t.Context()))
		require.NoError(t, ext.Shutdown(t.Context()))
	}
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	l, cfg := newStoreProvider(t), testConfig()
	err := newExtension(t, cfg).Start(t.Context(), hostOf{})
	require.ErrorContains(t, err, `"auth": extension "keyauth"`)

	err = newExtension(t, cfg).Start(t.Context(), hostOf{cfg.Auth: &authenticator{}, cfg.Store: &authenticator{}})
	require.ErrorContains(t, err, `"store": extension "store"`)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	cfg = testConfig()
	cfg.HTTP.NetAddr.Endpoint = taken.Addr().String()
	ext := newExtension(t, cfg)
	require.ErrorContains(t, ext.Start(t.Context(), l.host()), cfg.HTTP.NetAddr.Endpoint)
	require.NoError(t, ext.Shutdown(t.Context()))

	cfg = testConfig()
	cfg.HTTP.TLS = configoptional.Some(configtls.ServerConfig{Config: configtls.Config{CertFile: "none"}})
	require.Error(t, newExtension(t, cfg).Start(t.Context(), l.host()))
}

// watched is a host that hears of trouble.
type watched struct {
	hostOf
	events chan *componentstatus.Event
}

func (w watched) Report(e *componentstatus.Event) { w.events <- e }

func TestServerThatDiesStopsTheCollector(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	host := watched{l.host(), make(chan *componentstatus.Event, 1)}
	ext := newExtension(t, testConfig())
	broken := errors.New("no more connections")
	ext.listen = func(context.Context) (net.Listener, error) { return brokenListener{broken}, nil }
	require.NoError(t, ext.Start(t.Context(), host))
	event := <-host.events
	require.Equal(t, componentstatus.StatusFatalError, event.Status())
	require.ErrorIs(t, event.Err(), broken)
	require.NoError(t, ext.Shutdown(t.Context()))
}

type brokenListener struct{ err error }

func (l brokenListener) Accept() (net.Conn, error) { return nil, l.err }
func (l brokenListener) Close() error              { return nil }
func (l brokenListener) Addr() net.Addr            { return &net.TCPAddr{} }

func TestShutdownWaitsForRequestsButNotForever(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	l := newStoreProvider(t)
	l.spans = findOnly{find: func(context.Context) error { close(begun); <-end; return nil }}
	cfg := testConfig()
	var err error
	cfg.HTTP.NetAddr.Endpoint, err = testbed.FreeAddress() // free
	require.NoError(t, err)
	ext := newExtension(t, cfg)
	require.NoError(t, ext.Start(t.Context(), l.host()))
	h := &testAPI{storeProvider: l, url: "http://" + ext.address.String(), http: &http.Client{Transport: &http.Transport{}}}
	defer h.http.CloseIdleConnections()
	key := h.newKey(t)

	status := make(chan int, 1)
	go func() {
		r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, h.url+spansPath+"?from_timestamp_sec=1", nil)
		r.Header.Set("Authorization", "Bearer "+key)
		resp, err := h.http.Do(r)
		if err != nil {
			status <- 0
			return
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		status <- resp.StatusCode
	}()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- ext.Shutdown(context.Background()) }()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", ext.address.String())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond, "no new requests")
	close(end)
	require.NoError(t, <-stopped)
	require.Equal(t, http.StatusOK, <-status)

	// This one does not end in time.
	hang, begun2 := make(chan struct{}), make(chan struct{})
	l.spans = findOnly{find: func(context.Context) error { close(begun2); <-hang; return nil }}
	require.NoError(t, ext.Start(t.Context(), l.host()))
	h.url = "http://" + ext.address.String()
	go func() {
		r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, h.url+spansPath+"?from_timestamp_sec=1", nil)
		r.Header.Set("Authorization", "Bearer "+key)
		resp, err := h.http.Do(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		status <- 0
	}()
	<-begun2
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.NoError(t, ext.NotReady()) // comes before, when the process stops
	require.NoError(t, ext.Shutdown(ctx))
	close(hang)
	<-status
}

func TestDocumentIsMadeOfTheCatalog(t *testing.T) {
	t.Parallel()
	require.NotContains(t, string(document(t)), "/v2/evaluators/char-count")
}

func TestEvaluatorsAreWarmedInTheBackground(t *testing.T) {
	t.Parallel()
	judged := make(chan string, 2)
	type in struct {
		Text string `json:"text" doc:"A text." need:"required"`
	}
	type out struct {
		Good bool `json:"good" doc:"Whether it is."`
	}
	define := func(slug string, run func()) *eval.Evaluator {
		e, err := eval.New(eval.Definition[in, eval.None, out]{
			Slug: slug, Doc: "Judges.", Backend: eval.Embedded,
			Run: func(_ context.Context, in in, _ eval.None) (out, error) {
				run()
				judged <- slug + " " + in.Text
				return out{true}, nil
			},
			Examples: []eval.Example{
				{About: "refused", Input: `{}`, Refused: "input.text is required"}, {About: "one", Input: `{"text":"one"}`, Want: `{"good":true}`},
			},
		})
		require.NoError(t, err)
		return e
	}
	ctx, cancel := context.WithCancel(t.Context())
	catalog, err := eval.NewCatalog(define("first", func() {}), define("second", cancel), define("third", func() {}))
	require.NoError(t, err)
	warm(ctx, catalog, []string{"unknown", "second", "third", "first"})
	require.Equal(t, "second one", <-judged)
	require.Empty(t, judged, "it ends with the extension")
}
