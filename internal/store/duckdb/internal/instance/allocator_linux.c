// SPDX-License-Identifier: Apache-2.0

#include <stddef.h>

// The engine's allocator, which it has on Linux, reads this after the settings that the engine
// gives it, and before anything is allocated: see "malloc_conf_2_conf_harder" at
// https://jemalloc.net/jemalloc.3.html. The engine gives it as many arenas as there are
// cores, and pages that are free in one are of no use to another. Where there is no such
// allocator nobody reads it.
const char *duckdb_je_malloc_conf_2_conf_harder = "narenas:1";

// The engine's library has it where it has this allocator.
extern int duckdb_je_mallctl(const char *name, void *old, size_t *old_size, void *value, size_t value_size) __attribute__((weak));

// touchstone_arenas returns how many arenas the engine's allocator has for itself, 0 where there
// is none.
unsigned touchstone_arenas(void) {
	unsigned n = 0;
	size_t size = sizeof n;
	if (duckdb_je_mallctl == NULL || duckdb_je_mallctl("opt.narenas", &n, &size, NULL, 0) != 0) {
		return 0;
	}
	return n;
}
