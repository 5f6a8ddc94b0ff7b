// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"database/sql"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the driver of database/sql
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// A table that a copy knows nothing of would be lost with it.
func TestACopyHasEveryTable(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statements := range tables.KnownFormats() {
		_, err := db.ExecContext(t.Context(), statements)
		require.NoError(t, err)
	}
	rows, err := db.QueryContext(t.Context(), "SELECT table_name FROM duckdb_tables()")
	require.NoError(t, err)
	defer rows.Close()
	var all, kept []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		all = append(all, name)
	}
	require.NoError(t, rows.Err())
	for _, k := range keptRows {
		kept = append(kept, k.table)
	}
	kept = append(kept, "texts")
	require.NotEmpty(t, all)
	require.ElementsMatch(t, all, append(kept, index.Tables...))
}
