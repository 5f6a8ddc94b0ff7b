// SPDX-License-Identifier: Apache-2.0

package duckdb

import "os"

// closedShare is how much smaller than that of a partition that takes in spans
// the log of a closed one may grow: there are many of those.
const closedShare = 16

// compact works the log of a partition that takes in no more spans into its
// file, once it has grown.
func (e *engine) compact(p *partition) error {
	if e.current[p.class] == p {
		return nil // the engine does, at CheckpointBytes
	}
	if p.logSize() < e.cfg.CheckpointBytes/closedShare {
		return nil
	}
	p.dictionaries.forget()
	if err := e.run("CHECKPOINT " + p.alias()); err != nil && !busy(err) {
		return err
	}
	return nil // if somebody else is at it, the next commit looks again
}

// logSize gives the size of the partition's log, 0 if it has none.
func (p *partition) logSize() int64 {
	st, err := os.Stat(p.path + walSuffix)
	if err != nil {
		return 0
	}
	return st.Size()
}
