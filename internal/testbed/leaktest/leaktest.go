// SPDX-License-Identifier: Apache-2.0

// Package leaktest looks for goroutines that the tests of a package leave
// behind, where expressions with a time limit are matched.
package leaktest

import (
	"github.com/dlclark/regexp2/v2"
	"go.uber.org/goleak"
)

// Verify runs the tests of a package and ends the process, with 1 where a
// goroutine is left behind. The clock of regexp2 runs until a second after
// the latest time limit that an expression was given, and is stopped first:
// https://github.com/dlclark/regexp2#catastrophic-backtracking-and-timeouts
func Verify(m goleak.TestingM) { goleak.VerifyTestMain(stopping{m}) }

// stopping are tests that stop the clock of regexp2 when they have run.
type stopping struct{ goleak.TestingM }

// Run returns what the tests end with.
func (s stopping) Run() int {
	code := s.TestingM.Run()
	regexp2.StopTimeoutClock()
	return code
}
