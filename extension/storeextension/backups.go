// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/durable"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
)

const (
	// backupFile says in a backup's directory what it is.
	backupFile = "backup.json"
	// unfinished ends the name of the directory of a backup that is being made.
	unfinished = ".unfinished"
)

// backupName is what a backup may be called: the name of one directory.
var backupName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// spansBackup and controlBackup are stores that can be copied while they are used.
type (
	spansBackup interface {
		Backup(ctx context.Context, dir string, tell func(duckdb.BackupProgress)) (moment time.Time, err error)
	}
	controlBackup interface {
		Backup(ctx context.Context, path string) error
	}
)

// backups makes one backup at a time, each a directory below one.
type backups struct {
	directory string
	spans     spansBackup   // nil if the store has tools of its own for that
	control   controlBackup // the same
	log       *zap.Logger
	counts    *counts

	ctx    context.Context //nolint:containedctx // of the extension: a backup ends with it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu   sync.Mutex
	last store.Backup // that is being made, or was last
}

func newBackups(directory string, spans, control any, log *zap.Logger, counts *counts) *backups {
	b := &backups{directory: directory, log: log, counts: counts}
	b.spans, _ = spans.(spansBackup)
	b.control, _ = control.(controlBackup)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// stop ends the backup that is being made, which is no use then.
func (b *backups) stop() {
	b.cancel()
	b.work.Wait()
}

// Begin implements store.Backups.
func (b *backups) Begin(name string) (store.Backup, error) {
	if !backupName.MatchString(name) || strings.HasSuffix(name, unfinished) {
		return store.Backup{}, fault.New(fault.Invalid, "name must be letters, digits, '.', '_' and '-', 100 at most, the first a letter or digit")
	}
	if b.spans == nil || b.control == nil {
		return store.Backup{}, fault.New(fault.NotConfigured, "backups are made of stores in a directory: a database with a server has tools of its own")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last.State == store.BackupRunning {
		return store.Backup{}, fault.New(fault.Conflict, "the backup %s is being made", b.last.Name)
	}
	made := store.Backup{Name: name, State: store.BackupRunning, Path: filepath.Join(b.directory, name), Begun: time.Now().UTC()}
	if _, err := os.Lstat(made.Path); !errors.Is(err, fs.ErrNotExist) {
		return store.Backup{}, fault.New(fault.Conflict, "there is a backup %s already", name)
	}
	if b.ctx.Err() != nil {
		return store.Backup{}, fault.New(fault.Unavailable, "the stores are being closed")
	}
	b.last = made
	b.work.Go(func() { b.run(made) })
	return made, nil
}

// run makes a backup to its end.
func (b *backups) run(made store.Backup) {
	b.log.Info("a backup has begun", zap.String("name", made.Name), zap.String("directory", made.Path))
	err := b.make(b.ctx, &made)
	made.Ended = time.Now().UTC()
	if made.State = store.BackupDone; err != nil {
		made.State, made.Problem = store.BackupFailed, problemOf(err)
		b.counts.backupFailures.Add(b.ctx, 1)
		b.log.Error("a backup failed", zap.String("name", made.Name), zap.Error(err))
		if err := os.RemoveAll(made.Path + unfinished); err != nil {
			b.log.Warn("what there is of a backup could not be removed", zap.String("name", made.Name), zap.Error(err))
		}
	} else {
		b.counts.backups.Add(b.ctx, 1)
		b.log.Info("a backup is done", zap.String("name", made.Name), zap.Int64("files", made.Files),
			zap.Int64("bytes", made.Bytes), zap.Duration("took", made.Ended.Sub(made.Begun)))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = made
}

// problemOf says for everybody why a backup failed, without paths.
func problemOf(err error) string {
	if fault.KindOf(err) != fault.Internal {
		return fault.Message(err)
	}
	if errors.Is(err, context.Canceled) {
		return "the process was stopped before it was done"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return "its directory cannot be written: " + path.Err.Error()
	}
	return "the log of the process says why"
}

// make copies the spans first: keys and setups that are newer than the spans do no
// harm, and an organization is not erased while its spans are being copied.
func (b *backups) make(ctx context.Context, made *store.Backup) error {
	if err := os.MkdirAll(b.directory, 0o700); err != nil {
		return err
	}
	into := made.Path + unfinished
	if err := os.RemoveAll(into); err != nil { // of a process that was killed
		return err
	}
	if err := os.Mkdir(into, 0o700); err != nil {
		return err
	}
	var err error
	made.Moment, err = b.spans.Backup(ctx, filepath.Join(into, spansDirectory), func(p duckdb.BackupProgress) {
		made.Files, made.Bytes, made.Total = p.Files, p.Bytes, p.Total
		b.tell(made)
	})
	if err != nil {
		return err
	}
	made.Moment = made.Moment.UTC()
	if err := b.control.Backup(ctx, filepath.Join(into, controlFile)); err != nil {
		return err
	}
	if err := writeManifest(into, made); err != nil {
		return err
	}
	if err := os.Rename(into, made.Path); err != nil {
		return err
	}
	return durable.Directory(b.directory)
}

func (b *backups) tell(made *store.Backup) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = *made
}

// List implements store.Backups.
func (b *backups) List() ([]store.Backup, error) {
	b.mu.Lock()
	last := b.last
	b.mu.Unlock()
	entries, err := os.ReadDir(b.directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(fault.Unavailable, err, "the directory of backups cannot be read")
	}
	var list []store.Backup
	for _, e := range entries {
		name, partly := strings.CutSuffix(e.Name(), unfinished)
		path := filepath.Join(b.directory, name)
		switch {
		case !e.IsDir() || name == last.Name && last.State != store.BackupDone:
		case partly:
			list = append(list, store.Backup{Name: name, Path: path, State: store.BackupFailed, Problem: "the process ended before it was done"})
		default:
			if made, err := readManifest(path); err == nil {
				made.Name, made.Path, made.State = name, path, store.BackupDone
				list = append(list, made)
			}
		}
	}
	if last.Name != "" && last.State != store.BackupDone {
		list = append(list, last)
	}
	return list, nil
}

// manifest is what a backup's file says.
type manifest struct {
	Begun  time.Time `json:"begun"`
	Moment time.Time `json:"moment"`
	Ended  time.Time `json:"ended"`
	Files  int64     `json:"files"`
	Bytes  int64     `json:"bytes"`
}

func writeManifest(dir string, made *store.Backup) error {
	text, err := json.MarshalIndent(manifest{made.Begun, made.Moment, time.Now().UTC(), made.Files, made.Bytes}, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, backupFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // below the operator's directory
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close(), durable.Directory(dir))
}

func readManifest(dir string) (store.Backup, error) {
	text, err := os.ReadFile(filepath.Join(dir, backupFile)) //nolint:gosec // below the operator's directory
	if err != nil {
		return store.Backup{}, err
	}
	var m manifest
	err = json.Unmarshal(text, &m)
	return store.Backup{Begun: m.Begun, Moment: m.Moment, Ended: m.Ended, Files: m.Files, Bytes: m.Bytes, Total: m.Bytes}, err
}
