// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"context"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// toldOpinions are the opinions of one request, of each environment together.
type toldOpinions struct {
	environments []tenant.Environment
	given        [][]opinions.Given
	refused      int
}

func (t *toldOpinions) add(env tenant.Environment, o verdicts.Told) {
	t.refused += o.Refused
	if len(o.List) == 0 {
		return
	}
	if last := len(t.environments) - 1; last < 0 || t.environments[last].ID != env.ID {
		t.environments, t.given = append(t.environments, env), append(t.given, nil)
	}
	last := len(t.given) - 1
	given := opinions.Given{TraceID: o.TraceID, SpanID: o.SpanID, Evaluations: o.List}
	if o.Response != "" {
		given.About = &opinions.Entity{Keys: []string{verdicts.ResponseID}, ID: o.Response}
	}
	t.given[last] = append(t.given[last], given)
}

// linked adds what the spans of a resource tell of others. What they tell of
// themselves they carry already.
func (t *toldOpinions) linked(env tenant.Environment, rs ptrace.ResourceSpans) {
	for _, ss := range rs.ScopeSpans().All() {
		for _, s := range ss.Spans().All() {
			if s.Links().Len() == 1 {
				t.add(env, verdicts.OfLink(s))
			}
		}
	}
}

// take stores opinions, also those whose spans are still to come.
func (e *spanStoreExporter) take(ctx context.Context, t *toldOpinions) error {
	for i, env := range t.environments {
		if err := e.opinions.Add(ctx, env, t.given[i]); err != nil {
			return err
		}
	}
	if t.refused > 0 { // at last: a request that is sent again counts once
		e.refused.Add(ctx, int64(t.refused))
	}
	return nil
}
