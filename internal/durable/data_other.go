// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package durable

import "os"

// Data makes what was written to an open file durable, and its size.
func Data(f *os.File) error { return f.Sync() }
