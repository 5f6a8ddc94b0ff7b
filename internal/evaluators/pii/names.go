// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the list of names
	"io"
	"sort"
	"strings"
	"sync"
)

// packedNames are given and family names of many countries; tools/names makes
// the list, and NOTICE says from what.
//
//go:embed names.gz
var packedNames []byte

// nameKind says what a name is.
type nameKind struct {
	given, family bool
	// word says that it is also a word, such as mark or rose.
	word bool
}

// nameList is a sorted list of names, looked up where it is: a map would take
// ten times the memory.
type nameList struct {
	text  string
	lines []uint32 // where each begins
}

var knownNames = sync.OnceValues(func() (*nameList, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedNames))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	list := &nameList{text: string(text)}
	for i := 0; i < len(text); i += bytes.IndexByte(text[i:], '\n') + 1 {
		list.lines = append(list.lines, uint32(i))
	}
	return list, nil
})

// withoutUmlauts writes names as passports and lists of the census do.
var withoutUmlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "ø", "oe", "æ", "ae")

// find returns what a name in lower case is.
func (l *nameList) find(name string) nameKind {
	kind := l.exactly(name)
	if kind == (nameKind{}) && strings.ContainsAny(name, "äöüßåøæ") {
		kind = l.exactly(withoutUmlauts.Replace(name))
	}
	return kind
}

func (l *nameList) exactly(name string) nameKind {
	i := sort.Search(len(l.lines), func(i int) bool { return l.at(i) >= name })
	if i == len(l.lines) || l.at(i) != name {
		return nameKind{}
	}
	switch l.text[int(l.lines[i])+len(name)+1] {
	case 'f':
		return nameKind{given: true}
	case 's':
		return nameKind{family: true}
	case 'b':
		return nameKind{given: true, family: true}
	case 'F':
		return nameKind{given: true, word: true}
	case 'S':
		return nameKind{family: true, word: true}
	default:
		return nameKind{given: true, family: true, word: true}
	}
}

func (l *nameList) at(i int) string {
	name, _, _ := strings.Cut(l.text[l.lines[i]:], " ")
	return name
}
