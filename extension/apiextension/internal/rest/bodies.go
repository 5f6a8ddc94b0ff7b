// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bodies are the schemas that the OpenAPI document has for request bodies,
// compiled once. It is safe for concurrent use.
type Bodies struct {
	byOperation map[string]*Schema // by method and path
}

// documentURL is what the document is called where schemas refer to each other.
const documentURL = "openapi:///openapi.json"

// NewBodies compiles the schemas of a document.
func NewBodies(document []byte) (*Bodies, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020) // which OpenAPI 3.1 builds on
	if err := compiler.AddResource(documentURL, parsed); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	b := &Bodies{byOperation: map[string]*Schema{}}
	paths, _ := member(parsed, "paths").(map[string]any)
	for path, operations := range paths {
		methods, _ := operations.(map[string]any)
		for method, operation := range methods {
			const media = "application/json"
			if member(operation, "requestBody", "content", media, "schema") == nil {
				continue
			}
			at := fmt.Sprintf("%s#/paths/%s/%s/requestBody/content/%s/schema", documentURL, escape(path), method, escape(media))
			compiled, err := compiler.Compile(at)
			if err != nil {
				return nil, fmt.Errorf("compile the schema of the body of %s: %w", operationName(method, path), err)
			}
			b.byOperation[operationName(method, path)] = newSchema(compiled, parsed)
		}
	}
	return b, nil
}

// Of returns the schema of an operation's body, nil if it has none.
func (b *Bodies) Of(method, path string) *Schema { return b.byOperation[operationName(method, path)] }

func operationName(method, path string) string { return strings.ToUpper(method) + " " + path }

// escape spells a member of a JSON pointer within a URL's fragment.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
}

// member returns what stands in a value under these names, nil if nothing does.
func member(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

type readerKey struct{}

// known has the requests of a route carry what reads and checks their bodies.
func (b *Bodies) known(route Route, h Handler) Handler {
	read := readObject
	if route.read != nil {
		read = route.read
	}
	schema := b.Of(cmp.Or(route.bodyOf, route.Method), route.Path)
	if schema == nil {
		return h
	}
	checked := func(r *http.Request) (*Body, error) {
		data, err := read(r)
		if err != nil {
			return nil, err
		}
		return schema.Check(data)
	}
	return func(r *http.Request) (Response, error) {
		return h(r.WithContext(context.WithValue(r.Context(), readerKey{}, checked)))
	}
}

// Read reads the body of a request and checks it by the schema that its route
// has in the OpenAPI document. What the schema refuses is an error of the body.
func Read(r *http.Request) (*Body, error) {
	checked, known := r.Context().Value(readerKey{}).(func(*http.Request) (*Body, error))
	if !known {
		return nil, fmt.Errorf("the OpenAPI document has no body for %s %s", r.Method, r.Pattern)
	}
	return checked(r)
}

// Decode reads the body of a request as Read does into v.
func Decode(r *http.Request, v any) error {
	body, err := Read(r)
	if err != nil {
		return err
	}
	return body.Into(v)
}
