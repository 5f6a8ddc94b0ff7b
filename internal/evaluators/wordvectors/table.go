// SPDX-License-Identifier: Apache-2.0

package wordvectors

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sync"
)

// A file is: magic, version, dimensions, bits of a bucket, a zero, the number of
// words; for each bucket and for their end the place of its first word; the tags of
// all words, their scales and norms, their steps, and a checksum of all before.
// Numbers are little-endian. Words are in the order of their hashes, whose first bits
// are the bucket and whose next 32 the tag. Words themselves are not kept: one in
// 300 million that are not in the table would be taken for one that is.
const (
	magic      = "TSWV"
	version    = 1
	bucketBits = 12
	headBytes  = 12
	scaleUnit  = 1.0 / (1 << 20)
	normUnit   = 1.0 / 32
)

//go:embed english.bin
var englishFile string

// english is read in place: nothing of it is touched at start but its head, and
// later only what is asked for.
var english = sync.OnceValue(func() *table {
	t, err := open(englishFile)
	if err != nil {
		panic(err) // A broken build.
	}
	return t
})

// table is parts of a file.
type table struct{ starts, tags, sizes, steps string }

// open finds the parts of a file. Its checksum is not computed, which would read all
// of it into memory.
func open(file string) (*table, error) {
	if len(file) < headBytes || file[:4] != magic || file[4] != version || file[5] != Dimensions || file[6] != bucketBits {
		return nil, errors.New("word vectors: not a file of this version")
	}
	n := int(number(file, 8))
	ends := [...]int{headBytes, 4 * (1<<bucketBits + 1), 4 * n, 4 * n, Dimensions * n}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	if len(file) != ends[4]+4 {
		return nil, fmt.Errorf("word vectors: %d bytes for %d words", len(file), n)
	}
	return &table{
		starts: file[ends[0]:ends[1]], tags: file[ends[1]:ends[2]],
		sizes: file[ends[2]:ends[3]], steps: file[ends[3]:ends[4]],
	}, nil
}

func number(data string, at int) uint32 {
	d := data[at : at+4]
	return uint32(d[0]) | uint32(d[1])<<8 | uint32(d[2])<<16 | uint32(d[3])<<24
}

// find returns the vector of the word that has a hash.
func (t *table) find(h uint64) (Vector, bool) {
	bucket, tag := bucketOf(h), tagOf(h)
	from, to := number(t.starts, 4*bucket), number(t.starts, 4*bucket+4)
	for i := int(from); i < int(to); i++ {
		if number(t.tags, 4*i) == tag {
			return t.at(i), true
		}
	}
	return Vector{}, false
}

// at returns the vector at a place.
func (t *table) at(i int) Vector {
	size := number(t.sizes, 4*i)
	return Vector{
		steps: t.steps[Dimensions*i : Dimensions*(i+1)],
		scale: float32(size&0xffff) * scaleUnit, norm: float32(size>>16) * normUnit,
		place: int32(i),
	}
}

func bucketOf(h uint64) int { return int(h >> (64 - bucketBits)) }

func tagOf(h uint64) uint32 { return uint32(h >> (32 - bucketBits)) }

// hash is FNV-1a with its bits mixed once more: its first bits alone differ little
// between short words.
func hash[T string | []byte](word T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// Encode makes the file of a table: a byte for each number, and for each word what a
// step stands for. Every word has as many numbers as Dimensions says.
func Encode(vectors map[string][]float64) ([]byte, error) {
	words := make([]string, 0, len(vectors))
	for word := range vectors {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) })
	file := append([]byte(magic), version, Dimensions, bucketBits, 0)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(words)))
	next := 0
	for bucket := range 1<<bucketBits + 1 {
		for next < len(words) && bucketOf(hash(words[next])) < bucket {
			next++
		}
		file = binary.LittleEndian.AppendUint32(file, uint32(next))
	}
	var sizes, steps []byte
	for i, word := range words {
		h := hash(word)
		if i > 0 && bucketOf(hash(words[i-1])) == bucketOf(h) && tagOf(hash(words[i-1])) == tagOf(h) {
			return nil, fmt.Errorf("word vectors: %q and %q have one tag", words[i-1], word)
		}
		scale, norm, row, err := quantise(vectors[word])
		if err != nil {
			return nil, fmt.Errorf("word vectors: %q: %w", word, err)
		}
		file = binary.LittleEndian.AppendUint32(file, tagOf(h))
		sizes = binary.LittleEndian.AppendUint16(sizes, scale)
		sizes = binary.LittleEndian.AppendUint16(sizes, norm)
		steps = append(steps, row...)
	}
	file = append(append(file, sizes...), steps...)
	return binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(file)), nil
}

// quantise gives a vector in steps, what a step stands for and how long the vector is
// in steps.
func quantise(vector []float64) (scale, norm uint16, steps []byte, err error) {
	if len(vector) != Dimensions {
		return 0, 0, nil, fmt.Errorf("%d numbers", len(vector))
	}
	largest := 0.0
	for _, x := range vector {
		largest = max(largest, math.Abs(x))
	}
	size := math.Ceil(largest / math.MaxInt8 / scaleUnit)
	if !(size <= math.MaxUint16) { // not a number, too
		return 0, 0, nil, fmt.Errorf("a number of size %v", largest)
	}
	steps = make([]byte, Dimensions)
	if size == 0 {
		return 0, 0, steps, nil
	}
	squares := 0.0
	for i, x := range vector {
		step := math.RoundToEven(x / (size * scaleUnit))
		squares += step * step
		steps[i] = byte(int8(step))
	}
	return uint16(size), uint16(math.Round(math.Sqrt(squares) / normUnit)), steps, nil
}
