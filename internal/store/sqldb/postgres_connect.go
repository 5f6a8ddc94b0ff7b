// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// connectTimeout is how long a server may take to answer, unless the DSN says.
const connectTimeout = 10 * time.Second

// oldestPostgres is the major version from which on a server is good enough.
const oldestPostgres = 15

// limits are settings of each connection, unless the DSN has others. What waits for
// a lock is behind another process; what is idle in a transaction is a process that
// hangs, and would keep the others waiting.
// https://www.postgresql.org/docs/current/runtime-config-client.html
var limits = []struct{ setting, value string }{
	{"statement_timeout", "15s"},
	{"lock_timeout", "5s"},
	{"idle_in_transaction_session_timeout", "30s"},
}

var errDSN = errors.New("the DSN is no connection string of PostgreSQL: it is postgres://USER:PASSWORD@HOST:5432/DATABASE, or pairs of keys and values")

// CheckDSN reports what is wrong with a connection string, without any of it.
func CheckDSN(dsn string) error {
	_, err := parseDSN(dsn)
	return err
}

// parseDSN reads a connection string. bun writes the values of a query into its
// text, which is safe only where a backslash in a text is a character as any other;
// so each text of a query is another, and preparing it would be in vain.
func parseDSN(dsn string) (*pgx.ConnConfig, error) {
	if strings.TrimSpace(dsn) == "" {
		return nil, errDSN // to the driver it would be the server of this machine
	}
	how, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	how.DefaultQueryExecMode = pgx.QueryExecModeExec
	how.StatementCacheCapacity, how.DescriptionCacheCapacity = 0, 0
	if how.ConnectTimeout == 0 {
		how.ConnectTimeout = connectTimeout
	}
	how.RuntimeParams["standard_conforming_strings"] = "on"
	how.RuntimeParams["client_encoding"] = "UTF8"
	if how.RuntimeParams["application_name"] == "" {
		how.RuntimeParams["application_name"] = "touchstone"
	}
	return how, nil
}

// greet refuses a server that is no good, and sets the limits of a new connection.
// They are set by a query, since poolers refuse to connect with them.
func greet(ctx context.Context, c *pgx.Conn, how *pgx.ConnConfig) error {
	version := c.PgConn().ParameterStatus("server_version")
	if major, err := strconv.Atoi(leadingDigits(version)); err != nil || major < oldestPostgres {
		return &unfitError{"the server is PostgreSQL " + version + ": version " + strconv.Itoa(oldestPostgres) + " or newer is needed"}
	}
	if encoding := c.PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return &unfitError{"the database has the encoding " + encoding + ": one with ENCODING 'UTF8' is needed"}
	}
	var set []string
	for _, l := range limits {
		if _, chosen := how.RuntimeParams[l.setting]; !chosen {
			set = append(set, "set_config('"+l.setting+"', '"+l.value+"', false)")
		}
	}
	if len(set) == 0 {
		return nil
	}
	_, err := c.Exec(ctx, "SELECT "+strings.Join(set, ", "))
	return err
}

func leadingDigits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

// unfitError says why a server is no good.
type unfitError struct{ why string }

// Error says it.
func (u *unfitError) Error() string { return u.why }
