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

// Steps of putting a copy in the place of a file, which tests observe.
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

// Gone is what a copy of a partition leaves out: all of an environment or, where
// All is false, rows of spans by their seq, and of messages by the keys of their
// spans, which have the environment's code.
type Gone struct {
	Code     int32
	All      bool
	Seqs     []int64
	Messages []tables.Key
}

// Nothing reports whether nothing has to go.
func (g *Gone) Nothing() bool { return !g.All && len(g.Seqs)+len(g.Messages) == 0 }

// keptRows says of every table which rows are for a copy, in this order. OLD, NEW
// and CODE stand for the names of the two files and the environment's number.
// KEPT_SPANS and KEPT_MESSAGES are conditions on rows that have the columns of those
// tables, and OF_KEPT_SPANS one on rows that belong to spans. Rows of small tables
// stay where rows of others use them. The tables of the index stay empty: it is made
// again.
var keptRows = []struct{ table, which string }{
	{"environments", "WHERE KEPT_ENVIRONMENTS"},
	{"spans", "WHERE KEPT_SPANS"},
	{"evaluations", "WHERE OF_KEPT_SPANS"},
	{"predecessors", "WHERE OF_KEPT_SPANS"},
	{"messages", "WHERE KEPT_MESSAGES ORDER BY rowid"},
	{"replaced", ""},
	{"inline", ""},
	{"origins", "WHERE id IN (SELECT origin FROM NEW.spans)"},
	{"shapes", `WHERE id IN (SELECT attr_shape FROM NEW.spans UNION SELECT prompt_shape FROM NEW.spans
		UNION SELECT completion_shape FROM NEW.spans)`},
	{"judgements", "WHERE id IN (SELECT judgement FROM NEW.evaluations UNION SELECT judgement FROM NEW.predecessors)"},
}

// keptTexts copies the texts of a range of ids, from FIRST on and below END, that kept
// spans use. To know all that are used takes memory for each, so that texts are copied in
// parts of textsAtOnce ids.
const keptTexts = `INSERT INTO NEW.texts BY NAME SELECT * FROM OLD.texts WHERE id >= FIRST AND id < END AND id IN (
	SELECT id FROM (SELECT unnest(prompt_texts) AS id FROM NEW.spans UNION ALL SELECT unnest(completion_texts) FROM NEW.spans)
	WHERE id >= FIRST AND id < END) ORDER BY id`

const textsAtOnce = 1 << 17

// conditions returns what the conditions of keptRows stand for.
func (g *Gone) conditions() []string {
	if g.All {
		return []string{
			"KEPT_ENVIRONMENTS", "code <> CODE", "OF_KEPT_SPANS", "seq IN (SELECT seq FROM OLD.spans WHERE env <> CODE)",
			"KEPT_SPANS", "env <> CODE", "KEPT_MESSAGES", "env <> CODE",
		}
	}
	spans := "seq NOT IN (SELECT " + unnested(g.Seqs, func(n int64) int64 { return n }) + ")"
	messages := "true"
	if len(g.Messages) > 0 {
		messages = "NOT (env = CODE AND (trace_hi, trace_lo, span_id) IN (SELECT " +
			unnested(g.Messages, func(k tables.Key) int64 { return k.Hi }) + ", " +
			unnested(g.Messages, func(k tables.Key) int64 { return k.Lo }) + ", " +
			unnested(g.Messages, func(k tables.Key) int64 { return k.ID }) + "))"
	}
	return []string{"KEPT_ENVIRONMENTS", "true", "OF_KEPT_SPANS", spans, "KEPT_SPANS", spans, "KEPT_MESSAGES", messages}
}

// unnested spells numbers as the rows of a column.
func unnested[T any](list []T, number func(T) int64) string {
	b := []byte("unnest([")
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, number(x), 10)
	}
	return string(append(b, "]::BIGINT[])"...))
}

// CopyWithout writes a copy of the partition's file next to it that has nothing of
// what is to be gone, durably.
func (f *Files) CopyWithout(ctx context.Context, p *Partition, gone *Gone) error {
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
		if err := f.blame(p, q.makeCopy(ctx, p, made, gone, f.options.Formats)); err != nil {
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

// makeCopy fills the copy made with what the partition old has but for what is to be
// gone, and closes it.
func (q *Querier) makeCopy(ctx context.Context, old, made *Partition, gone *Gone, known tables.Formats) error {
	if err := q.make(ctx, made); err != nil {
		return err
	}
	if err := made.Protect(); err != nil {
		return err
	}
	if _, err := q.Conn.ExecContext(ctx, "USE "+made.Alias()); err != nil {
		return err
	}
	if err := q.fill(ctx, made, known); err != nil {
		return err
	}
	conditions := strings.NewReplacer(gone.conditions()...)
	names := strings.NewReplacer("OLD", old.Alias(), "NEW", made.Alias(), "CODE", strconv.Itoa(int(gone.Code)))
	for _, k := range keptRows {
		insert := "INSERT INTO NEW." + k.table + " BY NAME SELECT * FROM OLD." + k.table + " " + k.which
		if _, err := q.Conn.ExecContext(ctx, names.Replace(conditions.Replace(insert))); err != nil {
			return fmt.Errorf("copy %s: %w", k.table, err)
		}
	}
	if err := q.copyTexts(ctx, old, names); err != nil {
		return fmt.Errorf("copy texts: %w", err)
	}
	for _, s := range []string{"CHECKPOINT " + made.Alias(), "USE store", "DETACH DATABASE " + made.Alias()} {
		if _, err := q.Conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// copyTexts copies the texts of a partition that spans of the copy use.
func (q *Querier) copyTexts(ctx context.Context, old *Partition, names *strings.Replacer) error {
	var first, end int64
	of := "SELECT coalesce(min(id), 0), coalesce(max(id) + 1, 0) FROM " + old.Alias() + ".texts"
	if err := q.Conn.QueryRowContext(ctx, of).Scan(&first, &end); err != nil {
		return err
	}
	for ; first < end; first += textsAtOnce {
		part := strings.NewReplacer("FIRST", strconv.FormatInt(first, 10), "END", strconv.FormatInt(first+textsAtOnce, 10))
		if _, err := q.Conn.ExecContext(ctx, names.Replace(part.Replace(keptTexts))); err != nil {
			return err
		}
	}
	return nil
}

// Swap puts the copy of a partition in its place, if no call uses the file within
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
		f.setAttached(p, false)
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
	p.copies.Add(1)
	return true, nil
}

// RemoveCopy removes the copy of a partition's file.
func (p *Partition) RemoveCopy() error {
	return (&Partition{Path: p.Path + copySuffix}).removeFiles()
}
