// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fate is what becomes of a statement on its way to a server.
type Fate int

const (
	// Arrives is that it is run, and its answer comes back.
	Arrives Fate = iota
	// IsLost is that it never arrives.
	IsLost
	// IsUnanswered is that it is run and its answer is lost.
	IsUnanswered
	// IsLate is that its sender gives it up for lost, and it is run when Deliver is
	// called.
	IsLate
	// Dies is that it is lost, and so is all that follows.
	Dies
)

// Between is what one process has between it and a server.
type Between struct {
	dsn    string
	server *url.URL
	fate   func(statement string) Fate

	way sync.RWMutex // held for writing while statements wait

	mu   sync.Mutex
	dead bool
	late []late
}

// late is a request whose sender has gone.
type late struct {
	uri    string
	header http.Header
	body   []byte
}

// Lossy puts something between a process and the server of a DSN: fate decides what
// becomes of each statement.
func Lossy(t testing.TB, dsn string, fate func(statement string) Fate) *Between {
	t.Helper()
	server, err := url.Parse(dsn)
	require.NoError(t, err)
	b := &Between{server: server, fate: fate}
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	own := *server
	own.Host = strings.TrimPrefix(s.URL, "http://")
	b.dsn = own.String()
	return b
}

// DSN returns the DSN that the process is given.
func (b *Between) DSN() string { return b.dsn }

// Hold has all statements wait on their way until Release is called.
func (b *Between) Hold() { b.way.Lock() }

// Release lets them go on.
func (b *Between) Release() { b.way.Unlock() }

// ServeHTTP implements http.Handler.
func (b *Between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	b.way.RLock()
	b.way.RUnlock() //nolint:staticcheck // it is passed, not used
	statement := r.URL.Query().Get("query")
	if statement == "" {
		statement = string(body)
	}
	x := late{uri: r.URL.RequestURI(), header: r.Header.Clone(), body: body}
	fate := b.decide(statement, x)
	if fate == IsLost || fate == IsLate || fate == Dies {
		panic(http.ErrAbortHandler) // which ends the connection
	}
	answer, err := b.send(x)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil || fate == IsUnanswered {
		panic(http.ErrAbortHandler)
	}
	for key, values := range answer.Header {
		w.Header()[key] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(text)
}

// decide says what becomes of a request, and keeps it if it is late.
func (b *Between) decide(statement string, x late) Fate {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead {
		return Dies
	}
	fate := b.fate(statement)
	switch fate {
	case IsLate:
		b.late = append(b.late, x)
	case Dies:
		b.dead = true
	case Arrives, IsLost, IsUnanswered:
	}
	return fate
}

// send sends a request to the server.
func (b *Between) send(x late) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodPost, "http://"+b.server.Host+x.uri, bytes.NewReader(x.body)) //nolint:noctx // its sender may have gone
	if err != nil {
		return nil, err
	}
	r.Header = x.header
	return http.DefaultClient.Do(r)
}

// Dead reports whether nothing gets through any more.
func (b *Between) Dead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead
}

// Deliver runs what is late, of which it takes each that choose says it does, and
// returns how many that were.
func (b *Between) Deliver(choose func() bool) (n int, err error) {
	b.mu.Lock()
	var chosen []late
	b.late = slices.DeleteFunc(b.late, func(x late) bool {
		if take := choose(); take {
			chosen = append(chosen, x)
			return true
		}
		return false
	})
	b.mu.Unlock()
	for _, x := range chosen {
		answer, err := b.send(x)
		if err != nil {
			return n, err
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return n, err
		}
		if answer.StatusCode != http.StatusOK {
			return n, errors.New(string(text))
		}
		n++
	}
	return n, nil
}
