// SPDX-License-Identifier: Apache-2.0

package sqlparser

import (
	"container/list"
	"sync"
	_ "unsafe" // for go:linkname

	_ "github.com/wasilibs/go-pgquery/parser"
)

// The library keeps an instance of the parser after it has failed, to be used
// again, and has no function that drops it.

//go:linkname idleParsers github.com/wasilibs/go-pgquery/parser.abiPool
var idleParsers *list.List

//go:linkname idleParsersMu github.com/wasilibs/go-pgquery/parser.abiPoolMu
var idleParsersMu sync.Mutex

// dropIdle forgets the unused instances of the parser, so that
// the next call makes one.
func dropIdle() {
	idleParsersMu.Lock()
	defer idleParsersMu.Unlock()
	idleParsers.Init()
}
