// SPDX-License-Identifier: Apache-2.0

package duckdb

// FreeBytes returns the space on dir's disk that this process may still use.
func FreeBytes(dir string) (int64, error) { return freeBytes(dir) }
