// SPDX-License-Identifier: Apache-2.0

package postgrestest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(Main(m)) }

func open(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return c
}

func TestServersAreReal(t *testing.T) {
	t.Parallel()
	Each(t, func(t *testing.T, s *Server) {
		t.Parallel()
		c := open(t, s.Database(t))
		var version int
		require.NoError(t, c.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int").Scan(&version))
		require.GreaterOrEqual(t, version, map[string]int{"newer": 180000}[s.Name])
		require.GreaterOrEqual(t, version, 150000)
		_, err := c.Exec(t.Context(), "CREATE TABLE mine ()")
		require.NoError(t, err)
		_, err = open(t, s.Database(t)).Exec(t.Context(), "SELECT FROM mine")
		require.Error(t, err, "each database is another")
		var latin string
		require.NoError(t, open(t, s.Database(t, "ENCODING 'LATIN1' LOCALE 'C'")).QueryRow(t.Context(), "SHOW server_encoding").Scan(&latin))
		require.Equal(t, "LATIN1", latin)
	})
}

func TestAnOwnServerKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	o := Start(t)
	dsn := o.Database(t)
	_, err := open(t, dsn).Exec(t.Context(), "CREATE TABLE kept ()")
	require.NoError(t, err)
	o.Stop(t)
	o.Stop(t)
	_, err = pgx.Connect(t.Context(), dsn)
	require.Error(t, err)
	o.Continue(t)
	_, err = open(t, dsn).Exec(t.Context(), "SELECT FROM kept")
	require.NoError(t, err)
	_, err = pgx.Connect(t.Context(), dsn+" user="+Role+" password=wrong")
	require.Error(t, err)
	open(t, dsn+" user="+Role+" password='"+Password+"'")
}
