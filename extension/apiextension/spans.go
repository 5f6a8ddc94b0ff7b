// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// findSpans answers one page of the environment's spans.
func (a *api) findSpans(r *http.Request, env tenant.Environment) (answer, error) {
	values, err := query(r)
	if err != nil {
		return answer{}, err
	}
	q, cursor, err := span.ParseQuery(values)
	if err != nil {
		return answer{}, err
	}
	if cursor != "" {
		after, err := a.cursors.Open(string(env.ID), &q, cursor)
		if err != nil {
			return answer{}, err
		}
		q.After = &after
	}
	page, err := a.spans.Find(r.Context(), env, q)
	if err != nil {
		return answer{}, err
	}
	next := ""
	if page.Next != nil {
		next = a.cursors.Seal(string(env.ID), &q, *page.Next)
	}
	return answer{status: http.StatusOK, body: json.RawMessage(page.AppendJSON(nil, next))}, nil
}
