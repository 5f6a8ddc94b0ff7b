// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"

	"github.com/touchstone-otel/touchstone/internal/connbound"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
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
		require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
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
	}, 10*time.Second, time.Millisecond, "a place is free again")
	for _, c := range held {
		require.NoError(t, c.Close())
	}
}

func TestConnectionsAreBoundedBeneathTLS(t *testing.T) {
	t.Parallel()
	issued := httptest.NewUnstartedServer(nil)
	issued.StartTLS()
	defer issued.Close()
	dir := t.TempDir()
	certificate := issued.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))

	l := newStoreProvider(t)
	cfg := testConfig()
	cfg.HTTP.TLS = configoptional.Some(configtls.ServerConfig{Config: configtls.Config{CertFile: certFile, KeyFile: keyFile}})
	ext := newAPIExtension(cfg, componenttest.NewNopTelemetrySettings(), evaluators.Catalog())
	require.NoError(t, ext.Start(t.Context(), l.host()))
	defer func() { require.NoError(t, ext.Shutdown(t.Context())) }()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: issued.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com"}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get("https://" + ext.address.String() + "/health/live")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, 2, answer.ProtoMajor)
}
