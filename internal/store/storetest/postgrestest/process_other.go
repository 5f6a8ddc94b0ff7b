// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package postgrestest

import (
	"os"
	"os/exec"
)

// immediate ends a server at once.
var immediate = os.Kill

// give leaves a directory to the caller that runs the tests.
func give(string) error { return nil }

// ordinary leaves a command that of the caller that runs the tests.
func ordinary(*exec.Cmd) {}

// run starts a command and closes the channel when it has ended.
func run(c *exec.Cmd) (ended <-chan struct{}, err error) {
	over := make(chan struct{})
	if err := c.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(over)
		_ = c.Wait()
	}()
	return over, nil
}
