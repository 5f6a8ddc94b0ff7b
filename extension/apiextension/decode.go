// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// decode reads the body, one JSON object and nothing after it, into v.
func decode(r *http.Request, v any) error {
	body, err := rest.ReadObject(r)
	if err != nil {
		return err
	}
	return decodeObject("", body, v)
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

// parseTexts takes a list of strings; an empty one is none.
func parseTexts(path string, raw json.RawMessage) ([]string, error) {
	if absent(raw) {
		return nil, nil
	}
	list, err := items(path, raw)
	if err != nil {
		return nil, err
	}
	var texts []string
	for i, item := range list {
		var text string
		if kindOf(item) != '"' || json.Unmarshal(item, &text) != nil {
			return nil, fault.New(fault.Invalid, "%s[%d] must be a string", path, i)
		}
		texts = append(texts, text)
	}
	return texts, nil
}
