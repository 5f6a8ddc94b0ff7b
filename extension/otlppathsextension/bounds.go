// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/client"
)

// Bounds of what is handed to the API, which has connections for other callers to
// keep. A caller is an environment or, where it is not known who calls, an address.
const (
	atOnce     = 128
	ofCaller   = 64
	writeLimit = 30 * time.Second // without that anything of an answer is taken
)

// underWay counts what is handed to the API. The zero value is ready.
type underWay struct {
	mu      sync.Mutex
	all     int
	callers map[string]int
}

// enter has a request of a caller be handed on until leave is called, unless there are
// too many: then it returns how the API refuses such.
func (u *underWay) enter(caller string) (leave func(), refused int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.callers[caller] >= ofCaller:
		return nil, http.StatusTooManyRequests
	case u.all >= atOnce:
		return nil, http.StatusServiceUnavailable
	}
	if u.callers == nil {
		u.callers = make(map[string]int)
	}
	u.all++
	u.callers[caller]++
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.all--
		if u.callers[caller]--; u.callers[caller] == 0 {
			delete(u.callers, caller)
		}
	}, 0
}

// callerOf names who sends a request.
func callerOf(r *http.Request) string {
	if auth := client.FromContext(r.Context()).Auth; auth != nil {
		if env, _ := auth.GetAttribute("environment.id").(string); env != "" {
			return env
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// patient is a writer of an answer that may take as long as it will, unless nothing of
// it is taken for a while.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Unwrap lets an http.ResponseController find what the writer can do.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements http.ResponseWriter.
func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeLimit))
	return p.ResponseWriter.Write(b)
}
