// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package queries

// isMainThread reports whether that matters here: never.
func isMainThread() bool { return false }

// yieldToOthers does nothing: elsewhere priorities are those of processes.
func yieldToOthers() {}
