// SPDX-License-Identifier: Apache-2.0

// Package journal is a file of batches that were acknowledged and are yet to be committed
// to partitions. A batch is durable as soon as it is appended, which costs much less than a
// commit. The file is emptied when all of it is committed.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/touchstone-otel/touchstone/internal/durable"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Name is that of the file in the directory of a store.
const Name = "journal"

// The file begins with a mark and the number of its format. Each entry has a head, of its
// length, the checksum of that, and the checksum of what it holds, each of four bytes.
const (
	mark     = "TSJRNL\n"
	format   = 2 // which holds what format 1 does, and grounds of verdicts
	headSize = 12
	// most is how long an entry can be, so that a length that is none is told from one.
	most = 1 << 30
)

var checksums = crc32.MakeTable(crc32.Castagnoli)

// header is what the file begins with.
func header() []byte { return append([]byte(mark), format) }

// Journal is the open file, for one caller at a time.
type Journal struct {
	path   string
	file   *os.File // nil before the first entry
	size   int64    // of what is sound
	used   bool     // it may have something behind its header
	buffer []byte
}

// Open returns the journal of a store in dir, and what it has. That stays there until
// Empty.
func Open(dir string) (*Journal, Found, error) {
	j := At(filepath.Join(dir, Name))
	found, err := Read(j.path)
	j.size, j.used = max(found.end, j.size), found.there
	return j, found, err
}

// At returns a journal at path that has nothing yet, whatever is there.
func At(path string) *Journal { return &Journal{path: path, size: int64(len(header()))} }

// Path returns where the file is.
func (j *Journal) Path() string { return j.path }

// Append adds a batch, durably. After an error it is as if it had not been called, except
// that a crash may show the batch.
func (j *Journal) Append(b *store.Batch) error {
	if err := j.open(); err != nil {
		return err
	}
	j.buffer = appendBatch(append(j.buffer[:0], make([]byte, headSize)...), b)
	putHead(j.buffer)
	j.used = true
	_, err := j.file.WriteAt(j.buffer, j.size)
	if err == nil {
		err = durable.Data(j.file)
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += int64(len(j.buffer))
	return nil
}

// putHead fills in the head of an entry.
func putHead(entry []byte) {
	binary.LittleEndian.PutUint32(entry, uint32(len(entry)-headSize))
	binary.LittleEndian.PutUint32(entry[4:], crc32.Checksum(entry[:4], checksums))
	binary.LittleEndian.PutUint32(entry[8:], crc32.Checksum(entry[headSize:], checksums))
}

// open opens the file, which is made if need be.
func (j *Journal) open() error {
	if j.file != nil {
		return nil
	}
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.WriteAt(header(), 0); err == nil {
		err = errors.Join(f.Truncate(j.size), f.Sync(), durable.Directory(filepath.Dir(j.path)))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	j.file = f
	return nil
}

// Empty removes all batches, durably: a loss of power must not bring back what was replaced
// or deleted since. It may be called again after an error.
func (j *Journal) Empty() error {
	if !j.used {
		return nil
	}
	if err := j.open(); err != nil {
		return err
	}
	n := int64(len(header()))
	if err := j.file.Truncate(n); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	j.size, j.used = n, false
	return nil
}

// Forget is for a file that was moved away: the next entry begins another.
func (j *Journal) Forget() error {
	err := j.Close()
	j.file, j.size, j.used = nil, int64(len(header())), false
	return err
}

// Close closes the file and leaves it as it is.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// Found is what a journal has.
type Found struct {
	Batches []store.Batch
	// Torn says that the last entry is not complete: no sender knows that it is stored.
	Torn bool
	// Damage is why some of what follows the first of the batches, or any of them, could not
	// be read; nil where nothing is damaged.
	Damage error
	there  bool  // it has more than a header
	end    int64 // where what is complete ends
}

// Spans returns how many spans the batches have.
func (f *Found) Spans() (n int64) {
	for i := range f.Batches {
		n += int64(len(f.Batches[i].Records))
	}
	return n
}

// ErrFormat is the error of a journal of a later release.
var ErrFormat = errors.New("the format of the journal is not known to this release")

// Read reads the journal at path, which need not be there, and changes nothing. What is
// damaged is passed over; behind an entry whose length is damaged nothing can be read.
func Read(path string) (Found, error) {
	b, err := os.ReadFile(path) //nolint:gosec // the store's own file
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, err
	}
	head := header()
	f := Found{there: len(b) > len(head) || len(b) > 0 && !bytes.HasPrefix(head, b)}
	switch {
	case len(b) < len(head) && bytes.HasPrefix(head, b):
		return f, nil // of a crash before there was any entry
	case !bytes.HasPrefix(b, []byte(mark)):
		f.Damage = errors.New("the journal does not begin as one")
		return f, nil
	case b[len(mark)] < 1 || b[len(mark)] > format:
		return f, fault.Wrap(fault.Invalid, ErrFormat, "%s has format %d, and this release knows %d", path, b[len(mark)], format)
	}
	f.entries(b[len(head):])
	return f, nil
}

// entries reads what follows the header.
func (f *Found) entries(b []byte) {
	for place := 0; place < len(b); {
		f.end = int64(len(header()) + place)
		rest := b[place:]
		if len(rest) < headSize {
			f.Torn = true
			return
		}
		n := int(binary.LittleEndian.Uint32(rest))
		if binary.LittleEndian.Uint32(rest[4:]) != crc32.Checksum(rest[:4], checksums) || n > most {
			f.Damage = errors.Join(f.Damage, fmt.Errorf("at byte %d of the journal there is no entry", place+len(header())))
			return
		}
		if n > len(rest)-headSize {
			f.Torn = true
			return
		}
		entry := rest[headSize : headSize+n]
		place += headSize + n
		if binary.LittleEndian.Uint32(rest[8:]) != crc32.Checksum(entry, checksums) {
			f.Damage = errors.Join(f.Damage, fmt.Errorf("the checksum of the entry before byte %d of the journal is wrong", place+len(header())))
			continue
		}
		batch, err := readBatch(entry)
		if err != nil {
			f.Damage = errors.Join(f.Damage, err)
			continue
		}
		f.Batches = append(f.Batches, batch)
	}
	f.end = int64(len(header()) + len(b))
}
