// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Lead says that of all processes on a database this one does some work, which others
// leave to it. It ends with its connection.
type Lead struct{ connection *pgx.Conn }

// leadTimeout bounds one question of who leads.
const leadTimeout = 10 * time.Second

// Lead returns a lead for the work of a number, nil where another process has it. It is
// kept by a transaction in which nothing happens, on a connection of its own: such
// a lock holds through poolers, too, and keeps no vacuum from its work.
func (d *DB) Lead(ctx context.Context, work int64) (*Lead, error) {
	ctx, cancel := context.WithTimeout(ctx, leadTimeout)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, d.engine.alike)
	if err != nil {
		return nil, d.fault(err, "connect")
	}
	var mine bool
	_, err = c.Exec(ctx, "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
	if err == nil {
		err = c.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", work).Scan(&mine)
	}
	if err != nil || !mine {
		end(c)
		return nil, d.fault(err, "look who leads")
	}
	return &Lead{c}, nil
}

// Held reports whether the lead is still this process's.
func (l *Lead) Held(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, leadTimeout)
	defer cancel()
	_, err := l.connection.Exec(ctx, "SELECT 1")
	return err == nil
}

// End leaves the work to others.
func (l *Lead) End() { end(l.connection) }

// end closes a connection, with what it began.
func end(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx) // it is over either way
}
