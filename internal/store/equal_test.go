// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// change gives v another value, and every value inside it too, one at a time.
// A field added later is tested from the start.
func change(v reflect.Value, path string, changed func(path string)) {
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	set := func(next any) {
		v.Set(reflect.ValueOf(next).Convert(v.Type()))
		changed(path)
		v.Set(was)
	}
	switch v.Kind() {
	case reflect.String:
		set(v.String() + "x")
	case reflect.Int64:
		set(v.Int() + 1)
	case reflect.Float64:
		set(v.Float() + 1)
	case reflect.Pointer:
		set(reflect.Zero(v.Type()).Interface())
		next := reflect.New(v.Type().Elem())
		next.Elem().Set(v.Elem())
		v.Set(next)
		change(next.Elem(), path+".*", changed)
		v.Set(was)
	case reflect.Map:
		set(reflect.Zero(v.Type()).Interface())
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			change(value, fmt.Sprintf("%s[%v]", path, key), func(string) {
				next := reflect.MakeMap(v.Type())
				next.SetMapIndex(key, value)
				set(next.Interface())
			})
		}
	case reflect.Slice:
		set(reflect.Zero(v.Type()).Interface())
		set(reflect.AppendSlice(v, v.Slice(0, 1)).Interface())
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			set([]byte(`{"other": 1}`))
			return
		}
		next := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(next, v)
		v.Set(next)
		for i := range next.Len() {
			change(next.Index(i), fmt.Sprintf("%s[%d]", path, i), changed)
		}
		v.Set(was)
	case reflect.Struct:
		if at, ok := v.Interface().(time.Time); ok {
			set(at.Add(1))
			return
		}
		for i := range v.NumField() {
			change(v.Field(i), path+"."+v.Type().Field(i).Name, changed)
		}
	default:
		panic("change does not know " + v.Type().String())
	}
}

func TestEverythingOfASetupIsCompared(t *testing.T) {
	t.Parallel()
	value := "v"
	made := func() monitor.Setup {
		return monitor.Setup{
			ID: "id", Revision: 1, CreatedAt: time.Unix(1, 0),
			Selector: monitor.Selector{{Key: "k", Value: &value, Values: []string{"a"}}, {Key: "l", Value: &value, Values: []string{"b"}}},
			Evaluators: []monitor.SetupEvaluator{{
				Slug: "s", Config: json.RawMessage(`{"a": 1}`), Inputs: map[string]monitor.InputSource{"text": {Origin: monitor.Span}},
			}},
		}
	}
	a, b := made(), made()
	count := 0
	change(reflect.ValueOf(&a).Elem(), "setup", func(path string) {
		count++
		require.False(t, same([]monitor.Setup{a}, []monitor.Setup{b}), path)
		require.False(t, same([]monitor.Setup{b}, []monitor.Setup{a}), path)
	})
	require.Greater(t, count, 40)
	require.True(t, same([]monitor.Setup{a}, []monitor.Setup{b}), "and is as it was")
	require.False(t, same([]monitor.Setup{a}, nil))
	a.CreatedAt = a.CreatedAt.UTC()
	require.True(t, same([]monitor.Setup{a}, []monitor.Setup{b}), "an instant is one in every zone")
}
