// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/reading"
)

// groupBytes is what a group takes in memory besides its keys and figures, and figureBytes
// what a figure takes, about.
const (
	groupBytes  = 160
	figureBytes = 24
)

// what identifies the aggregate in what is remembered of a partition, "" where its groups
// are not to be remembered there: while the partition takes in spans, where the period ends
// within it, and where a span has messages that came apart and so may lie in another
// partition. held are all partitions of the environment.
func (a *aggregation) what(h partitions.Held, held []partitions.Held) string {
	if !a.isClosed(h.Partition) || reading.HaveMessages(held) {
		return ""
	}
	b, _ := h.BoundsOf(a.env.ID) // which may have been others before it was closed
	if a.From > b.Min || a.To < b.Max {
		return ""
	}
	if a.asked == "" {
		asked := a.Fingerprint()
		a.asked = string(asked[:]) + string(a.env.ID) + "/" + a.env.Slug
	}
	return a.asked
}

// recall takes in what is remembered of partitions, and returns the others.
func (a *aggregation) recall(q *partitions.Querier, list, held []partitions.Held) ([]partitions.Held, error) {
	var left []partitions.Held
	for _, h := range list {
		if what := a.what(h, held); what != "" {
			remembered, _ := q.Remembered(h.Partition, what)
			if groups, found := remembered.([]query.Group); found {
				if err := a.merge(groups...); err != nil {
					return nil, err
				}
				continue
			}
		}
		left = append(left, h)
	}
	return left, nil
}

// remember takes in what read does of the partition that the connection is in, and remembers it.
func (a *aggregation) remember(q *partitions.Querier, h partitions.Held, held []partitions.Held, read func(*aggregation) error) error {
	what := a.what(h, held)
	if what == "" {
		return read(a)
	}
	part := &aggregation{Aggregate: a.Aggregate, env: a.env, groups: query.NewGroups(&a.Aggregate)}
	if err := read(part); err != nil {
		return err
	}
	groups := part.groups.List()
	bytes := 0
	for i := range groups {
		bytes += groupBytes + figureBytes*len(groups[i].Values)
		for _, key := range groups[i].Keys {
			bytes += len(key)
		}
	}
	q.Remember(what, groups, bytes)
	return a.merge(groups...)
}

// merge takes in groups, and refuses more than there may be.
func (a *aggregation) merge(groups ...query.Group) error {
	for _, g := range groups {
		a.groups.Merge(g)
		if a.Limit > 0 && a.groups.Len() > a.Limit {
			return a.ErrGroups()
		}
	}
	return nil
}
