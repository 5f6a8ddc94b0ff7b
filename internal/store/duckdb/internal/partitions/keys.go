// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	_ "embed"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// A file of keys stands next to that of a partition which takes in no more spans. It
// is believed only where it is whole and of as many rows as the partition ever had;
// otherwise it is made again from the partition.
const keysSuffix = ".keys"

const (
	// keysBytes bounds the filters of closed partitions that are kept in memory.
	keysBytes = 32 << 20
	// keysMost is how many they are at most.
	keysMost = 4096
)

//go:embed sql/keys.sql
var keysSQL string

// Keys has the key filters of partitions: those of partitions that take in spans,
// and of others those that were asked for last. It is for the caller that has the turn to
// write, but for MayHave.
type Keys struct {
	files *Files

	mu     sync.Mutex                  // MayHave is called at the same time
	open   map[int64]*keyfilter.Filter // by serial
	closed *simplelru.LRU[int64, *keyfilter.Filter]
	bytes  int // of closed
}

// NewKeys returns the filters of the partitions that files are of.
func NewKeys(files *Files) *Keys {
	k := &Keys{files: files, open: map[int64]*keyfilter.Filter{}}
	k.closed, _ = simplelru.NewLRU(keysMost, func(_ int64, f *keyfilter.Filter) { k.bytes -= f.Bytes() }) // its only error is of a size below 1
	return k
}

// Begin notes that a partition without spans takes in some from now on.
func (k *Keys) Begin(p *Partition) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[p.Serial] = &keyfilter.Filter{}
}

// Opened returns the filter of a partition that takes in spans, to which they are
// to be added.
func (k *Keys) Opened(ctx context.Context, p *Partition) (*keyfilter.Filter, error) {
	if f := k.open[p.Serial]; f != nil {
		return f, nil
	}
	f, err := k.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	f = f.Clone() // another call may be asking the other
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed.Remove(p.Serial)
	k.open[p.Serial] = f
	return f, nil
}

// Close notes that a partition takes in no more spans.
func (k *Keys) Close(p *Partition) {
	f := k.open[p.Serial]
	if f == nil {
		return
	}
	k.save(p, f)
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.open, p.Serial)
	k.keep(p, f)
}

// CloseAll writes down the filters of partitions that took in spans so far.
func (k *Keys) CloseAll(all []*Partition) {
	for _, p := range all {
		k.Close(p)
	}
}

// Remove forgets a partition that is gone.
func (k *Keys) Remove(p *Partition) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.open, p.Serial)
	k.closed.Remove(p.Serial)
}

// Of returns the filter of a partition.
func (k *Keys) Of(ctx context.Context, p *Partition) (*keyfilter.Filter, error) {
	if f, _ := k.known(p); f != nil {
		return f, nil
	}
	f, err := k.read(ctx, p)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(p, f)
	return f, nil
}

// known returns the filter of a partition that is in memory, nil if none is, and whether
// the partition takes in spans, which are added to it.
func (k *Keys) known(p *Partition) (f *keyfilter.Filter, isOpen bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.open[p.Serial]; f != nil {
		return f, true
	}
	f, _ = k.closed.Get(p.Serial)
	return f, false
}

// mostProbes is how many buckets are tried for a span whose start is not known.
const mostProbes = 1024

// MayHave reports whether a span of an environment, of which these are the bounds in a
// partition, can be there. It says so of partitions that take in spans, and of those whose
// filter would have to be made: it opens no partition. Spans that are committed while
// it looks may be missed. Anybody may call it.
func (k *Keys) MayHave(p *Partition, b *Bounds, id span.Identity) bool {
	if !b.Has(id.Bucket) {
		return false
	}
	f := k.closedOf(p)
	return f == nil || f.MayHave(b.Code, id)
}

// MayHaveAny is the same for a span of which not the start is known, but the ids.
func (k *Keys) MayHaveAny(p *Partition, b *Bounds, trace span.TraceID, id span.ID) bool {
	if b.Spans == 0 {
		return false
	}
	f := k.closedOf(p)
	if f == nil {
		return true
	}
	probes := 0
	for _, run := range b.Buckets.Runs() {
		for at := run.First; at <= run.Last; at++ {
			if probes++; probes > mostProbes || f.MayHave(b.Code, span.Identity{TraceID: trace, SpanID: id, Bucket: at}) {
				return true
			}
		}
	}
	return false
}

// closedOf returns the filter of a partition that takes in no spans, from memory or from
// its file, nil if there is none.
func (k *Keys) closedOf(p *Partition) *keyfilter.Filter {
	f, isOpen := k.known(p)
	if isOpen {
		return nil
	}
	if f != nil {
		return f
	}
	stamp := p.stamp()
	f, err := keyfilter.Read(p.Path+keysSuffix, stamp)
	if err != nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open[p.Serial] == nil && p.stamp() == stamp { // else it takes in spans meanwhile
		k.keep(p, f)
	}
	return f
}

// keep keeps the filter of a closed partition for the next time.
func (k *Keys) keep(p *Partition, f *keyfilter.Filter) {
	if before, found := k.closed.Peek(p.Serial); found {
		k.bytes -= before.Bytes()
	}
	k.closed.Add(p.Serial, f)
	k.bytes += f.Bytes()
	for k.bytes > keysBytes && k.closed.Len() > 1 {
		k.closed.RemoveOldest()
	}
}

// read reads the filter of a partition from its file of keys, or else makes it and
// that file from the partition.
func (k *Keys) read(ctx context.Context, p *Partition) (*keyfilter.Filter, error) {
	if f, err := keyfilter.Read(p.Path+keysSuffix, p.stamp()); err == nil {
		return f, nil
	}
	f := &keyfilter.Filter{}
	err := k.files.Alone(ctx, func(q *Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		return q.Each(ctx, keysSQL, nil, func(rows *sql.Rows) error {
			var key tables.Key
			var start int64
			err := rows.Scan(&key.Env, &key.Hi, &key.Lo, &key.ID, &start)
			f.Add(key.Env, span.Identity{TraceID: key.TraceID(), SpanID: key.SpanID(), Bucket: span.BucketOf(start)})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	k.save(p, f)
	return f, nil
}

// save writes the file of keys of a partition. Where that fails there is none, or
// an old one, and the next who needs it reads the partition.
func (k *Keys) save(p *Partition, f *keyfilter.Filter) {
	if err := f.Write(p.Path+keysSuffix, p.stamp()); err != nil {
		k.files.options.Report("the keys of a partition could not be written down", err)
	}
}

// stamp says which rows the partition has.
func (p *Partition) stamp() keyfilter.Stamp {
	p.mu.Lock()
	defer p.mu.Unlock()
	return keyfilter.Stamp{Serial: uint64(p.Serial), Next: uint64(p.next)}
}
