// SPDX-License-Identifier: Apache-2.0

package monitors_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitors"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/benchtest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const benchSetups = 50

// owing is of how many spans of the environment one has pending evaluations.
const owing = 20

// BenchmarkExplain explains random spans of the busiest environment, each by 50
// setups of three rules, among TOUCHSTONE_BENCH_SPANS spans or 200,000 of two days:
// any of them, and those that have a pending evaluation of each setup that matches, with
// the money that is left to the setup and to the environment.
func BenchmarkExplain(b *testing.B) {
	n := 200_000
	if text := os.Getenv("TOUCHSTONE_BENCH_SPANS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	db, control := benchtest.Stores(b)
	const days = 48 * time.Hour
	made := spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-days), Period: days / time.Duration(n)})
	env := made.Environments()[0]
	env.Quota.DollarsPerDay = 1000
	var keys, owed []span.Key
	benchtest.Load(b, db, made, n, func(_ int, of tenant.Environment, s *span.Span) {
		if of.ID != env.ID {
			return
		}
		keys = append(keys, s.Key())
		if _, ofModel := s.Attributes.Get("llm.vendor"); ofModel && len(keys)%owing == 0 {
			owed = append(owed, s.Key())
		}
	})
	setups := benchmarked(b, control, env)
	owe(b, db, env, owed)
	meter := usage.New(db, db, time.Now)
	b.Cleanup(meter.Close)
	a := &monitors.ExplainAPI{
		Records: db, Setups: setups, Usage: meter, Evaluators: registry.New(evaluators.Catalog(), store.Evaluators(control), nil), Now: time.Now,
	}
	h := resttest.Handler(resttest.Server(b, env), a.Routes())
	for _, of := range []struct {
		name  string
		spans []span.Key
	}{{"any", keys}, {"owed", owed}} {
		b.Run(of.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			benchtest.Time(b, func() *httptest.ResponseRecorder {
				key := of.spans[r.IntN(len(of.spans))]
				return resttest.Call(b, h, http.MethodGet, "/v2/warehouse/spans/"+key.TraceID.String()+"/"+key.SpanID.String()+"/explain", "")
			}, 50, 99)
		})
	}
}

// owe gives some spans a pending evaluation of each setup that matches calls of models.
func owe(b *testing.B, db storetest.Writer, env tenant.Environment, spans []span.Key) {
	b.Helper()
	for list := range slices.Chunk(spans, 1000) {
		batch := make([]store.Evaluated, len(list))
		for i, key := range list {
			batch[i] = store.Evaluated{Environment: env.ID, Span: key}
			for n := 0; n < benchSetups; n += 5 {
				batch[i].Evaluations = append(batch[i].Evaluations, eval.Evaluation{
					SetupID: fmt.Sprintf("set_%d", n), Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel,
					Generation: 1, Probability: 1, Source: eval.FromTouchstone, Time: key.Start + int64(time.Second), Due: time.Now().UnixNano(),
				})
			}
		}
		_, err := db.Write(b.Context(), store.Batch{Evaluations: batch})
		require.NoError(b, err)
	}
}

// benchmarked are setups of three rules each, of which one in five matches calls
// of models.
func benchmarked(b *testing.B, control store.Control, env tenant.Environment) store.Collection[monitor.Setup] {
	b.Helper()
	require.NoError(b, control.CreateOrganization(b.Context(), tenant.Organization{
		ID: env.OrganizationID, Name: "Acme", Retention: env.Retention, CreatedAt: time.Now(),
		Projects: []tenant.Project{{ID: env.ProjectID, Slug: "default", Environments: []tenant.Environment{env}}},
	}, nil))
	list := store.Setups(control)
	for i := range benchSetups {
		absent := fmt.Sprintf("service-%d", i)
		s := monitor.Setup{
			ID: fmt.Sprintf("set_%d", i), ExternalID: fmt.Sprintf("m%d", i), EnvironmentID: env.ID, Generation: 1, CreatedAt: time.Now(), Status: monitor.Completed,
			Selector: monitor.Selector{
				{Key: "llm.vendor", Source: monitor.SpanAttributes, Operator: query.OpExists},
				{Key: "llm.request.model", Source: monitor.SpanAttributes, Operator: query.OpNotEquals, Value: &absent},
			},
			Evaluators:    []monitor.SetupEvaluator{{Slug: "char-count"}, {Slug: "json-validator"}, {Slug: "faithfulness"}},
			MaxCostPerDay: 5,
		}
		if i%5 > 0 {
			s.Selector = append(s.Selector, monitor.Rule{Key: "service.name", Source: monitor.ResourceAttributes, Operator: query.OpEquals, Value: &absent})
		}
		require.NoError(b, list.Create(b.Context(), s))
	}
	return list
}
