// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// decode reads the body, one JSON object and nothing after it, into v.
func decode(r *http.Request, v any) error {
	if err := checkContentType(r.Header.Get("Content-Type")); err != nil {
		return err
	}
	body, err := io.ReadAll(r.Body)
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return fault.New(fault.TooLarge, "request body must be at most %d bytes", over.Limit)
	case err != nil:
		return fault.Wrap(fault.Invalid, err, "request body cannot be read")
	case len(bytes.TrimSpace(body)) == 0:
		return fault.New(fault.Invalid, "request body is required: a JSON object")
	}
	return decodeObject("", body, v)
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
	return &httpError{http.StatusUnsupportedMediaType, "Content-Type must be application/json (curl: -H 'Content-Type: application/json')"}
}

// decodeObject reads data into v, a pointer to a struct of texts and raw
// members. path is what names the object in errors, "" for the body itself.
func decodeObject(path string, data []byte, v any) error {
	name := path
	if path == "" {
		name = "request body"
	}
	err := json.Unmarshal(data, v)
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fault.New(fault.Invalid, "%s is not valid JSON at byte %d", name, syntax.Offset)
	case errors.As(err, &mistyped) && mistyped.Field != "":
		// Before the member stand the names of embedded structs, which only we know.
		return fault.New(fault.Invalid, "%s must be a string", join(path, mistyped.Field[strings.LastIndexByte(mistyped.Field, '.')+1:]))
	case err != nil || kindOf(data) != '{':
		return fault.New(fault.Invalid, "%s must be a JSON object", name)
	}
	return nil
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// kindOf gives the first byte of a JSON value, which tells its type.
func kindOf(data []byte) byte {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 {
		return 0
	}
	return data[0]
}

// absent reports that a member was left out or null.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || kindOf(raw) == 'n' }

// items gives the elements of an array.
func items(path string, raw json.RawMessage) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if kindOf(raw) != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, fault.New(fault.Invalid, "%s must be an array", path)
	}
	return list, nil
}

// scalar gives a string bare, and a number or a boolean as it was written.
func scalar(path string, raw json.RawMessage) (string, error) {
	switch kindOf(raw) {
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err == nil {
			return text, nil
		}
	case '{', '[', 'n', 0:
	default:
		return string(bytes.TrimSpace(raw)), nil
	}
	return "", fault.New(fault.Invalid, "%s must be a string, a number or a boolean", path)
}

// parameters reads the parameters, all of them or none.
func parameters(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "query is not correctly percent-encoded")
	}
	return values, nil
}

// pathValue gives the part of the path that a route calls name. Routes match
// the path as it was sent when that differs from its plain form.
func pathValue(r *http.Request, name string) string {
	text := r.PathValue(name)
	if r.URL.RawPath != "" {
		if plain, err := url.PathUnescape(text); err == nil {
			return plain
		}
	}
	return text
}
