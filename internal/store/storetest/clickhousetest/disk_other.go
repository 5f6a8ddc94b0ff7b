// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package clickhousetest

import (
	"errors"
	"os/exec"
)

func apart(*exec.Cmd) {}

func mountDisk(string, string) error { return errors.New("disks of a test's own are of Linux") }
