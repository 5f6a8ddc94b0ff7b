// SPDX-License-Identifier: Apache-2.0

package partitions

import "time"

// idlePause is how long who waits until no call uses a partition waits between two looks.
const idlePause = 50 * time.Millisecond

// pin keeps the partition from exclusive use until Unpin. While a caller has, or
// waits for it, it waits, but not while a writer is active, who reads with pins of his own
// what he has pinned.
func (p *Partition) pin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.shut != nil && p.writers == 0 {
		shut := p.shut
		p.mu.Unlock()
		<-shut
		p.mu.Lock()
	}
	p.pins++
}

// BeginWriting says that who pinned the partition writes to it, until EndWriting, which
// ends the pin as well.
func (p *Partition) BeginWriting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writers++
}

// EndWriting ends the pin of a writer.
func (p *Partition) EndWriting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writers--
	p.unpin()
}

// Unpin ends one pin.
func (p *Partition) Unpin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unpin()
}

// unpin ends one pin. The caller has the lock.
func (p *Partition) unpin() {
	if p.pins--; p.pins == 0 && p.drained != nil {
		close(p.drained)
		p.drained = nil
	}
}

// shutOut lets the caller have the partition exclusively until open is called, and
// holds it, if all who pinned it, and who had it exclusively before, are done within
// patience; without patience, if no other call has it. It reports whether he has it.
func (p *Partition) shutOut(patience time.Duration) (open func(), done bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	p.mu.Lock()
	for p.shut != nil && !p.closed && patience > 0 {
		shut := p.shut
		p.mu.Unlock()
		select {
		case <-shut:
		case <-timer.C:
			return nil, false
		}
		p.mu.Lock()
	}
	if p.closed || p.shut != nil || p.pins > 0 && patience <= 0 {
		p.mu.Unlock()
		return nil, false
	}
	p.users++
	p.shut = make(chan struct{})
	open = func() {
		p.mu.Lock()
		close(p.shut)
		p.shut, p.drained = nil, nil
		p.mu.Unlock()
		p.Release()
	}
	if p.pins == 0 {
		p.mu.Unlock()
		return open, true
	}
	drained := make(chan struct{})
	p.drained = drained
	p.mu.Unlock()
	select {
	case <-drained:
		return open, true
	case <-timer.C:
		open()
		return nil, false
	}
}

// shutOutIdle is shutOut of a caller that keeps no call from using the partition while he
// waits: he has it once no one does, if that comes within patience and before ending is closed.
func (p *Partition) shutOutIdle(ending <-chan struct{}, patience time.Duration) (open func(), done bool) {
	given := time.After(patience)
	for {
		if open, done = p.shutOut(0); done {
			return open, true
		}
		select {
		case <-time.After(idlePause):
		case <-given:
			return nil, false
		case <-ending:
			return nil, false
		}
	}
}

// IsAttached reports whether the partition's file is attached.
func (p *Partition) IsAttached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attached
}

// setAttached notes whether the file of a partition is attached.
func (f *Files) setAttached(p *Partition, is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case is && !p.attached:
		f.count.Add(1)
	case !is && p.attached:
		f.count.Add(-1)
	}
	p.attached = is
}

// IsSummarized reports whether the partition's summary is on disk and says what is
// known.
func (p *Partition) IsSummarized() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.summarized
}

// SetUnhealed notes whether the partition has notes of replaced rows that a crash
// left. While it has, no summary is made of it.
func (p *Partition) SetUnhealed(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unhealed = is
}
