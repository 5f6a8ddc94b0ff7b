// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/durable"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Steps of putting a copy in the place of a file, as tests are told of them.
const (
	StepCopied   = "copied"
	StepDetached = "detached"
	StepRenamed  = "renamed"
	StepAttached = "attached"
)

// copySuffix ends the name of a copy while it is being made.
const copySuffix = ".copy"

// copySerials is the first serial of copies, which no partition has.
const copySerials = 1 << 40

// keptRows says of every table which rows are for a copy that leaves out an
// environment, in this order. OLD, NEW and CODE stand for the names of the two files
// and the environment's number. Rows of small tables stay where rows of others use
// them. The tables of the index stay empty: it is made anew.
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

// CopyWithout writes a copy of the partition's file beside it that has nothing of
// the environment with this code, durably.
func (f *Files) CopyWithout(ctx context.Context, p *Partition, code int32) error {
	made := &Partition{Label: p.Label, Path: p.Path + copySuffix}
	made.Serial += copySerials
	if err := made.removeFiles(); err != nil {
		return err
	}
	err := f.with(ctx, func(q *Querier) error {
		if err := f.Pin(ctx, q, p); err != nil {
			return err
		}
		defer p.Unpin()
		// What is in the log now need not be worked in while writes wait.
		if _, err := q.Conn.ExecContext(ctx, "CHECKPOINT "+p.Alias()); err != nil && !instance.Busy(err) {
			return err
		}
		if err := f.blame(p, q.makeCopy(ctx, p, made, code, f.options.Formats)); err != nil {
			_, detached := q.Conn.ExecContext(context.WithoutCancel(ctx), "USE store; DETACH DATABASE IF EXISTS "+made.Alias())
			return errors.Join(err, detached)
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, made.removeFiles())
	}
	if made.LogSize() > 0 {
		return errors.New("a copy that was closed has a log")
	}
	if err := durable.File(made.Path); err != nil {
		return err
	}
	f.instance.Reached(StepCopied)
	return nil
}

// makeCopy fills the copy made with what the partition old has but for the
// environment with this code, and closes it.
func (q *Querier) makeCopy(ctx context.Context, old, made *Partition, code int32, known tables.Formats) error {
	if err := q.make(ctx, made); err != nil {
		return err
	}
	if err := made.Protect(); err != nil {
		return err
	}
	if _, err := q.Conn.ExecContext(ctx, "USE "+made.Alias()); err != nil {
		return err
	}
	if err := q.bring(ctx, made, known); err != nil {
		return err
	}
	names := strings.NewReplacer("OLD", old.Alias(), "NEW", made.Alias(), "CODE", strconv.Itoa(int(code)))
	for _, k := range keptRows {
		insert := "INSERT INTO NEW." + k.table + " BY NAME SELECT * FROM OLD." + k.table + " " + k.which
		if _, err := q.Conn.ExecContext(ctx, names.Replace(insert)); err != nil {
			return fmt.Errorf("copy %s: %w", k.table, err)
		}
	}
	for _, s := range []string{"CHECKPOINT " + made.Alias(), "USE store", "DETACH DATABASE " + made.Alias()} {
		if _, err := q.Conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// Swap puts the copy of a partition in its place, if nobody uses the file within
// patience, and reports whether it did. The file is closed then.
func (f *Files) Swap(ctx context.Context, p *Partition, patience time.Duration) (done bool, err error) {
	open, alone := p.shutOut(patience)
	if !alone {
		return false, nil
	}
	defer open()
	if p.IsAttached() {
		if err := f.instance.Run("CHECKPOINT " + p.Alias()); err != nil {
			if instance.Busy(err) {
				return false, nil
			}
			return false, err
		}
		if err := f.detach(ctx, p); err != nil {
			return false, err
		}
		p.setAttached(false)
		f.attached.drop(p)
	}
	f.instance.Reached(StepDetached)
	// A log would be read into the copy.
	if p.LogSize() > 0 {
		return false, errors.New("a file that was closed has a log")
	}
	if err := p.Unsummarize(); err != nil {
		return false, err
	}
	if err := os.Rename(p.Path+copySuffix, p.Path); err != nil {
		return false, err
	}
	if err := durable.Directory(filepath.Dir(p.Path)); err != nil {
		return false, err
	}
	f.instance.Reached(StepRenamed)
	p.appended.Store(0)
	return true, nil
}

// RemoveCopy removes the copy of a partition's file.
func (p *Partition) RemoveCopy() error {
	return (&Partition{Path: p.Path + copySuffix}).removeFiles()
}
