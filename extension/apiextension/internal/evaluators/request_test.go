// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestSlugOfALongName(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("a", 100), slugOf(strings.Repeat("A", 300)))
	require.Equal(t, strings.Repeat("a", 99), slugOf(strings.Repeat("A", 99)+" b"))
}

func FuzzCustom(f *testing.F) {
	const whole = `{"name":"x","provider":"p","model":"m","messages":[{"role":"user","content":"{{text}}"}],
		"input_schema":[{"name":"text","type":"string"}],"output_schema":[{"name":"good","type":"boolean"}],"temperature":0.5,"stop":"END"}`
	f.Add(whole, `{"name":"x","config":{"messages":[],"llm_config":{"stop":"a","max_tokens":1}}}`)
	f.Add(`{"name":"\u0000","messages":[null],"input_schema":{},"temperature":1e999}`, `{"config":{"llm_config":{"model":7}}}`)
	f.Add(strings.ReplaceAll(whole, "text", `\ud800`), `{"input_schema":[{"name":"a","type":"enum","enum_values":[null]}]}`)
	bodies := resttest.Bodies(f)
	creation := bodies.Of(http.MethodPost, "/v2/evaluators")
	update := bodies.Of(http.MethodPatch, "/v2/evaluators/{slug}")
	into := func(t *testing.T, schema *rest.Schema, text string, v any) bool {
		body, err := schema.Check([]byte(text))
		if err == nil {
			err = body.Into(v)
		}
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
		}
		return err == nil
	}
	f.Fuzz(func(t *testing.T, text, change string) {
		var want CustomEvaluatorRequest
		c := eval.CustomEvaluator{Slug: "x", EnvironmentID: "e"}
		if !into(t, creation, text, &want) {
			return
		}
		want.apply(&c)
		if err := c.Check(); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		_, err := rest.Encode(showCustom(&c))
		require.NoError(t, err)
		var changed CustomEvaluatorChange
		if !into(t, update, change, &changed) {
			return
		}
		next := changed.request()
		if err := next.change(&c); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		require.NoError(t, c.Check())
	})
}
