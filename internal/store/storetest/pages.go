// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"iter"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Searcher is the part of an engine that finds.
type Searcher interface {
	Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error)
}

// Pages returns all pages of what a query finds, each asked for when it is its turn. An
// error is the last.
func Pages(ctx context.Context, s Searcher, env tenant.Environment, q query.Query) iter.Seq2[query.Page, error] {
	return func(yield func(query.Page, error) bool) {
		for {
			page, err := s.Search(ctx, env, q)
			if !yield(page, err) || err != nil || page.Next == nil {
				return
			}
			q.After = page.Next
		}
	}
}
