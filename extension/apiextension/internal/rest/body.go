// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// maxViolations is how many of the things that are wrong with a body an error names.
const maxViolations = 10

// Body is a JSON value of a request, or an element of one, with what its schema
// refuses of it.
type Body struct {
	value      any
	violations []violation
}

// Err returns what is wrong with the body, nil if nothing is: a fault of kind
// Invalid that names each field as it stands in the body.
func (b *Body) Err() error {
	if len(b.violations) == 0 {
		return nil
	}
	messages := make([]string, 0, maxViolations+1)
	for i := range b.violations {
		if i == maxViolations {
			messages = append(messages, fmt.Sprintf("and %d more", len(b.violations)-i))
			break
		}
		messages = append(messages, b.violations[i].message(b.value))
	}
	return fault.New(fault.Invalid, "%s", strings.Join(messages, "; "))
}

// Into decodes the body into v, a pointer, unless something is wrong with it.
// Members that were null though no null is wanted are left out.
func (b *Body) Into(v any) error {
	if err := b.Err(); err != nil {
		return err
	}
	// From the value that was checked, not from the text: names in another
	// case, or the same name twice, must not mean something else here.
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(b.value); err != nil {
		return fmt.Errorf("encode the checked body: %w", err)
	}
	if err := json.Unmarshal(text.Bytes(), v); err != nil {
		return fmt.Errorf("the schema lets pass what the handler cannot take: %w", err)
	}
	return nil
}

// Items returns the elements of the list under a name as bodies of their own,
// and leaves to b what is wrong with the list itself or with an element that is
// no object.
func (b *Body) Items(name string) []*Body {
	list, _ := member(b.value, name).([]any)
	items := make([]*Body, len(list))
	for i := range list {
		items[i] = &Body{value: list[i]}
	}
	var rest []violation
	for _, v := range b.violations {
		if len(v.path) > 2 && v.path[0] == name {
			if i, ok := index(v.path[1], len(items)); ok {
				v.path = v.path[2:]
				items[i].violations = append(items[i].violations, v)
				continue
			}
		}
		rest = append(rest, v)
	}
	b.violations = rest
	return items
}

// Members returns the body without the members that have other names, and
// without what is wrong with those.
func (b *Body) Members(names ...string) *Body {
	part := map[string]any{}
	for _, name := range names {
		object, _ := b.value.(map[string]any)
		if v, found := object[name]; found {
			part[name] = v
		}
	}
	few := &Body{value: part}
	for _, v := range b.violations {
		for _, name := range names {
			if len(v.path) > 0 && v.path[0] == name {
				few.violations = append(few.violations, v)
			}
		}
	}
	return few
}
