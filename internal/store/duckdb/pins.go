// SPDX-License-Identifier: Apache-2.0

package duckdb

import "time"

// pin lets nobody have the partition for himself until unpin. While somebody
// has, it waits.
func (p *partition) pin() {
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

func (p *partition) unpin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pins--; p.pins == 0 && p.drained != nil {
		close(p.drained)
		p.drained = nil
	}
}

// shutOut has the partition for the caller alone until open is called, and holds
// it, if who has it pinned is done within patience; with none, if nobody has.
func (p *partition) shutOut(patience time.Duration) (open func(), done bool) {
	p.mu.Lock()
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
		p.release()
	}
	if p.pins == 0 {
		p.mu.Unlock()
		return open, true
	}
	drained := make(chan struct{})
	p.drained = drained
	p.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-drained:
		return open, true
	case <-timer.C:
		open()
		return nil, false
	}
}

// isAttached reports whether the partition's file is.
func (p *partition) isAttached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attached
}

func (p *partition) setAttached(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attached = is
}
