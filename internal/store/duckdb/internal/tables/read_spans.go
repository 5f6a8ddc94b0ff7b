// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// The statements of what spans refer to, each explained in its file.
var (
	//go:embed sql/shapes.sql
	shapesSQL string
	//go:embed sql/origins.sql
	originsSQL string
)

// ReadBriefSpans reads rows of spans by their seq, in ascending order, as
// query.Query.Brief says. Indexed is whether seq has an index.
func ReadBriefSpans(ctx context.Context, conn *sql.Conn, r Recall, seqs []int64, indexed bool) ([]*SpanRow, error) {
	found, err := readRows(ctx, conn, briefColumns, seqs, indexed)
	if err != nil {
		return nil, err
	}
	originOf, err := origins.read(ctx, conn, r, originsOf(found))
	for _, x := range found {
		x.origin = originOf[x.originID]
		x.origin.keys, x.origin.values = nil, nil
	}
	return found, err
}

// The engine decodes rows in vectors, see
// https://duckdb.org/docs/stable/internals/vector: one row that lies alone costs as much
// as scannedAlike rows that the index on seq finds, each of which is decoded alone.
const (
	vectorRows   = 2048
	scannedAlike = 3
)

// apart reports whether rows, in ascending order, lie in so many vectors that they are
// found cheaper one by one.
func apart(seqs []int64) bool {
	vectors := 0
	for i, seq := range seqs {
		if i == 0 || seq/vectorRows != seqs[i-1]/vectorRows {
			vectors++
		}
	}
	return scannedAlike*vectors > len(seqs)
}

// readRows reads columns of rows by their seq, in ascending order.
func readRows(ctx context.Context, conn *sql.Conn, of columns[SpanRow], seqs []int64, indexed bool) ([]*SpanRow, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	which := sqltext.Among("seq", seqs)
	if indexed && apart(seqs) {
		which = " seq IN (" + sqltext.Numbers(seqs) + ")" // any other condition makes the engine scan
	}
	found := make([]*SpanRow, 0, len(seqs))
	into := make([]any, 0, len(of))
	err := Each(ctx, conn, "SELECT "+of.names("")+" FROM spans WHERE"+which, nil, func(r *sql.Rows) error {
		x := &SpanRow{Span: &span.Span{}}
		found = append(found, x)
		return r.Scan(of.into(into[:0], x)...)
	})
	return found, err
}

// originsOf returns the ids of the origins of rows.
func originsOf(rows []*SpanRow) []int32 {
	ids := make([]int32, len(rows))
	for i, x := range rows {
		ids[i] = x.originID
	}
	return ids
}

// ReadSpans reads rows of spans by their seq, in ascending order. Indexed is whether seq
// has an index.
func ReadSpans(ctx context.Context, conn *sql.Conn, r Recall, seqs []int64, indexed bool) ([]*SpanRow, error) {
	return readWhole(ctx, conn, r, spanColumns, seqs, indexed)
}

// ReadKept reads rows of spans with their environments and digests, by their seq, in
// ascending order.
func ReadKept(ctx context.Context, conn *sql.Conn, r Recall, seqs []int64) ([]*SpanRow, error) {
	return readWhole(ctx, conn, r, keptColumns, seqs, false)
}

// readWhole reads columns of rows and what they refer to.
func readWhole(ctx context.Context, conn *sql.Conn, r Recall, of columns[SpanRow], seqs []int64, indexed bool) ([]*SpanRow, error) {
	found, err := readRows(ctx, conn, of, seqs, indexed)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := readTexts(ctx, conn, found, indexed); err != nil {
		return nil, err
	}
	var shapeIDs []int32
	for _, x := range found {
		shapeIDs = append(shapeIDs, x.attributeShape, x.promptShape, x.completionShape)
	}
	shapeOf, err := shapes.read(ctx, conn, r, shapeIDs)
	if err != nil {
		return nil, err
	}
	originOf, err := origins.read(ctx, conn, r, originsOf(found))
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		x.origin = originOf[x.originID]
		x.attributes, x.prompts, x.completions = shapeOf[x.attributeShape], shapeOf[x.promptShape], shapeOf[x.completionShape]
	}
	return found, nil
}

var shapes = smallTable[shape]{
	table:     "shapes",
	statement: shapesSQL,
	scan: func(row *sql.Rows) (id int32, x shape, err error) {
		err = row.Scan(&id, &x.kept[0], &x.kept[1], &x.kept[2], &x.kept[3], &x.folded, &x.sources)
		return id, x, err
	},
	bytes: shape.bytes,
}

var origins = smallTable[Origin]{
	table:     "origins",
	statement: originsSQL,
	scan: func(row *sql.Rows) (id int32, x Origin, err error) {
		err = row.Scan(&id, &x.Service, &x.scopeName, &x.scopeVersion, &x.kind, &x.keys, &x.values)
		return id, x, err
	},
	bytes: Origin.bytes,
}

// ReadOrigins returns origins by their ids, in any order and each any number of
// times.
func ReadOrigins(ctx context.Context, conn *sql.Conn, r Recall, ids []int32) (map[int32]Origin, error) {
	return origins.read(ctx, conn, r, ids)
}

// distinct returns numbers in ascending order, each once.
func distinct(ids []int32) []int32 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
