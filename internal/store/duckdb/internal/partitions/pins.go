// SPDX-License-Identifier: Apache-2.0

package partitions

import "time"

// pin lets nobody have the partition to himself until Unpin. While somebody has,
// it waits.
func (p *Partition) pin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.shut != nil {
		shut := p.shut
		p.mu.Unlock()
		<-shut
		p.mu.Lock()
	}
	p.pins++
}

// Unpin ends one pin.
func (p *Partition) Unpin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pins--; p.pins == 0 && p.drained != nil {
		close(p.drained)
		p.drained = nil
	}
}

// shutOut lets the caller have the partition to himself until open is called, and
// holds it, if all who pinned it, and who had it to himself before, are done within
// patience; without patience, if nobody has it. It reports whether he has it.
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
