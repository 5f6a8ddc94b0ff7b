// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// copySuffix ends the name of a copy while it is being made.
const copySuffix = ".copy"

// copySerials is the first serial of copies, which no partition has.
const copySerials = 1 << 40

// keptRows says of every table which rows are for a copy that leaves out an
// environment, in this order. OLD, NEW and CODE stand for the names of the two files
// and the environment's number. Rows of small tables stay where rows of others use
// them.
var keptRows = []struct{ table, which string }{
	{"environments", "WHERE code <> CODE"},
	{"spans", "WHERE env <> CODE"},
	{"evaluations", "WHERE seq IN (SELECT seq FROM OLD.spans WHERE env <> CODE)"},
	{"predecessors", "WHERE seq IN (SELECT seq FROM OLD.spans WHERE env <> CODE)"},
	{"messages", "WHERE env <> CODE ORDER BY rowid"},
	{"replaced", ""},
	{"origins", "WHERE id IN (SELECT origin FROM NEW.spans)"},
	{"shapes", `WHERE id IN (SELECT attr_shape FROM NEW.spans UNION SELECT prompt_shape FROM NEW.spans
		UNION SELECT completion_shape FROM NEW.spans)`},
	{"judgements", "WHERE id IN (SELECT judgement FROM NEW.evaluations UNION SELECT judgement FROM NEW.predecessors)"},
}

// copyFile writes a copy of the file without the environment beside it, durably.
func (d *dropping) copyFile(ctx context.Context) error {
	b, _ := d.p.bound(d.env)
	made := &partition{label: d.p.label, path: d.p.path + copySuffix}
	made.serial += copySerials
	if err := made.removeFiles(); err != nil {
		return err
	}
	err := d.engine.with(ctx, func(q querier) error {
		if err := d.engine.pin(ctx, q, d.p); err != nil {
			return err
		}
		defer d.p.unpin()
		// What is in the log now need not be worked in while writes wait.
		if _, err := q.conn.ExecContext(ctx, "CHECKPOINT "+d.p.alias()); err != nil && !instance.Busy(err) {
			return err
		}
		if err := q.makeCopy(ctx, d.p, made, b.code, d.cfg.formats); err != nil {
			_, detached := q.conn.ExecContext(context.WithoutCancel(ctx), "USE store; DETACH DATABASE IF EXISTS "+made.alias())
			return errors.Join(err, detached)
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, made.removeFiles())
	}
	if made.logSize() > 0 {
		return errors.New("a copy that was closed has a log")
	}
	if err := syncFile(made.path); err != nil {
		return err
	}
	d.cfg.faults.Reached(stepCopied)
	return nil
}

func (q querier) makeCopy(ctx context.Context, old, made *partition, code int32, known tables.Formats) error {
	if err := q.attach(ctx, made); err != nil {
		return err
	}
	if err := made.protect(); err != nil {
		return err
	}
	if _, err := q.conn.ExecContext(ctx, "USE "+made.alias()); err != nil {
		return err
	}
	if err := q.bring(ctx, made, known); err != nil {
		return err
	}
	names := strings.NewReplacer("OLD", old.alias(), "NEW", made.alias(), "CODE", strconv.Itoa(int(code)))
	for _, k := range keptRows {
		insert := "INSERT INTO NEW." + k.table + " BY NAME SELECT * FROM OLD." + k.table + " " + k.which
		if _, err := q.conn.ExecContext(ctx, names.Replace(insert)); err != nil {
			return fmt.Errorf("copy %s: %w", k.table, err)
		}
	}
	for _, s := range []string{"CHECKPOINT " + made.alias(), "USE store", "DETACH DATABASE " + made.alias()} {
		if _, err := q.conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// removeCopies removes what a crash left of copies.
func removeCopies(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !strings.Contains(f.Name(), labelFile+copySuffix) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil { //nolint:gosec // the directory of the store
			return err
		}
	}
	return nil
}

// syncFile makes what is in a file durable, syncDirectory the name of one.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // a file of the store
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func syncDirectory(path string) error {
	f, err := os.Open(filepath.Dir(path)) //nolint:gosec // the directory of the store
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
