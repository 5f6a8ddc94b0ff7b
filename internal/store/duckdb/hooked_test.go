// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql/driver"
	"io"
)

// hooked are connections of the engine whose statements a test sees. exec is called in
// place of each that has no rows, with what executes it; nil executes it.
type hooked struct {
	driver.Connector

	exec func(query string, execute func() (driver.Result, error)) (driver.Result, error)
	rows func(execute func() (driver.Rows, error)) (driver.Rows, error) // likewise
}

func (h hooked) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := h.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return hookedConn{conn, h}, nil
}

// Close implements io.Closer, as the engine's own connector does.
func (h hooked) Close() error { return h.Connector.(io.Closer).Close() }

type hookedConn struct {
	driver.Conn

	by hooked
}

func (c hookedConn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

func (c hookedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	execute := func() (driver.Result, error) { return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args) }
	if c.by.exec == nil {
		return execute()
	}
	return c.by.exec(query, execute)
}

func (c hookedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	execute := func() (driver.Rows, error) { return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args) }
	if c.by.rows == nil {
		return execute()
	}
	return c.by.rows(execute)
}
