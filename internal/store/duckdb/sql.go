// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
)

// The statements, each explained in its file.
var (
	//go:embed sql/format.sql
	formatSQL string
	//go:embed sql/environments.sql
	environmentsSQL string
	//go:embed sql/numbers.sql
	numbersSQL string
	//go:embed sql/late.sql
	lateSQL string
	//go:embed sql/passed.sql
	passedSQL string
	//go:embed sql/recent.sql
	recentSQL string
	//go:embed sql/shapes.sql
	shapesSQL string
	//go:embed sql/origins.sql
	originsSQL string
	//go:embed sql/verdicts.sql
	verdictsSQL string
	//go:embed sql/predecessors.sql
	predecessorsSQL string
	//go:embed sql/owing.sql
	owingSQL string
	//go:embed sql/hints.sql
	hintsSQL string
	//go:embed sql/oldest.sql
	oldestSQL string
	//go:embed sql/spots.sql
	spotsSQL string
	//go:embed sql/heads.sql
	headsSQL string
	//go:embed sql/owedrows.sql
	owedRowsSQL string
	//go:embed sql/unexpired.sql
	unexpiredSQL string
	//go:embed sql/traces.sql
	tracesSQL string
	//go:embed sql/logged.sql
	loggedSQL string
)

// querier is a connection on which every unqualified table is one partition's.
type querier struct{ conn *sql.Conn }

// in makes the connection look up tables in p.
func (q querier) in(ctx context.Context, p *partition) error {
	_, err := q.conn.ExecContext(ctx, "USE "+p.alias())
	return err
}

// each calls scan for every row of a query.
func (q querier) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err says it
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// snapshot calls f with a connection on which all queries of one partition see
// the same rows. A connection of which it is not certain that its transaction
// ended is closed.
func (in *instance) snapshot(ctx context.Context, f func(querier) error) error {
	conn, err := in.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		discard(conn)
		return err
	}
	err = f(querier{conn})
	if _, end := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); end != nil {
		discard(conn)
	}
	return err
}

// alone calls f with the connection of whoever has the turn to write. After an
// error it is another one, since the old one may be within a transaction.
func (in *instance) alone(ctx context.Context, f func(querier) error) error {
	if in.own == nil {
		conn, err := in.pool.Conn(ctx)
		if err != nil {
			return err
		}
		in.own = conn
	}
	err := f(querier{in.own})
	if err != nil {
		discard(in.own)
		in.own = nil
	}
	return err
}

// with calls f with a connection, which is closed after an error.
func (in *instance) with(ctx context.Context, f func(querier) error) error {
	conn, err := in.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	if err := f(querier{conn}); err != nil {
		discard(conn)
		return err
	}
	return nil
}

// discard closes a connection instead of giving it back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}
