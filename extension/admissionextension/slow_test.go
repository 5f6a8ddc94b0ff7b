// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
)

// A body that stops does not hold memory for as long as the server waits for one: its client
// is asked to come again. One that comes steadily is taken, however it is packed.
func TestABodyThatStopsIsCutOff(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, map[string]any{"read_timeout": "1h"})
	_, whole := spans(t, 1, 100_000)
	for name, body := range map[string][]byte{"": whole, "gzip": packed(t, "gzip", whole), "zstd": packed(t, "zstd", whole)} {
		t.Run("encoding "+name, func(t *testing.T) {
			t.Parallel()
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(in.url, "http://"))
			require.NoError(t, err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nAuthorization: acme\r\nContent-Type: application/json\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s",
				name, len(body), body[:len(body)/2])
			require.NoError(t, err)
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(30*time.Second)))
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode, "%s", text)
			require.NotEmpty(t, answer.Header.Get("Retry-After"))
			var s spb.Status
			require.NoError(t, protojson.Unmarshal(text, &s))
			require.Contains(t, s.GetMessage(), "1 KiB a second")
		})
	}
	t.Cleanup(func() { require.Zero(t, in.budget.InUse()) })
}

// A client that sends all of a large body before it reads hears why it is refused.
func TestARefusedClientReadsWhy(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB = 1 }, map[string]any{"auth": map[string]any{"authenticator": "admission"}})
	body := strings.Repeat("x", 16<<20)
	for _, refused := range []struct {
		who, path, kind, encoding string
		want                      int
	}{
		{"nobody", "/v1/traces", jsonType, "", http.StatusUnauthorized},
		{"somebody", "/v1/traces", jsonType, "", http.StatusServiceUnavailable},
		{"acme", "/v1/traces", jsonType, "", http.StatusRequestEntityTooLarge},
		{"acme", "/v1/traces", jsonType, "br", http.StatusUnsupportedMediaType},
		{"acme", "/v1/traces", "text/plain", "", http.StatusUnsupportedMediaType},
		{"acme", "/v1/nothing", jsonType, "", http.StatusNotFound},
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(in.url, "http://"))
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: %s\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s",
			refused.path, refused.who, refused.kind, refused.encoding, len(body), body)
		require.NoError(t, err, refused)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err, refused)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err, refused)
		require.Equal(t, refused.want, answer.StatusCode, "%v: %s", refused, text)
	}
}

// packed is what a sender makes of a body.
func packed(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var to bytes.Buffer
	w := encoders[encoding](&to)
	_, err := w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return to.Bytes()
}
