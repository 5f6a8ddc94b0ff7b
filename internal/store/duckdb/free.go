// SPDX-License-Identifier: Apache-2.0

package duckdb

import "github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"

// FreeBytes returns the space on dir's disk that this process may still use.
func FreeBytes(dir string) (int64, error) { return instance.FreeBytes(dir) }
