// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
)

// listenCheck is how long a listening connection may say nothing before it is asked
// whether it still is one.
const listenCheck = 30 * time.Second

// The channels that processes tell one another on.
const (
	changesChannel = "touchstone_changes"
	owedChannel    = "touchstone_owed"
)

// Listen implements store.Telling.
func (d *DB) Listen(ctx context.Context, wake func()) { d.hear(ctx, changesChannel, wake) }

// ListenOwed is Listen for what TellOwed tells.
func (d *DB) ListenOwed(ctx context.Context, wake func()) { d.hear(ctx, owedChannel, wake) }

// TellOwed tells all processes that something is pending and due. It may be lost.
func (d *DB) TellOwed(ctx context.Context) error {
	return d.Transact(ctx, "notify of pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "SELECT pg_notify($1, '')", owedChannel)
		return err
	})
}

// hear listens to a channel until ctx ends.
func (d *DB) hear(ctx context.Context, channel string, wake func()) {
	if d.engine.listen == nil {
		return
	}
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 100*time.Millisecond, 5*time.Second
	for ctx.Err() == nil && !d.closed.Load() {
		_ = d.engine.listen(ctx, channel, func() { // why it failed is what every call says
			wait.Reset()
			wake()
		})
		pause := time.NewTimer(wait.NextBackOff())
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

// listen hears of a channel on a connection of its own, since one that comes from
// a pool may be any other's next. Who begins to listen has missed what was before.
func listen(ctx context.Context, how *pgx.ConnConfig, channel string, wake func()) error {
	c, err := pgx.ConnectConfig(ctx, how)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(ctx)
	}()
	if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	for {
		wake()
		if err := heard(ctx, c); err != nil {
			return err
		}
	}
}

// heard waits for a notification, and sees that the connection is alive meanwhile.
func heard(ctx context.Context, c *pgx.Conn) error {
	for {
		silence, cancel := context.WithTimeout(ctx, listenCheck)
		_, err := c.WaitForNotification(silence)
		over := silence.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !over || c.IsClosed() {
			return err
		}
		ping, cancel := context.WithTimeout(ctx, connectTimeout)
		err = c.Ping(ping)
		cancel()
		if err != nil {
			return err
		}
	}
}
