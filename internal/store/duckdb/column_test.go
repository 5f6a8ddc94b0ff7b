// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"reflect"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2/mapping"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// The columns that are declared are those of the latest format, in its order.
func TestColumnsAreThoseOfTheFormat(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: t.TempDir(), Now: newClock().now}
	db := open(t, cfg)
	require.NoError(t, storetest.Write(t.Context(), db, keptRecords(cfg.Now())))
	require.NoError(t, db.Close())
	types := map[mapping.Type]string{
		kindInt: "BIGINT", kindSmall: "INTEGER", kindReal: "DOUBLE", kindText: "VARCHAR", kindTexts: "VARCHAR[]",
	}
	var declared []string
	list := func(table, name string, kind mapping.Type) {
		declared = append(declared, table+"."+name+" "+types[kind])
	}
	for _, c := range spanColumns {
		list("spans", c.name, c.kind)
	}
	for _, c := range evaluationColumns {
		list("evaluations", c.name, c.kind)
	}
	list("judgements", "id", kindSmall)
	for _, c := range judgementColumns {
		list("judgements", c.name, c.kind)
	}
	all := columnsOf(t, partitionFiles(t, cfg.Dir)[0])
	require.Subset(t, all, declared)
	for _, table := range []string{"spans", "evaluations", "judgements"} {
		require.Equal(t, withPrefix(declared, table+"."), withPrefix(all, table+"."))
	}
}

func withPrefix(list []string, prefix string) (found []string) {
	for _, x := range list {
		if strings.HasPrefix(x, prefix) {
			found = append(found, x)
		}
	}
	return found
}

// What is not told apart would be taken for a repetition and not be stored.
func TestDigestTellsSpansApart(t *testing.T) {
	t.Parallel()
	now := newClock().now()
	was, _ := store.Digest(nil, &keptRecords(now)[0].Span)
	v := reflect.TypeFor[span.Span]()
	for i := range v.NumField() {
		s := keptRecords(now)[0].Span
		f := reflect.ValueOf(&s).Elem().Field(i)
		f.SetZero()
		got, _ := store.Digest(nil, &s)
		switch v.Field(i).Name {
		case "Environment", "TraceID", "SpanID", // whose it is and which
			"Arrived", "Type": // when it came again, and what follows from the rest
			require.Equal(t, was, got, v.Field(i).Name)
		default:
			require.NotEqual(t, was, got, v.Field(i).Name)
		}
	}
}
