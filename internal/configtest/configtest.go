// SPDX-License-Identifier: Apache-2.0

// Package configtest holds the tests that every component's configuration
// passes.
package configtest

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// Setting is one row of a README's configuration table.
type Setting struct{ Key, Default string }

// Check holds the struct of a factory's default configuration against the
// collector's rules, and against the table in README.md of the working
// directory: the same keys in the same order, with the same defaults.
func Check(t *testing.T, defaults component.Config) {
	t.Helper()
	require.NoError(t, componenttest.CheckConfigStruct(defaults))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Equal(t, Settings(defaults), Table(string(readme)), "README.md and Config differ")
}

// Load decodes the part of testdata/config.yaml that configures the component
// with this ID over cfg, and gives what validation says.
func Load(t *testing.T, id component.ID, cfg component.Config) error {
	t.Helper()
	file, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	part, err := file.Sub(id.String())
	require.NoError(t, err)
	require.NoError(t, part.Unmarshal(cfg))
	return confmap.Validate(cfg)
}

// Settings lists the keys of a configuration with their present values.
func Settings(cfg component.Config) []Setting {
	return appendSettings(nil, "", reflect.Indirect(reflect.ValueOf(cfg)))
}

func appendSettings(list []Setting, prefix string, v reflect.Value) []Setting {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		if !field.IsExported() || key == "" {
			continue
		}
		if optional, ok := v.Field(i).Addr().Interface().(interface{ HasValue() bool }); ok {
			list = appendSettings(list, prefix+key+"::", inserted(optional))
			continue
		}
		if _, isText := v.Field(i).Interface().(fmt.Stringer); !isText && field.Type.Kind() == reflect.Struct {
			list = appendSettings(list, prefix+key+"::", v.Field(i))
			continue
		}
		list = append(list, Setting{prefix + key, text(v.Field(i))})
	}
	return list
}

// inserted returns what a configoptional.Optional has when it is named and nothing
// is said of it.
func inserted(optional any) reflect.Value {
	v := reflect.ValueOf(optional).Elem()
	named := reflect.New(v.Type())
	named.Elem().Set(v)
	return named.MethodByName("GetOrInsertDefault").Call(nil)[0].Elem()
}

func text(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String() // an empty secret shows as empty
	}
	return fmt.Sprint(v.Interface())
}

var row = regexp.MustCompile("(?m)^\\| `([a-z0-9_:]+)` \\| (?:`([^`]*)`)? *\\|")

// Table reads the rows "| `key` | `default` | … |" of a README.
func Table(readme string) []Setting {
	var list []Setting
	for _, m := range row.FindAllStringSubmatch(readme, -1) {
		list = append(list, Setting{m[1], m[2]})
	}
	return list
}
