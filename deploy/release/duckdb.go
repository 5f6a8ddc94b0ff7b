// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

// duckdbLibraries are modules that hold the libraries of DuckDB for one platform, built
// with what its sources bring along. Their licences are those of
// https://github.com/duckdb/duckdb/tree/main/third_party; the modules have the text of
// DuckDB's own only.
const duckdbLibraries = "github.com/duckdb/duckdb-go-bindings/lib/"

var withinDuckDB = map[string][]string{
	"concurrentqueue": {"BSD-2-Clause"},
	"fast_float":      {"MIT"},
	"FastPFor":        {"Apache-2.0"},
	"fmt":             {"MIT"},
	"FSST":            {"MIT"},
	"HyperLogLog":     {"BSD-3-Clause"},
	"ICU":             {"Unicode-3.0"},
	"jaro_winkler":    {"MIT"},
	"jemalloc":        {"BSD-2-Clause"},
	"LZ4":             {"BSD-2-Clause"},
	"Mbed TLS":        {"Apache-2.0"},
	"miniz":           {"MIT"},
	"Parquet":         {"Apache-2.0"},
	"libpg_query":     {"BSD-3-Clause", "PostgreSQL"},
	"pcg":             {"Apache-2.0"},
	"pdqsort":         {"Zlib"},
	"RE2":             {"BSD-3-Clause"},
	"skiplist":        {"MIT"},
	"Snappy":          {"BSD-3-Clause"},
	"Thrift":          {"Apache-2.0"},
	"utf8proc":        {"MIT"},
	"vergesort":       {"MIT"},
	"yyjson":          {"MIT"},
	"Zstandard":       {"BSD-3-Clause"},
}

// withinOf returns what a part brings along that is not a module.
func withinOf(p part) []part {
	if !strings.HasPrefix(p.Name, duckdbLibraries) {
		return nil
	}
	var list []part
	for name, licences := range withinDuckDB {
		list = append(list, part{Name: name, Version: p.Version, Within: p.Name, Licences: licences})
	}
	return list
}
