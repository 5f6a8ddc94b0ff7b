// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package connbound

import "math"

// descriptors returns how many files and connections the process may have open:
// where there is no such limit, any number.
func descriptors() uint64 { return math.MaxUint64 }
