// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Querier is a connection on which every unqualified table is one partition's.
type Querier struct {
	Conn     *sql.Conn
	files    *Files
	snapshot bool       // each partition is seen in a transaction of its own
	at       *Partition // pinned
	indexed  bool       // at was known to have an index before q saw anything of it
	changes  int64      // of at, before q saw anything of it
	temps    []string   // tables that end with the call
}

// In turns the connection to p: its file is attached until the connection turns to another
// partition, and tables are looked up in it. What a snapshot sees of a partition
// is the same until then.
func (q *Querier) In(ctx context.Context, p *Partition) error {
	if q.at == p {
		return nil
	}
	if err := q.out(ctx, "COMMIT"); err != nil {
		return err
	}
	if err := q.files.Pin(ctx, q, p); err != nil {
		return err
	}
	q.at, q.changes = p, p.Changes()
	_, q.indexed = q.Recall().Get(indexKind, "", 0)
	if q.snapshot {
		if _, err := q.Conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
			return err
		}
	}
	_, err := q.Conn.ExecContext(ctx, "USE "+p.Alias())
	return err
}

// MakeTemp makes a temporary table, which ends with the call.
func (q *Querier) MakeTemp(ctx context.Context, name, definition string) error {
	q.temps = append(q.temps, name)
	_, err := q.Conn.ExecContext(ctx, "CREATE TEMP TABLE "+name+" "+definition)
	return err
}

// out turns the connection away from its partition, in a snapshot with a statement
// that ends the transaction. A connection that still uses a partition would keep others from
// closing and attaching its file. After an error the partition stays pinned.
func (q *Querier) out(ctx context.Context, end string) error {
	if q.at == nil {
		return nil
	}
	statement := "USE store"
	if q.snapshot {
		statement = end + "; " + statement
	}
	if _, err := q.Conn.ExecContext(context.WithoutCancel(ctx), statement); err != nil {
		return err
	}
	q.at.Unpin()
	q.at = nil
	if !q.snapshot {
		return nil
	}
	return q.files.giveWay(context.WithoutCancel(ctx), q)
}

// largeTables is the memory of temporary tables from which on it is given back to the
// system when a call ends, which costs about a millisecond for each MiB.
const largeTables = 8 << 20

// dropTemps drops the tables that end with the call.
func (q *Querier) dropTemps(ctx context.Context) error {
	if len(q.temps) == 0 {
		return nil
	}
	held, err := q.files.instance.Memory(ctx, instance.ForTables)
	for _, t := range q.temps {
		if err == nil {
			_, err = q.Conn.ExecContext(ctx, "DROP TABLE IF EXISTS temp."+t)
		}
	}
	if err == nil && held >= largeTables {
		err = q.files.instance.GiveBack(ctx)
	}
	return err
}

// leave ends a call that ended with the error failed, if any. The connection is
// closed after an error, and when the call does not come to its end.
func (q *Querier) leave(ctx context.Context, failed error) error {
	err := failed
	if err == nil || q.snapshot {
		err = q.out(ctx, "ROLLBACK")
	}
	if err == nil {
		err = q.dropTemps(context.WithoutCancel(ctx))
	}
	if err != nil {
		discard(q.Conn)
	}
	if q.at != nil {
		q.at.Unpin()
	}
	return err
}

// Each calls scan for every row of a query.
func (q *Querier) Each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return tables.Each(ctx, q.Conn, query, args, scan)
}

// Snapshot calls do with a connection on which all queries of one visit of a
// partition see the same rows. A connection of which it is not certain that its
// transaction ended is closed.
func (f *Files) Snapshot(ctx context.Context, do func(*Querier) error) error {
	conn, err := f.instance.Pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	q := &Querier{Conn: conn, files: f, snapshot: true}
	err = q.blame(do(q))
	_ = q.leave(ctx, err) // what was asked is answered
	return err
}

// Alone calls do with the connection of the caller that has the write turn. After an
// error it is another one, since the old one may be within a transaction.
func (f *Files) Alone(ctx context.Context, do func(*Querier) error) error {
	conn, err := f.instance.Own(ctx)
	if err != nil {
		return err
	}
	q := &Querier{Conn: conn, files: f}
	err = q.blame(do(q))
	if q.leave(ctx, err) != nil {
		f.instance.GiveUpOwn()
	}
	return err
}

// with calls do with a connection, which is closed after an error.
func (f *Files) with(ctx context.Context, do func(*Querier) error) error {
	conn, err := f.instance.Pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	q := &Querier{Conn: conn, files: f}
	err = q.blame(do(q))
	_ = q.leave(ctx, err) // what was asked is done
	return err
}

// discard closes a connection instead of giving it back to the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}
