// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"embed"
	"io/fs"
	"strconv"
)

//go:embed schema
var schemaFiles embed.FS

// Formats are the statements that lead a partition's file from each format
// version to the next, in order: the first make version 1 of an empty file. A
// released one is never changed.
type Formats []string

// KnownFormats returns the formats that this release knows, from schema/1.sql on.
func KnownFormats() Formats {
	var all Formats
	for {
		text, err := fs.ReadFile(schemaFiles, "schema/"+strconv.Itoa(len(all)+1)+".sql")
		if err != nil { // there are no more
			return all
		}
		all = append(all, string(text))
	}
}
