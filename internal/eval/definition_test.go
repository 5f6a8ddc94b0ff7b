// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMalformedDefinitionsAreRefused(t *testing.T) {
	t.Parallel()
	breaks := map[string]func(d *Definition[echoInput, echoConfig, echoOutput]){
		`slug ""`:             func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Slug = "" },
		`slug "Echo 2"`:       func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Slug = "Echo 2" },
		`slug "-echo"`:        func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Slug = "-echo" },
		"doc is missing":      func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Doc = "" },
		"run is missing":      func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Run = nil },
		"example is missing":  func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Examples = nil },
		"want and refused":    func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Examples[0].Refused = "too" },
		"example 1: \"{\":":   func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Examples[0].Input = "{" },
		"example 2: \"[1]\":": func(d *Definition[echoInput, echoConfig, echoOutput]) { d.Examples[1].Config = "[1]" },
	}
	for want, broken := range breaks {
		d := echo()
		broken(&d)
		_, err := New(d)
		require.ErrorContains(t, err, want)
	}
}

func refusesShape[In, Cfg, Out any](t *testing.T, want string) {
	t.Helper()
	_, err := New(Definition[In, Cfg, Out]{
		Slug: "shape", Doc: "A shape.", Examples: []Example{{Input: "{}", Want: "{}"}},
		Run: func(context.Context, In, Cfg) (out Out, err error) { return out, err },
	})
	require.ErrorContains(t, err, want)
}

func TestMalformedFieldsAreRefused(t *testing.T) {
	t.Parallel()
	type out struct {
		A string `json:"a" doc:"A."`
	}
	refusesShape[string, None, out](t, "input is no struct")
	refusesShape[None, int, out](t, "config is no struct")
	refusesShape[None, None, None](t, "output is no struct with fields")
	refusesShape[struct {
		A string `doc:"A."`
	}, None, out](t, "must be exported and have a json name")
	refusesShape[struct {
		a string `doc:"A."`
	}, None, out](t, "must be exported")
	refusesShape[struct {
		A string `json:"a,omitempty" doc:"A."`
	}, None, out](t, "json name")
	refusesShape[struct {
		A string `json:"a"`
	}, None, out](t, "doc is missing")
	refusesShape[struct {
		A float64 `json:"a" doc:"A."`
	}, None, out](t, "type float64 is not supported here")
	refusesShape[struct {
		A []string `json:"a" doc:"A."`
	}, None, out](t, "type []string is not supported")
	refusesShape[struct {
		A string `json:"a" doc:"A." need:"yes"`
	}, None, out](t, `need is "yes"`)
	refusesShape[struct {
		A string `json:"a" doc:"A." span:"prompt"`
	}, None, out](t, `there is no span part "prompt"`)
	refusesShape[None, struct {
		A float64 `json:"a" doc:"A." min:"low"`
	}, out](t, "min:")
	refusesShape[None, struct {
		A float64 `json:"a" doc:"A." max:"high"`
	}, out](t, "max:")
	refusesShape[None, None, struct {
		A JSONText[[]int] `json:"a" doc:"A."`
	}](t, "is not supported here")
}
