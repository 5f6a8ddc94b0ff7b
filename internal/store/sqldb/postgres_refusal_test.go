// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// says is a server on the way to a real one that changes what it says of a
// setting. It returns its DSN.
func says(t *testing.T, dsn, setting, value string) string {
	t.Helper()
	real, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	network, address := pgconn.NetworkAddress(real.Host, real.Port)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			go func() { _, _ = copyAll(server, client) }()
			go tell(client, server, setting, value)
		}
	}()
	at := l.Addr().(*net.TCPAddr)
	return fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable", at.Port, real.User, real.Database)
}

func copyAll(to, from net.Conn) (n int64, err error) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 4096)
	for {
		read, err := from.Read(buffer)
		if _, failed := to.Write(buffer[:read]); err != nil || failed != nil {
			return n, errors.Join(err, failed)
		}
		n += int64(read)
	}
}

// tell passes what a server says.
func tell(client, server net.Conn, setting, value string) {
	defer client.Close()
	defer server.Close()
	messages := pgproto3.NewFrontend(server, server)
	for {
		m, err := messages.Receive()
		if err != nil {
			return
		}
		if status, ok := m.(*pgproto3.ParameterStatus); ok && status.Name == setting {
			status.Value = value
		}
		out, err := m.Encode(nil)
		if err != nil {
			return
		}
		if _, err := client.Write(out); err != nil {
			return
		}
	}
}

// mute is the address of a server that accepts connections and says nothing.
func mute(t *testing.T) *net.TCPAddr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l.Addr().(*net.TCPAddr)
}

// TestRefusals reads the sentence that an operator reads, and looks for what must
// not be in it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t) // one that knows the guarded role
	dsn := server.Database(t)
	how, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	guarded := fmt.Sprintf("host=%s dbname=%s sslmode=disable user=%s password=", how.Host, how.Database, postgrestest.Role)
	full := server.Database(t, "CONNECTION LIMIT 0")
	closed := server.Database(t)
	server.Exec(t, "REVOKE CONNECT ON DATABASE "+databaseOf(t, closed)+" FROM PUBLIC")
	standby := server.Database(t)
	c, err := pgx.Connect(t.Context(), standby)
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET default_transaction_read_only = on'; END $$")
	require.NoError(t, err)
	require.NoError(t, c.Close(t.Context()))
	c, err = pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), "CREATE SCHEMA kept") // which is its owner's alone
	require.NoError(t, err)
	require.NoError(t, c.Close(t.Context()))

	for name, x := range map[string]struct {
		dsn, says string
		kind      fault.Kind
	}{
		"nothing":     {"", "the DSN is no connection string of PostgreSQL: it is postgres://USER:PASSWORD@HOST:5432/DATABASE, or pairs of keys and values", fault.Internal},
		"blank":       {"  ", "the DSN is no connection string of PostgreSQL", fault.Internal},
		"no DSN":      {"postgres://hidden:hidden@[::1", "the DSN is no connection string of PostgreSQL", fault.Internal},
		"other":       {"mysql://hidden:hidden@hidden/hidden", "the DSN is no connection string of PostgreSQL", fault.Internal},
		"no server":   {"postgres://hidden:hidden@127.0.0.1:1/hidden", "control store cannot be reached: no server answers at the address of the DSN: connection refused", fault.Unavailable},
		"no socket":   {"host=/nonexistent/hidden user=hidden", "control store cannot be reached: no server answers at the address of the DSN: no such file or directory", fault.Unavailable},
		"mute":        {fmt.Sprintf("postgres://hidden:hidden@%s/hidden?connect_timeout=1&sslmode=disable", mute(t)), "control store cannot be reached: the server does not answer in time", fault.Unavailable},
		"password":    {guarded + "hidden", "control store cannot be reached: the server refuses role and password of the DSN: SQLSTATE 28P01", fault.Unavailable},
		"no password": {guarded + "''", "control store cannot be reached: the server refuses role and password of the DSN", fault.Unavailable},
		"no role":     {dsn + " user=hidden", "control store cannot be reached: the server refuses role and password of the DSN: SQLSTATE 28000", fault.Unavailable},
		"no database": {dsn + " dbname=hidden", "control store cannot be reached: the server has no such database: create it: SQLSTATE 3D000", fault.Unavailable},
		"full":        {strings.Replace(guarded, how.Database, databaseOf(t, full), 1) + "'" + postgrestest.Password + "'", "control store cannot be reached: the server has no connection left: SQLSTATE 53300", fault.Unavailable},
		"no connect":  {strings.Replace(guarded, how.Database, databaseOf(t, closed), 1) + "'" + postgrestest.Password + "'", "control store cannot be reached: the role must not connect to the database: GRANT CONNECT ON DATABASE to it: SQLSTATE 42501", fault.Unavailable},
		"no grant":    {guarded + "'" + postgrestest.Password + "'", "the role lacks a right (permission denied for schema public): GRANT USAGE, CREATE ON SCHEMA and ALL ON ALL TABLES IN it to the role", fault.Internal},
		"no schema":   {guarded + "'" + postgrestest.Password + "' search_path=kept", "the search path names no schema that is there and that the role may use: create it, GRANT USAGE ON SCHEMA to the role, or choose another search_path in the DSN", fault.Internal},
		"too old":     {says(t, dsn, "server_version", "14.13 (Debian 14.13-1)"), "open control store in PostgreSQL: the server is PostgreSQL 14.13 (Debian 14.13-1): version 15 or newer is needed", fault.Internal},
		"no version":  {says(t, dsn, "server_version", "eight"), "the server is PostgreSQL eight: version 15 or newer is needed", fault.Internal},
		"encoding":    {server.Database(t, "ENCODING 'LATIN1' LOCALE 'C'"), "open control store in PostgreSQL: the database has the encoding LATIN1: one with ENCODING 'UTF8' is needed", fault.Internal},
		"standby":     {standby, "control store takes no writes", fault.Unavailable},
		"no TLS":      {strings.Replace(dsn, "sslmode=disable", "sslmode=require", 1) + " host=127.0.0.1 port=" + fmt.Sprint(plain(t)), "the server offers no TLS, which the DSN asks for", fault.Unavailable},
	} {
		_, err := OpenPostgres(t.Context(), Postgres{DSN: x.dsn})
		require.ErrorContains(t, err, x.says, name)
		require.True(t, strings.HasPrefix(err.Error(), "open control store in PostgreSQL: "), "%s: %v", name, err)
		require.Equal(t, x.kind, fault.KindOf(err), "%s: %v", name, err)
		for _, secret := range []string{"hidden", postgrestest.Password, how.Host, how.Database, "127.0.0.1", postgrestest.Role, "\n"} {
			require.NotContains(t, err.Error(), secret, name)
		}
	}
	d, err := OpenPostgres(t.Context(), Postgres{DSN: says(t, dsn, "server_version", "15.0")})
	require.NoError(t, err, "the server on the way is not what is refused")
	require.NoError(t, d.Close())
}

func databaseOf(t *testing.T, dsn string) string {
	t.Helper()
	how, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	return how.Database
}

// plain is the port of a server that refuses TLS:
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
func plain(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 8))
			_, _ = c.Write([]byte("N"))
			_ = c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// Codes of which the tests above make none.
func TestCodesOfPostgres(t *testing.T) {
	t.Parallel()
	for code, kind := range map[string]fault.Kind{
		"23505": fault.Conflict, "23503": fault.NotFound, "54000": fault.Invalid, "53100": fault.Unavailable, "25006": fault.Unavailable,
		"40001": fault.Unavailable, "40P01": fault.Unavailable, "57P01": fault.Unavailable, "08006": fault.Unavailable, "58030": fault.Unavailable,
		"25P03": fault.Unavailable, "42601": fault.Internal, "42501": fault.Internal, "22021": fault.Internal, "": fault.Internal,
	} {
		err := classifyPostgres(fmt.Errorf("while: %w", &pgconn.PgError{Code: code, Message: "of the server"}), "do it")
		require.Equal(t, kind, fault.KindOf(err), code)
		require.NotContains(t, fault.Message(err), "of the server")
	}
	for _, err := range []error{context.Canceled, syscall.ECONNRESET, net.ErrClosed, pgconn.ErrConnClosed} {
		require.Equal(t, fault.Unavailable, fault.KindOf(classifyPostgres(err, "do it")), "%v", err)
	}
	require.Equal(t, fault.Internal, fault.KindOf(classifyPostgres(errors.New("x"), "do it")))
	why, _ := unreachable(&tls.CertificateVerificationError{Err: errors.New("hidden")})
	require.Equal(t, "the certificate of the server cannot be verified", why)
	why, _ = unreachable(&net.DNSError{Err: "hidden", Name: "hidden"})
	require.Equal(t, "the host name of the DSN is not known", why)
	why, opaque := unreachable(errors.New("hidden"))
	require.Equal(t, "the connection failed", why)
	require.NotContains(t, opaque.Error(), "hidden")
}
