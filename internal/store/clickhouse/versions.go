// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// FINAL puts the versions of all rows together before any is answered. A page needs that of
// few rows: those that match are among the versions that do, so these are found without
// FINAL, in the order of the query, and then it is looked which of them count.

// spareVersions is how many versions more than spans are asked for first.
const spareVersions = 16

// look is one look for the keys of the spans of a page.
type look struct {
	*search
	of        source
	where, by string
}

// rowVersion is a version of the row of a span. Writers that do not see each other may give
// the same number, but not to the same content.
type rowVersion struct {
	store.Owner
	version, digest uint64
}

func (r *spanRow) rowVersion() rowVersion { return rowVersion{r.owner(), r.version, r.digest} }

// keys returns the keys of the first spans that match, one more than a page has.
func (l *look) keys(ctx context.Context) ([]*spanRow, error) {
	if l.of.among == "" && l.of.isOneRow() {
		for limit := l.query.Limit + 1 + spareVersions; ; limit *= 4 {
			found, err := l.find(ctx, versionColumns, l.of.fromVersions(), limit)
			if err != nil {
				return nil, err
			}
			keys, known, err := l.counting(ctx, found)
			if err != nil {
				return nil, err
			}
			if !known {
				break
			}
			if len(keys) > l.query.Limit || len(found) < limit {
				return keys[:min(len(keys), l.query.Limit+1)], nil
			}
		}
	}
	return l.find(ctx, hitColumns, l.of.from(), l.query.Limit+1)
}

func (l *look) find(ctx context.Context, columns []column[spanRow], from string, limit int) ([]*spanRow, error) {
	return rows(ctx, l.db, "find spans", columns, "SELECT "+names(columns)+" FROM "+from+" WHERE "+l.where+l.by+" LIMIT "+strconv.Itoa(limit))
}

// counting returns which of the versions that were found count, each once. It is not known
// where spans match by a version that was not found: they were replaced since, or have
// another place in the order.
func (l *look) counting(ctx context.Context, found []*spanRow) (keys []*spanRow, known bool, err error) {
	if len(found) == 0 {
		return nil, true, nil
	}
	of := l.of
	of.among = sqltext.Among(owners(found))
	final, err := rows(ctx, l.db, "find spans", versionColumns, "SELECT "+names(versionColumns)+" FROM "+of.from()+" WHERE "+l.where)
	if err != nil {
		return nil, false, err
	}
	counts := make(map[rowVersion]bool, len(final))
	for _, r := range final {
		counts[r.rowVersion()] = true
	}
	for _, r := range found {
		if v := r.rowVersion(); counts[v] {
			keys = append(keys, r)
			delete(counts, v)
		}
	}
	return keys, len(counts) == 0, nil
}
