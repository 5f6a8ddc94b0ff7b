// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/http"
	"net/url"
	"reflect"
)

// inputOf returns what reads the parameters of a request and its body, if it has
// one, into In. Text parameters are read here; what a number or another value
// must be, its operation says itself.
func inputOf[In any]() func(r *http.Request, in *In) error {
	t := reflect.TypeFor[In]()
	body, within := bodyOf(t)
	var fields []reflect.StructField
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if _, name := parameterOf(&f); name != "" {
				fields = append(fields, f)
			}
		}
	}
	return func(r *http.Request, in *In) error {
		v := reflect.ValueOf(in).Elem()
		if err := readParameters(r, v, fields); err != nil || body == nil {
			return err
		}
		if within != nil {
			v = v.FieldByIndex(within)
		}
		return Decode(r, v.Addr().Interface())
	}
}

func readParameters(r *http.Request, in reflect.Value, fields []reflect.StructField) error {
	var query url.Values
	for _, f := range fields {
		var text string
		switch where, name := parameterOf(&f); where {
		case "path":
			text = PathValue(r, name)
		case "header":
			text = r.Header.Get(name)
		default:
			if query == nil {
				var err error
				if query, err = Query(r); err != nil {
					return err
				}
			}
			text = query.Get(name)
		}
		if at := in.FieldByIndex(f.Index); at.Kind() == reflect.String {
			at.SetString(text)
		}
	}
	return nil
}
