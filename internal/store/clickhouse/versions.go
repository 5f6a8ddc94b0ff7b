// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
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

// keys returns the keys of the first spans that match, one more than a page has, and
// whether it is known that the versions that were found count. Where it need not be it is
// not looked up, unless there are several versions of a row among them.
func (l *look) keys(ctx context.Context, must bool) (keys []*spanRow, known bool, err error) {
	most := l.query.Limit + 1
	if l.of.among == "" && l.of.isOneRow() {
		for limit := most + spareVersions; ; limit *= 4 {
			found, err := l.find(ctx, versionColumns, "", limit)
			if err != nil {
				return nil, false, err
			}
			if !must && distinct(found) {
				return found[:min(len(found), most)], false, nil
			}
			keys, known, err := l.counting(ctx, found)
			if err != nil {
				return nil, false, err
			}
			if !known {
				break
			}
			if len(keys) >= most || len(found) < limit {
				return keys[:min(len(keys), most)], true, nil
			}
		}
	}
	if !l.countsFew() {
		keys, err = l.find(ctx, hitColumns, " FINAL", most)
		return keys, true, err
	}
	keys, err = l.find(ctx, hitColumns, " FINAL", fewKeys)
	l.total = int64(len(keys))
	return keys[:min(len(keys), most)], true, err
}

// distinct reports whether no row is there twice.
func distinct(list []*spanRow) bool {
	there := make(map[store.Owner]bool, len(list))
	for _, r := range list {
		there[r.owner()] = true
	}
	return len(there) == len(list)
}

// sameVersions reports whether the rows that were found are of the versions of the keys, all of
// them. A version that counts now did when the keys were found.
func sameVersions(found, keys []*spanRow) bool {
	there := make(map[rowVersion]bool, len(found))
	for _, r := range found {
		there[r.rowVersion()] = true
	}
	return !slices.ContainsFunc(keys, func(k *spanRow) bool { return !there[k.rowVersion()] })
}

func (l *look) find(ctx context.Context, columns []column[spanRow], final string, limit int) ([]*spanRow, error) {
	return rows(ctx, l.db, "find spans", columns, l.of.selecting(names(columns), final)+" AND "+l.where+l.by+" LIMIT "+strconv.Itoa(limit))
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
	final, err := rows(ctx, l.db, "find spans", versionColumns, of.selecting(names(versionColumns), " FINAL")+" AND "+l.where)
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
