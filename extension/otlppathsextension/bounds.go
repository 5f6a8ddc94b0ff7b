// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/client"

	"github.com/touchstone-otel/touchstone/internal/fair"
)

// Bounds of what is handed to the API, which has connections for other callers to
// keep. A caller is an environment or, where it is not known who calls, an address.
const (
	atOnce     = 128
	ofCaller   = 64
	writeLimit = 30 * time.Second // without that anything of an answer is taken
)

// refusal is the status by which the API refuses a request that would be one too many.
type refusal int

// Error implements error.
func (r refusal) Error() string { return http.StatusText(int(r)) }

// mayEnter refuses a request where its caller or all callers have too many under way.
func mayEnter(own, all fair.Share) error {
	switch {
	case own.N >= ofCaller:
		return refusal(http.StatusTooManyRequests)
	case all.N >= atOnce:
		return refusal(http.StatusServiceUnavailable)
	}
	return nil
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
