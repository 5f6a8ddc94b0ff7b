// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

func FuzzSetup(f *testing.F) {
	f.Add(`{"external_id":"m","evaluators":["char-count"],"selector":[{"key":"a","value":1,"source":"span_attributes"}]}`)
	f.Add(`{"entity_type":"agent","entity_value":"x","evaluators":[{"evaluator_type":"word-count"}],"selector":{"a":true}}`)
	f.Add(`{"external_id":"m","evaluators":["char-count"],"selector":[{"key":"a","values":["\ud800",null],"op":"in"}],"selector":{}}`)
	f.Add(`{"external_id":"m","evaluators":["char-count"],"evaluator_configs":{"char-count":{"config":{"a":1e999},"sample_rate":1e-999}},"min_spans":1e999}`)
	schema := resttest.Bodies(f).Of(http.MethodPost, "/v2/auto-monitor-setups")
	known := registry.New(evaluators.Catalog(), nil, nil).Among(nil)
	find := func(name string) (*eval.Evaluator, error) { return known.Find(context.Background(), "", name) }
	f.Fuzz(func(t *testing.T, text string) {
		body, err := schema.Check([]byte(text))
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		var want SetupRequest
		if err := body.Into(&want); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
			return
		}
		s, err := want.setup(find)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
			return
		}
		require.NotEmpty(t, s.ExternalID)
		require.NotEmpty(t, s.Evaluators)
		require.NoError(t, s.Selector.Validate("selector"))
		_, err = rest.Encode(showSetup(&s, known))
		require.NoError(t, err)
	})
}

func TestSetupOutlivesItsEvaluator(t *testing.T) {
	t.Parallel()
	known := registry.New(evaluators.Catalog(), nil, nil).Among(nil)
	for _, gone := range []monitor.SetupEvaluator{{Slug: "dropped-by-a-release"}, {Slug: "char-count", CustomID: "gone"}} {
		shown := showSetup(&monitor.Setup{Evaluators: []monitor.SetupEvaluator{gone}}, known)
		require.NotNil(t, shown.InitRules)
		require.NotNil(t, shown.Evaluators[0].InputSchema)
		require.NotNil(t, shown.Evaluators[0].OutputSchema)
	}
}
