// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// documented are the grants of deploy/clickhouse/users.sql to who writes and migrates, on
// other databases.
func documented(t *testing.T, databases string) (grants []string) {
	t.Helper()
	file, err := os.ReadFile("../../../deploy/clickhouse/users.sql")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^(GRANT .*) TO touchstone;$`).FindAllStringSubmatch(string(file), -1) {
		grants = append(grants, strings.Replace(m[1], "touchstone.*", databases, 1))
	}
	require.Len(t, grants, 2)
	return grants
}

// A process that only checks the schema needs no more than these, and learns which one is missing, at
// the start or by the first call that needs it, without the name of the user.
func TestAUserWhoMayLittle(t *testing.T) {
	t.Parallel()
	const reads, of = "GRANT SELECT ON system.parts", " ON default.*"
	s := clickhousetest.Own(t, documented(t, "default.*")...)
	opened := func(migration store.Migration) (*DB, error) {
		return Open(t.Context(), Config{DSN: s.DSN(), Now: time.Now, Migration: migration})
	}
	db, err := opened(store.MigrateAuto)
	require.NoError(t, err)
	require.NoError(t, db.Close())

	s.Grant(t, "GRANT SELECT, INSERT, ALTER DELETE"+of, reads)
	db, err = opened(store.MigrateCheck)
	require.NoError(t, err)
	env, one := storetest.Environment("prd"), storetest.Span(storetest.Environment("prd"), 1)
	one.Start = time.Now().UnixNano()
	record := storetest.Record(env, one)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{record}))
	found := func() int64 {
		page, err := db.Search(t.Context(), env, query.Query{To: time.Now().UnixNano(), Total: true, Order: query.Order{By: query.SortTimestamp}})
		require.NoError(t, err)
		return page.Total
	}
	require.EqualValues(t, 1, found())
	parts, err := db.Parts(t.Context())
	require.NoError(t, err)
	require.Positive(t, parts)
	require.NoError(t, db.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{one.Key()}}))
	require.Zero(t, found())
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{record}))
	require.NoError(t, db.Expire(t.Context(), time.Now().Add(100*24*time.Hour)))
	require.Zero(t, found(), "its partition is dropped")

	lacks := func(err error, grant string) {
		t.Helper()
		require.ErrorContains(t, err, ": the user of the DSN lacks the grant "+grant+" on its database")
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "until it is granted")
		require.NotContains(t, err.Error(), "Not enough privileges", "which the name of the user comes before")
		require.NotContains(t, err.Error(), "\n")
	}
	s.Grant(t, "GRANT SELECT"+of, reads)
	lacks(storetest.Write(t.Context(), db, []store.Record{record}), "INSERT")
	lacks(db.Delete(t.Context(), env.ID, store.Part{Everything: true}), "ALTER DELETE")
	s.Grant(t, "GRANT INSERT"+of, reads)
	_, err = db.Search(t.Context(), env, query.Query{To: time.Now().UnixNano(), Limit: 1, Order: query.Order{By: query.SortTimestamp}})
	lacks(err, "SELECT")
	require.NoError(t, db.Close())
	_, err = opened(store.MigrateCheck)
	lacks(err, "SELECT")
	_, err = opened(store.MigrateAuto)
	require.EqualError(t, err, "the user of the DSN lacks the grant CREATE TABLE on its database: code 497")
}
