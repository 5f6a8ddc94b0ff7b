// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"context"
	"errors"
	"os"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Running is the server of a program that is no test, whose main calls Serve first.
type Running struct{ process *process }

// Run starts a server, which ends with the program at the latest.
func Run(ctx context.Context) (*Running, error) {
	p, err := start(ctx)
	if err != nil {
		return nil, err
	}
	return &Running{p}, nil
}

// DSN returns the DSN of the server.
func (r *Running) DSN() string { return "http://" + r.process.address + "/default" }

// Stored returns how many bytes its tables have on disk. Parts that were merged into
// others lie there for some minutes more, and are not among them.
func (r *Running) Stored(ctx context.Context) (bytes int64, err error) {
	options, err := clickhouse.ParseDSN(r.DSN())
	if err != nil {
		return 0, err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT toInt64(sum(bytes_on_disk)) FROM system.parts WHERE active AND database = currentDatabase()").Scan(&bytes)
	return bytes, errors.Join(err, conn.Close())
}

// Process returns the server's process.
func (r *Running) Process() *os.Process { return r.process.command.Process }

// Stop ends the server and removes its data.
func (r *Running) Stop() { r.process.stop() }
