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
// query.Query.Brief says.
func ReadBriefSpans(ctx context.Context, conn *sql.Conn, seqs []int64) ([]*SpanRow, error) {
	found, err := readRows(ctx, conn, briefColumns, seqs)
	if err != nil {
		return nil, err
	}
	origins, err := ReadOrigins(ctx, conn, originsOf(found))
	for _, x := range found {
		x.origin = origins[x.originID]
		x.origin.keys, x.origin.values = nil, nil
	}
	return found, err
}

// readRows reads columns of rows by their seq, in ascending order.
func readRows(ctx context.Context, conn *sql.Conn, of columns[SpanRow], seqs []int64) ([]*SpanRow, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	found := make([]*SpanRow, 0, len(seqs))
	into := make([]any, 0, len(of))
	err := Each(ctx, conn, "SELECT "+of.names("")+" FROM spans WHERE"+sqltext.Among("seq", seqs), nil, func(r *sql.Rows) error {
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

// ReadSpans reads rows of spans by their seq, in ascending order.
func ReadSpans(ctx context.Context, conn *sql.Conn, seqs []int64) ([]*SpanRow, error) {
	found, err := readRows(ctx, conn, spanColumns, seqs)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var shapeIDs []int32
	for _, x := range found {
		shapeIDs = append(shapeIDs, x.attributeShape, x.promptShape, x.completionShape)
	}
	shapes, err := readShapes(ctx, conn, shapeIDs)
	if err != nil {
		return nil, err
	}
	origins, err := ReadOrigins(ctx, conn, originsOf(found))
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		x.origin = origins[x.originID]
		x.attributes, x.prompts, x.completions = shapes[x.attributeShape], shapes[x.promptShape], shapes[x.completionShape]
	}
	return found, nil
}

// readShapes returns shapes by their ids.
func readShapes(ctx context.Context, conn *sql.Conn, ids []int32) (map[int32]shape, error) {
	slices.Sort(ids)
	found := map[int32]shape{}
	if len(ids) == 0 {
		return found, nil
	}
	err := Each(ctx, conn, shapesSQL+"("+sqltext.Numbers(slices.Compact(ids))+")", nil, func(r *sql.Rows) error {
		var id int32
		var x shape
		err := r.Scan(&id, &x.kept[0], &x.kept[1], &x.kept[2], &x.kept[3], &x.folded, &x.sources)
		found[id] = x
		return err
	})
	return found, err
}

// ReadOrigins returns origins by their ids, in any order and each any number of
// times.
func ReadOrigins(ctx context.Context, conn *sql.Conn, ids []int32) (map[int32]Origin, error) {
	slices.Sort(ids)
	found := map[int32]Origin{}
	if len(ids) == 0 {
		return found, nil
	}
	err := Each(ctx, conn, originsSQL+"("+sqltext.Numbers(slices.Compact(ids))+")", nil, func(r *sql.Rows) error {
		var id int32
		var x Origin
		err := r.Scan(&id, &x.Service, &x.scopeName, &x.scopeVersion, &x.kind, &x.keys, &x.values)
		found[id] = x
		return err
	})
	return found, err
}
