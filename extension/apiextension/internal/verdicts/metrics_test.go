// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// asked is a span store that remembers what it was asked for.
type asked struct {
	Records
	query query.Query
}

func (p *asked) Search(_ context.Context, _ tenant.Environment, q query.Query) (query.Page, error) {
	p.query = q
	return query.Page{}, nil
}

// Every operator of clients reaches the store, also where the document has it
// under another name or in another case.
func TestOperatorsReachTheStore(t *testing.T) {
	t.Parallel()
	server := resttest.Server(t, tenant.Environment{ID: "e", Slug: "prd"})
	for written, want := range map[string]query.Operator{
		"equals": query.OpEquals, "eq": query.OpEquals, "EQUALS": query.OpEquals, "not_equals": query.OpNotEquals, "ne": query.OpNotEquals, "NeQ": query.OpNotEquals,
		"contains": query.OpContains, "not_contains": query.OpNotContains, "starts_with": query.OpStartsWith, "greater_than": query.OpGreaterThan,
	} {
		for _, field := range []string{"labels.service_name", "service_name", "labels.run_id", "attributes.k", "labels.k"} {
			records := &asked{}
			h := resttest.Handler(server, (&MetricsAPI{Records: records}).Routes())
			w := resttest.Call(t, h, http.MethodPost, path, `{"from_timestamp_sec":1,"filters":[{"field":"`+field+`","operator":"`+written+`","value":7}]}`)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			require.Len(t, records.query.Filters, 1)
			require.Equal(t, want, records.query.Filters[0].Operator)
			require.Equal(t, "7", records.query.Filters[0].Value)
		}
	}
}

func FuzzMetrics(f *testing.F) {
	f.Add(`{"from_timestamp_sec":1,"filters":[{"field":"labels.agent_name","operator":"equals","value":"x"},{"field":"labels.env","operator":"in","values":["a"]}],"logical_operator":"OR"}`)
	f.Add(`{"from_timestamp_sec":"-1","metric_name":"a.b","metric_source":"x","cursor":1,"filters":[{"field":"metric_source","operator":"not_in","value":["a",1,true]}]}`)
	f.Add(`{"from_timestamp_sec":1,"limit":"99999999999999999999","filters":[{"field":"attributes.]","operator":"greater_than","value":"0x1p4"},{"field":"metric_type","operator":"contains","value":""}]}`)
	schema := resttest.Bodies(f).Of(http.MethodPost, path)
	n := &names{env: tenant.Environment{ID: "e", Slug: "prd"}, evaluators: func() ([]*eval.Evaluator, error) { return evaluators.Catalog().All(), nil }}
	cursors, err := query.NewCursors(make([]byte, query.CursorSecret))
	require.NoError(f, err)
	a := &MetricsAPI{Cursors: cursors}
	f.Fuzz(func(t *testing.T, text string) {
		body, err := schema.Check([]byte(text))
		if err != nil || body.Err() != nil {
			return
		}
		var want metricsRequest
		require.NoError(t, body.Into(&want), "the schema lets pass only what can be taken")
		q, cursor, err := want.query(n)
		if err != nil {
			return
		}
		require.LessOrEqual(t, q.From, q.To)
		require.GreaterOrEqual(t, q.Limit, 1)
		require.LessOrEqual(t, q.Limit, query.MaxLimit)
		require.NoError(t, q.Validate())
		_, _ = a.resume("e", q, cursor)
		at := query.Position{Real: 1, Start: 2, Setup: cursor, Evaluator: text, Output: "o"}
		back, err := cursors.Open("e", &q, cursors.Seal("e", &q, at))
		require.NoError(t, err)
		require.Equal(t, at, back)
	})
}
