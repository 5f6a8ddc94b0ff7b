// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// How many bytes of an answer are read: of a few thousand tokens or some labels,
// and of vectors or of the tokens of a long text.
const (
	maxAnswer  = 4 << 20
	maxVectors = 32 << 20
)

var errLongAnswer = errors.New("the answer is too long")

// bounded returns a client that sends like the given one but marks its requests
// as our own, reads at most so many bytes of an answer and follows no redirect: texts go
// where the operator said.
func bounded(client *http.Client, most int64) *http.Client {
	if client == nil {
		client = &http.Client{}
	}
	bounded := *client
	bounded.Transport = &boundedTransport{next: client.Transport, most: most}
	bounded.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &bounded
}

type boundedTransport struct {
	next http.RoundTripper // nil is the default one
	most int64             // bytes of an answer
}

func (t *boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	res, err := next.RoundTrip(marked(req))
	if err != nil {
		return nil, err
	}
	res.Body = &boundedBody{ReadCloser: res.Body, left: t.most}
	return res, nil
}

// marked returns the request in a trace of its own, by whose id we know the
// spans of an instrumented server or gateway as our own traffic. The trace is
// not sampled: who can choose had better not record it. It is in the context
// too, for a transport that writes the header itself.
func marked(req *http.Request) *http.Request {
	id := span.NewSelfTraceID()
	parent := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(id), SpanID: trace.SpanID(id[8:]), Remote: true,
	})
	ctx := trace.ContextWithSpanContext(req.Context(), parent)
	req = req.Clone(ctx)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	for name := range req.Header { // what a client library tells of this machine
		if strings.HasPrefix(name, "X-Stainless-") {
			req.Header.Del(name)
		}
	}
	req.Header.Set("User-Agent", "touchstone")
	return req
}

// boundedBody fails once more than left was read.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, errLongAnswer
	}
	return n, err
}
