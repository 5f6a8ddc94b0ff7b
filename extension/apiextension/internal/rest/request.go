// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// DecodeObject reads a body that ReadBody returned, one JSON object and nothing after
// it, into v, a pointer to a struct of raw members that are checked by who takes them:
// the inputs of an evaluator by the schema of that evaluator.
func DecodeObject(body []byte, v any) error {
	return checkObject(body, json.Unmarshal(body, v))
}

// readObject returns the body as text, which is one JSON object.
func readObject(r *http.Request) ([]byte, error) {
	data, err := ReadBody(r)
	if err != nil {
		return nil, err
	}
	var v anything
	return data, checkObject(data, json.Unmarshal(data, &v))
}

// anything takes any JSON value and keeps nothing of it.
type anything struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*anything) UnmarshalJSON([]byte) error { return nil }

// ReadBody returns a body that is not blank, as it was sent.
func ReadBody(r *http.Request) ([]byte, error) {
	if err := checkContentType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	data, err := intakeOf(r.Context()).read(r)
	switch {
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fault.New(fault.Invalid, "request body is required: a JSON object")
	}
	return data, nil
}

// checkObject refuses what is no JSON object, where err is what reading it came
// to.
func checkObject(data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && strings.Contains(syntax.Error(), "max depth"):
		return tooDeep()
	case errors.As(err, &syntax):
		return fault.New(fault.Invalid, "request body is not valid JSON at byte %d", syntax.Offset)
	case err != nil || bytes.TrimLeft(data, " \t\r\n")[0] != '{':
		return fault.New(fault.Invalid, "request body must be a JSON object")
	}
	return nil
}

// checkContentType lets a body without a type pass: it has to be JSON anyway.
func checkContentType(text string) error {
	if text == "" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(text)
	if err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return nil
	}
	return &Refusal{Status: http.StatusUnsupportedMediaType, Message: "Content-Type must be application/json (curl: -H 'Content-Type: application/json')"}
}

// Query reads the parameters, all of them or none.
func Query(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "query is not correctly percent-encoded")
	}
	return values, nil
}

// PathValue returns the part of the path that a route calls name. Routes match
// the path as it was sent when that differs from its plain form.
func PathValue(r *http.Request, name string) string {
	text := r.PathValue(name)
	if r.URL.RawPath != "" {
		if plain, err := url.PathUnescape(text); err == nil {
			return plain
		}
	}
	return text
}

// PathID reads the part of the path that a route calls name, hexadecimal digits
// of either case, into an id of that many bytes.
func PathID(r *http.Request, name string, id []byte) error {
	return ReadID(name, PathValue(r, name), id)
}

// PathSpan returns the key of the span whose trace_id and span_id the path has,
// without its start.
func PathSpan(r *http.Request) (key span.Key, err error) {
	if err = PathID(r, "trace_id", key.TraceID[:]); err == nil {
		err = PathID(r, "span_id", key.SpanID[:])
	}
	return key, err
}

// ReadID reads what a field has as PathID does.
func ReadID(field, text string, id []byte) error {
	if len(text) == hex.EncodedLen(len(id)) {
		if _, err := hex.Decode(id, []byte(text)); err == nil {
			return nil
		}
	}
	return fault.New(fault.Invalid, "%s must be %d hexadecimal digits", field, hex.EncodedLen(len(id)))
}
