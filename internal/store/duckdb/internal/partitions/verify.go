// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/aside"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// What Verify says of a file.
const (
	Sound         = "sound"
	Damaged       = "damaged"
	UnknownFormat = "unknown format"
)

// Verified is what Verify found of one file.
type Verified struct {
	Path  string
	State string
	// Aside says that the file was moved away before.
	Aside bool
	// Spans is how many the file has, as far as it can be read, and Readable how many
	// of them can be read whole.
	Spans    int64
	Readable int64
	Problem  string
}

// verifyOptions are those of a DuckDB of its own that only reads.
var verifyOptions = url.Values{
	"threads": {"2"}, "memory_limit": {"256MiB"},
	"autoload_known_extensions": {"false"}, "autoinstall_known_extensions": {"false"},
}

// Verify reads every block of each file of partitions in a store's directory that
// no process has open, also of those that were moved away, and changes none.
func Verify(ctx context.Context, dir string, known tables.Formats) ([]Verified, error) {
	labels, err := labelsIn(dir)
	if err != nil {
		return nil, err
	}
	var list []Verified
	for _, l := range labels {
		v, err := verifyFile(ctx, New(dir, l), known)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	damaged, err := aside.List(dir)
	if err != nil {
		return nil, err
	}
	for _, a := range damaged {
		p := New(dir, a.Label)
		p.Path = filepath.Join(a.Path, filepath.Base(p.Path))
		if _, err := os.Lstat(p.Path); a.Serial == 0 || err != nil {
			continue
		}
		v, err := verifyFile(ctx, p, known)
		if err != nil {
			return nil, err
		}
		v.Aside = true
		list = append(list, v)
	}
	return list, nil
}

// verifyFile verifies one file. DuckDB is started for it alone: after some damage it
// refuses all further work.
func verifyFile(ctx context.Context, p *Partition, known tables.Formats) (Verified, error) {
	v := Verified{Path: p.Path, State: Sound}
	db, err := sql.Open("duckdb", "?"+verifyOptions.Encode())
	if err != nil {
		return v, err
	}
	defer db.Close() //nolint:errcheck // it only reads
	conn, err := db.Conn(ctx)
	if err != nil {
		return v, err
	}
	defer conn.Close() //nolint:errcheck // it only reads
	q := &Querier{Conn: conn}
	err = q.verify(ctx, p, known, &v)
	var format *formatError
	switch {
	case err == nil:
		return v, nil
	case errors.As(err, &format), strings.Contains(err.Error(), "Trying to read a database file with version number"):
		v.State = UnknownFormat
	case len(instance.Damages(instance.BlameOpening(p.Path, err))) > 0:
		v.State = Damaged
	default:
		return v, fmt.Errorf("%s: %w", p.Path, err)
	}
	v.Problem = err.Error()
	return v, nil
}

// verify reads all of a file, and where it cannot, counts what of its spans it can.
func (q *Querier) verify(ctx context.Context, p *Partition, known tables.Formats, v *Verified) error {
	st, err := os.Stat(p.Path)
	if err != nil || st.IsDir() {
		return &instance.Damage{Path: p.Path, Cause: errors.Join(err, errors.New("it is not a file that can be read"))}
	}
	if err := p.checkLog(); err != nil {
		return err
	}
	if _, err := q.Conn.ExecContext(ctx, "ATTACH "+sqltext.Quoted(p.Path)+" AS "+p.Alias()+" (READ_ONLY)"); err != nil {
		return err
	}
	version, err := q.format(ctx, p, known)
	if err != nil || version == 0 {
		return err
	}
	damage := q.readAll(ctx, p.Alias())
	if err := q.countReadable(ctx, p.Alias()+".spans", v); err != nil {
		return errors.Join(damage, err)
	}
	return damage
}

// countReadable counts the rows of a table of spans, and those of row groups that can
// be read whole: one is the least that can be saved.
func (q *Querier) countReadable(ctx context.Context, table string, v *Verified) error {
	const rowGroup = 10240
	if err := q.Conn.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&v.Spans); err != nil {
		return err
	}
	var last sql.NullInt64
	if err := q.Conn.QueryRowContext(ctx, "SELECT max(rowid) FROM "+table).Scan(&last); err != nil || !last.Valid {
		return err
	}
	for from := int64(0); from <= last.Int64; from += rowGroup {
		var n int64
		var sum any
		err := q.Conn.QueryRowContext(ctx, "SELECT count(*), bit_xor(hash(t)) FROM "+table+" t WHERE rowid BETWEEN ? AND ?",
			from, from+rowGroup-1).Scan(&n, &sum)
		if err == nil {
			v.Readable += n
		} else if ctx.Err() != nil {
			return err
		}
	}
	return nil
}
