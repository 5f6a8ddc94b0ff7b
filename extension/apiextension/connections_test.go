// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"

	"github.com/touchstone-otel/touchstone/internal/connbound"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func TestConnectionsOfOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) { p.cfg.Connections = connbound.Config{Max: 10, PerAddress: 3} })
	at, err := url.Parse(h.url)
	require.NoError(t, err)
	var held []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", at.Host)
		require.NoError(t, err)
		held = append(held, c)
	}
	// Those that are there are served, others are closed at once.
	for range 5 {
		c, err := net.Dial("tcp", at.Host)
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, c.Close())
	}
	_, err = held[0].Write([]byte("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
	require.NoError(t, err)
	got := make([]byte, 15)
	_, err = held[0].Read(got)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 200 OK", string(got))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	require.Eventually(t, func() bool {
		answer, err := client.Get(h.url + "/health/live")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, time.Minute, time.Millisecond, "a place is free again")
	for _, c := range held {
		require.NoError(t, c.Close())
	}
}

func TestConnectionsAreBoundedBeneathTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, known, err := testbed.Certificate(t.TempDir())
	require.NoError(t, err)
	l := newStoreProvider(t)
	cfg := testConfig()
	cfg.HTTP.TLS = configoptional.Some(configtls.ServerConfig{Config: configtls.Config{CertFile: certFile, KeyFile: keyFile}})
	ext := newAPIExtension(cfg, componenttest.NewNopTelemetrySettings(), evaluators.Catalog())
	require.NoError(t, ext.Start(t.Context(), l.host()))
	defer func() { require.NoError(t, ext.Shutdown(t.Context())) }()
	transport := &http.Transport{TLSClientConfig: known, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get("https://" + ext.address.String() + "/health/live")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, 2, answer.ProtoMajor)
}
