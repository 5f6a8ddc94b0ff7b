// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
)

// listenCheck is how long a listening connection may say nothing before it is asked
// whether it still is one.
const listenCheck = 30 * time.Second

// Listen implements store.Telling.
func (d *DB) Listen(ctx context.Context, wake func()) {
	if d.engine.listen == nil {
		return
	}
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 100*time.Millisecond, 5*time.Second
	for ctx.Err() == nil && !d.closed.Load() {
		_ = d.engine.listen(ctx, func() { // why it failed is what every call says
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

// listen hears of changes on a connection of its own, since one that comes from
// a pool may be any other's next. Who begins to listen has missed what was before.
func listen(ctx context.Context, how *pgx.ConnConfig, wake func()) error {
	c, err := pgx.ConnectConfig(ctx, how)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(ctx)
	}()
	if _, err := c.Exec(ctx, "LISTEN touchstone_changes"); err != nil {
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
