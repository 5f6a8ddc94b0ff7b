// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reading counts what the server reads for statements that one process sends it.
type Reading struct {
	dsn string

	mu          sync.Mutex
	rows, bytes int64
}

// Counted puts something between a process and the server of a DSN that counts what
// the server reads.
func Counted(t testing.TB, dsn string) *Reading {
	t.Helper()
	server, err := url.Parse(dsn)
	require.NoError(t, err)
	r := &Reading{}
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: server.Scheme, Host: server.Host})
			q := p.Out.URL.Query()
			q.Set("wait_end_of_query", "1") // otherwise the header is sent before all is read
			p.Out.URL.RawQuery = q.Encode()
		},
		ModifyResponse: r.note,
	})
	t.Cleanup(s.Close)
	own := *server
	own.Host = s.Listener.Addr().String()
	r.dsn = own.String()
	return r
}

// note adds what an answer says was read for it.
func (r *Reading) note(answer *http.Response) error {
	text := answer.Header.Get(summaryHeader)
	if text == "" {
		return nil
	}
	var summary struct {
		Rows  string `json:"read_rows"`
		Bytes string `json:"read_bytes"`
	}
	if err := json.Unmarshal([]byte(text), &summary); err != nil {
		return err
	}
	rows, err := strconv.ParseInt(summary.Rows, 10, 64)
	if err != nil {
		return err
	}
	bytes, err := strconv.ParseInt(summary.Bytes, 10, 64)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows, r.bytes = r.rows+rows, r.bytes+bytes
	return nil
}

// DSN returns the DSN that the process is given.
func (r *Reading) DSN() string { return r.dsn }

// Take returns how many rows and bytes were read since it was called last.
func (r *Reading) Take() (rows, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows, bytes = r.rows, r.bytes
	r.rows, r.bytes = 0, 0
	return rows, bytes
}
