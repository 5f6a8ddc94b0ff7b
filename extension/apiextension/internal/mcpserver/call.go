// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer bounds what a tool reads of one answer of the API, in bytes.
const maxAnswer = 32 << 20

// answer is what the API answered to a call within the process.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
	over   bool // the answer is longer than maxAnswer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(b) > maxAnswer {
		a.over = true
		return 0, errors.New("the answer is too long")
	}
	return a.body.Write(b)
}

// SetReadDeadline and SetWriteDeadline do nothing: the connection's are set.
func (a *answer) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is SetReadDeadline.
func (a *answer) SetWriteDeadline(time.Time) error { return nil }

// copyTo answers a request with a.
func (a *answer) copyTo(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}

// segment returns a text as a segment of a path, where it names something: others
// would make another path. The error names the argument that it was given in.
func segment(argument, name string) (string, error) {
	switch name {
	case "":
		return "", fmt.Errorf("%s is required", argument)
	case ".", "..", "/": // which routes do not take for a segment, however they are escaped
		return "", fmt.Errorf("%s must not be %q", argument, name)
	}
	return url.PathEscape(name), nil
}

// call asks the API for a path, escaped as URLs are, with the credential of header.
func call(ctx context.Context, api http.Handler, header http.Header, method, path string, query url.Values, body any) *answer {
	a := &answer{header: http.Header{}}
	var payload io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			a.status = http.StatusBadRequest
			return a
		}
		payload = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, path, payload)
	if err != nil {
		a.status = http.StatusBadRequest
		return a
	}
	r.URL.RawQuery = query.Encode()
	r.RequestURI = r.URL.RequestURI()
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if values := header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	api.ServeHTTP(a, r)
	return a
}

// decode reads an answer into v, or returns the API's own sentence.
func (a *answer) decode(v any) error {
	if a.over {
		return fmt.Errorf("the answer is over %d MiB: ask for less", maxAnswer>>20)
	}
	if a.status >= http.StatusBadRequest {
		var told struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(a.body.Bytes(), &told) != nil || told.Error == "" {
			told.Error = http.StatusText(a.status)
		}
		return fmt.Errorf("%s (%d)", told.Error, a.status)
	}
	return json.Unmarshal(a.body.Bytes(), v)
}
