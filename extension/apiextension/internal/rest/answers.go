// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/freemem"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of the bytes of answers that are being written, of one environment and of all:
// who does not read what he asked for would have the process keep it. Small ones do
// not count.
const (
	smallAnswer  = 64 << 10
	answersOfOne = 48 << 20
	answersOfAll = 128 << 20
)

// answers counts the bytes of answers that are being written. The zero value is ready.
type answers struct {
	held   Held
	memory *freemem.Giver // nil gives nothing back
}

// enter begins to write an answer of so many bytes. An environment of which others are not
// read yet is refused as Limited where there would be too much of its own, and any as
// Unavailable where there would be of all.
func (a *answers) enter(env tenant.EnvironmentID, bytes int) (leave func(), err error) {
	if bytes <= smallAnswer {
		return func() {}, nil
	}
	return a.held.Enter(env, bytes, func(own, all Share) error {
		switch {
		case own.N > 0 && own.Bytes+bytes > answersOfOne:
			return fault.Limit(time.Second, "the environment has answers of %d MiB that are not read yet: try again when they are", own.Bytes>>20)
		case all.N > 0 && all.Bytes+bytes > answersOfAll:
			return fault.New(fault.Unavailable, "too many answers are not read yet; try again later")
		}
		if a.memory != nil {
			a.memory.Used(int64(all.Bytes+bytes), answersOfAll)
		}
		return nil
	})
}
