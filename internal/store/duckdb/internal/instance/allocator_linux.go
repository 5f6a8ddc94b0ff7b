// SPDX-License-Identifier: Apache-2.0

package instance

// unsigned touchstone_arenas(void);
import "C"

// arenas returns how many arenas the engine's allocator has, 0 where it is the C library's.
func arenas() int { return int(C.touchstone_arenas()) }
