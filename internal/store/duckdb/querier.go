// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// querier is a connection on which every unqualified table is one partition's.
type querier struct {
	conn *sql.Conn
	*visit
}

// visit is what a connection does at the moment.
type visit struct {
	engine   *engine
	snapshot bool       // each partition is seen in a transaction of its own
	at       *partition // pinned
	temps    []string   // tables that end with the call
}

// in turns to p: its file is attached until the connection turns to another
// partition, and tables are looked up in it. What a snapshot sees of a partition
// is the same until then.
func (q querier) in(ctx context.Context, p *partition) error {
	if q.at == p {
		return nil
	}
	if err := q.out(ctx, "COMMIT"); err != nil {
		return err
	}
	if err := q.engine.pin(ctx, q, p); err != nil {
		return err
	}
	q.at = p
	if q.snapshot {
		if _, err := q.conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
			return err
		}
	}
	_, err := q.conn.ExecContext(ctx, "USE "+p.alias())
	return err
}

// makeTemp makes a temporary table, which ends with the call.
func (q querier) makeTemp(ctx context.Context, name, definition string) error {
	q.temps = append(q.temps, name)
	_, err := q.conn.ExecContext(ctx, "CREATE TEMP TABLE "+name+" "+definition)
	return err
}

// out turns away from the partition, in a snapshot with a statement that ends the
// transaction. A connection that still uses a partition would keep others from
// closing and attaching its file. After an error the partition stays pinned.
func (q querier) out(ctx context.Context, end string) error {
	if q.at == nil {
		return nil
	}
	statement := "USE store"
	if q.snapshot {
		statement = end + "; " + statement
	}
	if _, err := q.conn.ExecContext(context.WithoutCancel(ctx), statement); err != nil {
		return err
	}
	q.at.unpin()
	q.at = nil
	return nil
}

// leave ends the call. The connection is closed if it failed, or does not come to
// an end.
func (q querier) leave(ctx context.Context, failed error) error {
	err := failed
	if err == nil || q.snapshot {
		err = q.out(ctx, "ROLLBACK")
	}
	for _, t := range q.temps {
		if err == nil {
			_, err = q.conn.ExecContext(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS temp."+t)
		}
	}
	if err != nil {
		discard(q.conn)
	}
	if q.at != nil {
		q.at.unpin()
	}
	return err
}

// each calls scan for every row of a query.
func (q querier) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return tables.Each(ctx, q.conn, query, args, scan)
}

// snapshot calls f with a connection on which all queries of one visit of a
// partition see the same rows. A connection of which it is not certain that its
// transaction ended is closed.
func (e *engine) snapshot(ctx context.Context, f func(querier) error) error {
	conn, err := e.instance.Pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	q := querier{conn, &visit{engine: e, snapshot: true}}
	err = f(q)
	_ = q.leave(ctx, err) // what was asked is answered
	return err
}

// alone calls f with the connection of whoever has the turn to write. After an
// error it is another one, since the old one may be within a transaction.
func (e *engine) alone(ctx context.Context, f func(querier) error) error {
	conn, err := e.instance.Own(ctx)
	if err != nil {
		return err
	}
	q := querier{conn, &visit{engine: e}}
	err = f(q)
	if q.leave(ctx, err) != nil {
		e.instance.GiveUpOwn()
	}
	return err
}

// with calls f with a connection, which is closed after an error.
func (e *engine) with(ctx context.Context, f func(querier) error) error {
	conn, err := e.instance.Pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	q := querier{conn, &visit{engine: e}}
	err = f(q)
	_ = q.leave(ctx, err) // what was asked is done
	return err
}

// discard closes a connection instead of giving it back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}
