// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
)

// The statements, each explained in its file.
var (
	//go:embed sql/schema.sql
	schemaSQL string
	//go:embed sql/born.sql
	bornSQL string
	//go:embed sql/widen.sql
	widenSQL string
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
	//go:embed sql/rows.sql
	rowsSQL string
	//go:embed sql/shapes.sql
	shapesSQL string
	//go:embed sql/origins.sql
	originsSQL string
	//go:embed sql/verdicts.sql
	verdictsSQL string
	//go:embed sql/place.sql
	placeSQL string
	//go:embed sql/owing.sql
	owingSQL string
	//go:embed sql/hints.sql
	hintsSQL string
	//go:embed sql/oldest.sql
	oldestSQL string
	//go:embed sql/spots.sql
	spotsSQL string
	//go:embed sql/owed.sql
	owedSQL string
	//go:embed sql/heads.sql
	headsSQL string
	//go:embed sql/whereabouts.sql
	whereaboutsSQL string
	//go:embed sql/owedrows.sql
	owedRowsSQL string
	//go:embed sql/unexpired.sql
	unexpiredSQL string
	//go:embed sql/traces.sql
	tracesSQL string
	//go:embed sql/progress.sql
	progressSQL string
	//go:embed sql/started.sql
	startedSQL string
	//go:embed sql/ended.sql
	endedSQL string
	//go:embed sql/spent.sql
	spentSQL string
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

// snapshot lends a connection to f on which all queries of one partition see the
// same rows.
func (in *instance) snapshot(ctx context.Context, f func(querier) error) error {
	return in.with(ctx, func(q querier) error {
		if _, err := q.conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
			return err
		}
		err := f(q)
		_, end := q.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		if err == nil {
			err = end
		}
		return err
	})
}

// alone lends f the connection of whoever has the turn to write.
func (in *instance) alone(f func(querier) error) error { return f(querier{in.own}) }

// with lends a connection to f.
func (in *instance) with(ctx context.Context, f func(querier) error) error {
	conn, err := in.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	return f(querier{conn})
}
