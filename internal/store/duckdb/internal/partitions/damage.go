// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// blame notes that the file of p is damaged if an error says so, and returns the
// error as a Damage then. The instance is to be opened again without the file.
func (f *Files) blame(p *Partition, err error) error {
	return f.note(instance.Blame(p.Path, err))
}

// BlameOpening does the same for an error that comes from opening the file.
func (f *Files) BlameOpening(p *Partition, err error) error {
	return f.note(instance.BlameOpening(p.Path, err))
}

func (f *Files) note(err error) error {
	var d *instance.Damage
	if !errors.As(err, &d) {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.damaged, func(x *instance.Damage) bool { return x.Path == d.Path }) {
		f.damaged = append(f.damaged, d)
	}
	f.SetSuspect()
	return err
}

// blame does the same for the partition that the connection uses.
func (q *Querier) blame(err error) error {
	if q.at == nil {
		return err
	}
	return q.files.blame(q.at, err)
}

// Doubt notes, if an error says that a file is damaged, that any of those given may
// be it: a writer uses several in one transaction.
func (f *Files) Doubt(err error, all []*Partition) {
	if !instance.IsDamage(err) || len(instance.Damages(err)) > 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range all {
		if p.IsAttached() && !slices.Contains(f.doubted, p.Path) {
			f.doubted = append(f.doubted, p.Path)
		}
	}
	f.SetSuspect()
}

// Found returns what was found to be damaged while files were used, and the paths of
// files that may be.
func (f *Files) Found() (damaged []*instance.Damage, doubted []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.damaged), slices.Clone(f.doubted)
}

var (
	errSwapped  = errors.New("another file is in its place")
	errBadStart = errors.New("its write-ahead log does not begin like one of this file")
)

// setOpened notes which file is attached.
func (p *Partition) setOpened(st os.FileInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = st
}

// isInPlace returns a Damage if the file that is attached is not the one at its path
// any more: what is written to it would be gone when it is closed.
func (p *Partition) isInPlace() error {
	st, err := os.Stat(p.Path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &instance.Damage{Path: p.Path, Cause: err}
		}
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened != nil && !os.SameFile(st, p.opened) {
		return &instance.Damage{Path: p.Path, Cause: errSwapped}
	}
	return nil
}

// isAsClosed returns a Damage if the partition's file is not what it was when it was
// closed, as far as that is known.
func (p *Partition) isAsClosed() error {
	p.mu.Lock()
	was := p.asClosed
	p.mu.Unlock()
	if was == (identity{}) {
		return nil
	}
	is, err := p.identify()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &instance.Damage{Path: p.Path, Cause: err}
	case err == nil && is != was:
		return &instance.Damage{Path: p.Path, Cause: errSwapped}
	}
	return nil
}

// logStart is how the first record of a log begins: what kind of record it is, and
// that 16 bytes follow, each a varint, which name the database that it belongs to.
// The records behind it have checksums; of a log whose first record cannot be read
// the engine takes nothing, and says nothing.
var logStart = []byte{0x64, 0, 0x62, 0x65, 0, 2, 0x66, 0, logName}

const (
	logName = 16
	logHead = 64 // bytes, more than the first record has
)

// checkLog returns a Damage if the partition has a log that the engine would pass
// over.
func (p *Partition) checkLog() error {
	log, err := readStart(p.Path+walSuffix, logHead)
	if err != nil || len(log) < logHead { // none, or cut off before anything was committed to it
		return nil //nolint:nilerr // so it is
	}
	headers, err := readStart(p.Path, headerBytes)
	if err != nil {
		return nil //nolint:nilerr // opening the file says it
	}
	rest, known := bytes.CutPrefix(log, logStart)
	var name []byte
	for known && len(name) < logName {
		x, n := binary.Uvarint(rest)
		if known = n > 0 && x <= 0xff; known {
			name, rest = append(name, byte(x)), rest[n:]
		}
	}
	if !known || !bytes.Contains(headers, name) {
		return &instance.Damage{Path: p.Path, Cause: errBadStart}
	}
	return nil
}

// readStart returns the first n bytes of a file, fewer if it has no more.
func readStart(path string, n int) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // a file of the store
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	start := make([]byte, n)
	n, err = io.ReadFull(f, start)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return start[:n], err
}
