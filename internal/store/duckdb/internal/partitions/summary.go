// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sidecar"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A summary is a file next to that of a partition which takes in no more spans. It
// says what the engine must know of it, so that a start need not open every file.
// It is believed only while it is whole and the partition's file is the one that
// it was made of, and has no log.

const (
	summarySuffix = ".summary"
	headerBytes   = 3 * 4096 // of a file: a checkpoint changes them
)

// summary is what is known of a partition.
type summary struct {
	Format     int   `json:"format"`
	Next       int64 `json:"next"`
	Codes      int32 `json:"codes"`
	Origins    int32 `json:"origins"`
	Shapes     int32 `json:"shapes"`
	Judgements int32 `json:"judgements"`
	Texts      int64 `json:"texts"`
	Latest     int64 `json:"latest"`
	Owed       int64 `json:"owed"`
	Index      int   `json:"index"` // the version of its index, 0 if it has none

	Environments []summaryEnvironment `json:"environments"`
	File         identity             `json:"file"`
}

type summaryEnvironment struct {
	ID        tenant.EnvironmentID `json:"id"`
	Code      int32                `json:"code"`
	Retention time.Duration        `json:"retention"`
	Spans     int64                `json:"spans"`
	Min       int64                `json:"min"`
	Max       int64                `json:"max"`
	Messages  int64                `json:"messages"`
	Buckets   []keyfilter.Run      `json:"buckets"`
}

// identity tells a file from what it was before a checkpoint, and from others.
type identity struct {
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Headers  string `json:"headers"` // their SHA-256
}

var errLogged = errors.New("the file has a log")

// identify returns the identity of the file of a partition. The error is
// errLogged if it has a log, or the remains of a checkpoint.
func (p *Partition) identify() (id identity, err error) {
	for _, suffix := range logSuffixes {
		if _, err := os.Stat(p.Path + suffix); !errors.Is(err, fs.ErrNotExist) {
			return identity{}, errors.Join(errLogged, err)
		}
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return identity{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	st, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	var headers [headerBytes]byte
	if _, err := io.ReadFull(f, headers[:]); err != nil {
		return identity{}, err
	}
	sum := sha256.Sum256(headers[:])
	return identity{Size: st.Size(), Modified: st.ModTime().UnixNano(), Headers: hex.EncodeToString(sum[:])}, nil
}

// summarize writes the summary of a partition whose file is closed, unless there
// is one, or the file was closed before anybody learned what it has. Where it cannot be written there is none, and the next start opens the
// file.
func (p *Partition) summarize(format int) {
	p.mu.Lock()
	done := p.summarized || p.unhealed || p.closed || !p.learned
	p.mu.Unlock()
	if done {
		return
	}
	k := p.Facts()
	s := summary{
		Format: format, Next: k.Next, Codes: k.Codes, Latest: k.Latest, Owed: k.Owed,
		Origins: k.Numbering.Origins, Shapes: k.Numbering.Shapes, Judgements: k.Numbering.Judgements,
		Texts: k.Numbering.Texts,
	}
	if k.Indexed {
		s.Index = index.Version
	}
	for id, b := range k.Environments {
		s.Environments = append(s.Environments, summaryEnvironment{
			ID: id, Code: b.Code, Retention: b.Retention, Spans: b.Spans, Min: b.Min, Max: b.Max, Messages: b.Messages, Buckets: b.Buckets.Runs(),
		})
	}
	var err error
	if s.File, err = p.identify(); err != nil {
		return
	}
	if err := writeSummary(p.Path+summarySuffix, &s); err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.summarized, p.asClosed = true, s.File
}

// writeSummary writes a summary behind its SHA-256, and puts it where it belongs
// when it is whole.
func writeSummary(path string, s *summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	return sidecar.Write(path, append(append([]byte(hex.EncodeToString(sum[:])), '\n'), text...))
}

// RecallSummary takes over what the partition's summary says, if it is to be
// believed.
func (p *Partition) RecallSummary(format int) {
	s, err := readSummary(p.Path + summarySuffix)
	if err != nil || s.Format != format || len(s.Environments) == 0 { // a closed partition has some
		return
	}
	if id, err := p.identify(); err != nil || id != s.File {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.codes, p.latest, p.owed, p.indexed = s.Next, s.Codes, s.Latest, s.Owed, s.Index == index.Version
	p.Dictionaries = tables.NewDictionaries(tables.Numbering{Origins: s.Origins, Shapes: s.Shapes, Judgements: s.Judgements, Texts: s.Texts})
	for _, x := range s.Environments {
		if len(x.Buckets) == 0 && x.Spans > 0 { // as summaries were that said less
			x.Buckets = []keyfilter.Run{{First: span.BucketOf(x.Min), Last: span.BucketOf(x.Max)}}
		}
		p.envs[x.ID] = Bounds{
			Code: x.Code, Retention: x.Retention, Spans: x.Spans, Min: x.Min, Max: x.Max, Messages: x.Messages,
			Buckets: keyfilter.BucketsOf(x.Buckets),
		}
	}
	p.learned, p.summarized, p.asClosed = true, true, s.File
}

// readSummary reads a summary. The error says only that there is none, or none
// that is whole.
func readSummary(path string) (*summary, error) {
	all, err := sidecar.Read(path)
	if err != nil {
		return nil, err
	}
	head, text, _ := bytes.Cut(all, []byte{'\n'})
	if sum := sha256.Sum256(text); string(head) != hex.EncodeToString(sum[:]) {
		return nil, errors.New("the summary is not whole")
	}
	var s summary
	return &s, json.Unmarshal(text, &s)
}

// Unsummarize removes the summary of a partition that is about to change.
func (p *Partition) Unsummarize() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.summarized {
		return nil
	}
	if err := os.Remove(p.Path + summarySuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.summarized, p.asClosed = false, identity{}
	return nil
}
