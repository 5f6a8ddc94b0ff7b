// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"database/sql"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the driver of database/sql
	"github.com/duckdb/duckdb-go/v2/mapping"
	"github.com/stretchr/testify/require"
)

// The columns that are declared are those of the latest format, in its order.
func TestColumnsAreThoseOfTheFormat(t *testing.T) {
	t.Parallel()
	types := map[mapping.Type]string{
		Int: "BIGINT", Small: "INTEGER", Real: "DOUBLE", Text: "VARCHAR", ListOfText: "VARCHAR[]", ListOfInt: "BIGINT[]",
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
	list("judgements", "id", Small)
	for _, c := range judgementColumns {
		list("judgements", c.name, c.kind)
	}
	all := columnsOfTheLatestFormat(t)
	require.Subset(t, all, declared)
	for _, table := range []string{"spans", "evaluations", "judgements"} {
		require.Equal(t, withPrefix(declared, table+"."), withPrefix(all, table+"."))
	}
}

// columnsOfTheLatestFormat lists the columns that all formats make, one after the
// other, with their types.
func columnsOfTheLatestFormat(t *testing.T) (list []string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	for _, statements := range KnownFormats() {
		_, err := db.ExecContext(t.Context(), statements)
		require.NoError(t, err)
	}
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT list(table_name || '.' || column_name || ' ' || data_type ORDER BY table_name, column_index) "+
		"FROM duckdb_columns() WHERE NOT internal").Scan((*Texts)(&list)))
	require.NoError(t, db.Close())
	return list
}

func withPrefix(list []string, prefix string) (found []string) {
	for _, x := range list {
		if strings.HasPrefix(x, prefix) {
			found = append(found, x)
		}
	}
	return found
}
