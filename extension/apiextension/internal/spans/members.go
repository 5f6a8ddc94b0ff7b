// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// member is one name with its value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

var (
	errSyntax = errors.New("it is not valid JSON")
	errKind   = errors.New("it is another kind of value")
)

// objectMembers returns the members of the object that data holds, and nothing
// else, in the order and as often as they were written.
func objectMembers(data []byte) ([]member, error) {
	if err := startsWith(data, '{'); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, errSyntax
	}
	var list []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errSyntax
		}
		text, ok := name.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil || !ok {
			return nil, errSyntax
		}
		list = append(list, member{name: text, value: value})
	}
	return list, nil
}

func startsWith(data []byte, bracket byte) error {
	if !json.Valid(data) {
		return errSyntax
	}
	if rest.KindOf(data) != bracket {
		return errKind
	}
	return nil
}
