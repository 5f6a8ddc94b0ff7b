// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// classifyPostgres tells what PostgreSQL will do later from what it never will, by
// the classes of its error codes:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func classifyPostgres(err error, doing string) error {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		why, opaque := unreachable(err)
		return fault.Wrap(fault.Unavailable, opaque, "control store cannot be reached: %s", why)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "%s: cancelled", doing)
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return classifyCode(err, e.Code, doing)
	}
	if lost(err) {
		return fault.Wrap(fault.Unavailable, err, "control store cannot be reached")
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func classifyCode(err error, code, doing string) error {
	switch code {
	case "23505": // unique_violation
		return fault.Wrap(fault.Conflict, err, "%s: already exists", doing)
	case "23503": // foreign_key_violation
		return fault.Wrap(fault.NotFound, err, "%s: owner not found", doing)
	case "54000": // program_limit_exceeded: an index takes some 2,700 bytes
		return fault.Wrap(fault.Invalid, err, "%s: a name is too long", doing)
	case "53100": // disk_full
		return fault.Wrap(fault.Unavailable, err, "disk of the control store is full")
	case "25006": // read_only_sql_transaction: a standby
		return fault.Wrap(fault.Unavailable, err, "control store takes no writes")
	case "55P03": // lock_not_available
		return fault.Wrap(fault.Unavailable, err, "control store is in use by another process")
	case "57014": // query_canceled, by statement_timeout
		return fault.Wrap(fault.Unavailable, err, "%s: control store took too long", doing)
	}
	switch code[:min(2, len(code))] {
	case "08", "25", "28", "3D", "40", "53", "57", "58": // connection, transaction, role, database, rollback, resources, operator, system
		return fault.Wrap(fault.Unavailable, err, "%s: control store is not available", doing)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// lost reports whether a connection ended.
func lost(err error) bool {
	var broken net.Error
	return errors.As(err, &broken) || pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed)
}

// unreachable says why a connection was not made, and what remains of the error
// without address, role and database.
func unreachable(err error) (why string, opaque error) {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return refused(e.Code), fmt.Errorf("SQLSTATE %s", e.Code)
	}
	if why, opaque := fault.Unreachable(err); why != "" {
		return why, opaque
	}
	var timeout net.Error
	switch {
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "the server offers no TLS, which the DSN asks for", errors.New("TLS")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "the server does not answer in time", context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return "cancelled", context.Canceled
	}
	return "the connection failed", errors.New("connection failed")
}

// refused says why a server refused a connection.
func refused(code string) string {
	switch code {
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		return "the server refuses role and password of the DSN"
	case "3D000": // invalid_catalog_name
		return "the server has no such database: create it"
	case "42501": // insufficient_privilege
		return "the role must not connect to the database: GRANT CONNECT ON DATABASE to it"
	case "53300": // too_many_connections
		return "the server has no connection left"
	case "57P03": // cannot_connect_now
		return "the server is starting or stopping"
	}
	return "the server refuses the connection"
}

// refusal is an error of opening a store as the sentence that an operator reads.
func refusal(err error) error {
	var unfit *unfitError
	if errors.As(err, &unfit) {
		return errors.New(unfit.why)
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case "42501": // insufficient_privilege
		return fmt.Errorf("the role lacks a right (%s): GRANT USAGE, CREATE ON SCHEMA and ALL ON ALL TABLES IN it to the role", e.Message)
	case "3F000": // invalid_schema_name
		return errors.New("the search path names no schema that is there and that the role may use: create it, GRANT USAGE ON SCHEMA to the role, or choose another search_path in the DSN")
	}
	return err
}
