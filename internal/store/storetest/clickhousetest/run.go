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

// Stored is what a database keeps on its disk, and how it came there.
type Stored struct {
	// Bytes of its parts and their number. Parts that were merged into others do not count.
	Bytes, Parts int64
	// Merged is how many rows merges read, of all that were inserted.
	Merged, Inserted int64
}

// Stored returns what the server keeps in the database.
func (r *Running) Stored(ctx context.Context) (s Stored, err error) {
	options, err := clickhouse.ParseDSN(r.DSN())
	if err != nil {
		return Stored{}, err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return Stored{}, err
	}
	err = conn.QueryRow(ctx, "SELECT toInt64(sum(bytes_on_disk)), toInt64(count()), "+
		"(SELECT toInt64(sumIf(value, event = 'MergedRows')) FROM system.events), (SELECT toInt64(sumIf(value, event = 'InsertedRows')) FROM system.events) "+
		"FROM system.parts WHERE active AND database = currentDatabase()").Scan(&s.Bytes, &s.Parts, &s.Merged, &s.Inserted)
	return s, errors.Join(err, conn.Close())
}

// Process returns the server's process.
func (r *Running) Process() *os.Process { return r.process.command.Process }

// Stop ends the server and removes its data.
func (r *Running) Stop() { r.process.stop() }
