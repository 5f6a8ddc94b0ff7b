// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"slices"
)

// spotOf gives where a span is, if that is known without looking.
func (e *engine) spotOf(o owner) (spot, bool) {
	if number, known := e.window.envs[o.env]; known {
		if at, found := e.window.find(key{env: number, trace: o.span.TraceID, span: o.span.SpanID}); found {
			return spot{serial: int64(at.serial), seq: int64(at.seq)}, true
		}
	}
	return e.backlog.spotOf(o)
}

// search looks in all partitions for spans, the newest first.
func (e *engine) search(ctx context.Context, lost []*settled, places map[*partition][]*settled) error {
	e.mu.RLock()
	partitions := e.partitions
	e.mu.RUnlock()
	for i := len(partitions) - 1; i >= 0 && len(lost) > 0; i-- {
		found, err := e.searchIn(ctx, partitions[i], lost)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		lost = slices.DeleteFunc(lost, func(x *settled) bool { return x.placed })
		places[partitions[i]] = append(places[partitions[i]], found...)
	}
	return nil
}

func (e *engine) searchIn(ctx context.Context, p *partition, lost []*settled) (found []*settled, err error) {
	if !p.hold() {
		return nil, nil
	}
	defer p.release()
	wanted := map[rowKey]*settled{}
	var traces []int64
	for _, x := range lost {
		if b, ok := p.bound(x.env); ok && b.spans > 0 {
			k := rowKeyOf(b.code, x.span.TraceID, x.span.SpanID)
			wanted[k] = x
			traces = append(traces, k.hi)
		}
	}
	if len(traces) == 0 {
		return nil, nil
	}
	err = e.alone(ctx, func(q querier) error {
		if err := q.in(ctx, p); err != nil {
			return err
		}
		return q.each(ctx, whereaboutsSQL, []any{traces}, func(rows *sql.Rows) error {
			var k rowKey
			var seq int64
			err := rows.Scan(&k.env, &k.hi, &k.lo, &k.id, &seq)
			if x := wanted[k]; x != nil {
				delete(wanted, k)
				x.seq, x.placed = seq, true
				found = append(found, x)
			}
			return err
		})
	})
	return found, err
}
