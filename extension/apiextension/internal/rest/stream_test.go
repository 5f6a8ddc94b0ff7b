// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// streaming serves a stream that write makes, and returns what became of it.
func streaming(t *testing.T, write func(io.Writer) error) (url string, ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	s := &Server{Logger: zap.NewNop(), Timeout: time.Minute, Stalled: 200 * time.Millisecond, Bodies: &Bodies{}}
	server := httptest.NewServer(s.Serve(func(r *http.Request) (Response, error) {
		got, err := StreamCSV(r, "rows.csv", write)
		done <- err
		return got, err
	}))
	t.Cleanup(server.Close)
	return server.URL, done
}

func TestStreamsAreWholeOrCutOff(t *testing.T) {
	t.Parallel()
	part := strings.Repeat("a,b\r\n", 10_000)
	for name, fails := range map[string]error{"whole": nil, "cut off": errors.New("the store is gone")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := streaming(t, func(w io.Writer) error {
				_, err := io.WriteString(w, part)
				return errors.Join(err, fails)
			})
			got, err := http.Get(url)
			require.NoError(t, err)
			defer got.Body.Close()
			require.Equal(t, http.StatusOK, got.StatusCode)
			require.Equal(t, "text/csv; charset=utf-8; header=present", got.Header.Get("Content-Type"))
			require.Equal(t, `attachment; filename="rows.csv"`, got.Header.Get("Content-Disposition"))
			body, err := io.ReadAll(got.Body)
			require.Equal(t, fails == nil, err == nil, "%v", err)
			if fails == nil {
				require.Equal(t, part, string(body))
			}
		})
	}
	t.Run("refused before it begins", func(t *testing.T) {
		t.Parallel()
		url, _ := streaming(t, func(io.Writer) error { return errors.New("the store is gone") })
		got, err := http.Get(url)
		require.NoError(t, err)
		defer got.Body.Close()
		require.Equal(t, http.StatusInternalServerError, got.StatusCode)
	})
}

// A client that stops reading holds its place only for a moment.
func TestStreamEndsWhereNobodyReads(t *testing.T) {
	t.Parallel()
	part := make([]byte, 64<<10)
	url, ended := streaming(t, func(w io.Writer) error {
		for {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	})
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the stream goes on")
	}
}
