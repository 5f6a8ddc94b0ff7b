// SPDX-License-Identifier: Apache-2.0

package linear

import "github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"

// counter collects how often each feature occurs in a passage. Its arrays are
// as large as the model, so counters are reused.
type counter struct {
	shift   uint8
	counts  []uint8 // by feature; all zero between passages
	touched []uint32
	tokens  Tokens
	passage int    // length in bytes up to which a text is judged as one
	starts  []int  // of the passages that overlap others
	before  uint32 // hash of the token before, 0 at the start of a passage
	// sequence has the tokens of a passage by their places in the table of vectors,
	// where dense asks for it.
	sequence []int32
	dense    bool
}

func newCounter(bits uint8, passage int) *counter {
	return &counter{shift: 32 - bits, passage: passage, counts: make([]uint8, 1<<bits), touched: make([]uint32, 0, 4*Passage)}
}

// The seeds keep features of different kinds apart.
const (
	wordSeed  = 0x811c9dc5
	pairSeed  = 0x9e3779b9
	pieceSeed = 0x85ebca6b
	prime     = 0x01000193
)

func (c *counter) add(hash uint32) {
	hash ^= hash >> 15
	hash *= 0x2c1b3c6d
	hash ^= hash >> 12
	hash *= 0x297a2d39
	i := hash >> c.shift
	switch n := c.counts[i]; n {
	case 0:
		c.touched = append(c.touched, i)
		c.counts[i] = 1
	case maxCount:
	default:
		c.counts[i] = n + 1
	}
}

// addToken counts the features of the current token: the word, the pair with
// the token before, and its pieces of three to five bytes, with the edges of
// the word marked.
func (c *counter) addToken() {
	word, kind := c.tokens.Token()
	if c.dense && len(c.sequence) < c.passage { // marks alone end no passage
		c.sequence = append(c.sequence, placeOf(word, kind))
	}
	if kind == Mention {
		return
	}
	hash := uint32(wordSeed)
	for _, b := range word {
		hash = (hash ^ uint32(b)) * prime
	}
	c.add(hash)
	if c.before != 0 {
		c.add((c.before*31 ^ hash) * pairSeed)
	}
	c.before = hash
	if kind == Word {
		c.addPieces(word)
	}
}

// placeOf returns the place of a token in the table of vectors.
func placeOf(word []byte, kind Kind) int32 {
	if kind != Word {
		return NoWord
	}
	v, ok := wordvectors.Of(word)
	if !ok {
		return UnknownWord
	}
	return int32(v.Place())
}

func (c *counter) addPieces(word []byte) {
	var edged [maxToken + 18]byte
	edged[0] = '<'
	n := 1 + copy(edged[1:], word)
	edged[n] = '>'
	text := edged[:n+1]
	for i := 0; i+3 <= len(text); i++ {
		hash := (uint32(pieceSeed) ^ uint32(text[i])) * prime
		hash = (hash ^ uint32(text[i+1])) * prime
		hash = (hash ^ uint32(text[i+2])) * prime
		c.add(hash)
		if i+4 <= len(text) {
			hash = (hash ^ uint32(text[i+3])) * prime
			c.add(hash)
		}
		if i+5 <= len(text) {
			hash = (hash ^ uint32(text[i+4])) * prime
			c.add(hash)
		}
	}
}

// passages counts the features of a text passage by passage and calls done
// after each. A text up to the length of a passage is one; a longer one breaks
// where sentences end, and leaves no scrap at its end. Short passages overlap:
// one more begins with every sentence that none begins with, so that what stands
// in one or two sentences is seen without what is before and behind it.
func (c *counter) passages(text string, done func()) {
	c.tokens.Reset(text)
	c.starts = c.starts[:0]
	overlap := Overlap(c.passage) && len(text) > c.passage
	// Lengths are those of the words as they are read: a disguise makes a text
	// longer and says no more.
	size, words, ended := 0, 0, false
	for c.tokens.Next() {
		word, kind := c.tokens.Token()
		at := c.tokens.End()
		if overlap {
			if ended && kind == Word && size > 0 {
				c.startAt(text, c.passage)
			}
			ended = c.ends(text)
		}
		c.addToken()
		size += len(word) + 1
		if kind == Word {
			words++
		}
		if len(text) <= c.passage || size < c.passage/2 || len(text)-at < c.passage/4 || words == 0 {
			continue
		}
		if size >= c.passage || kind == Mark && endsSentence(word) {
			c.finish(words, done)
			size, words = 0, 0
		}
	}
	c.finish(words, done)
	for _, start := range c.starts {
		c.window(text[start:min(len(text), start+maxStretch*c.passage)], c.passage, done)
	}
}

// vast is the number of bytes from which not every sentence of a text begins a
// passage of its own.
const vast = 64 << 10

// startAt has a passage of a length begin at the current token. In a vast text
// passages begin a quarter of their length apart at least: a text of full stops
// and line ends costs no more than another.
func (c *counter) startAt(text string, length int) {
	at := c.tokens.Start()
	if n := len(c.starts); n > 0 && len(text) > vast && at-c.starts[n-1] < length/4 {
		return
	}
	c.starts = append(c.starts, at)
}

// maxStretch is how much longer than it reads a passage that overlaps others may
// be written: a text cannot make the model read long meaningless runs again and again.
const maxStretch = 16

// maxOverlap is the length of passages up to which they overlap.
const maxOverlap = 256

// Overlap reports whether passages of a length overlap; 0 is the usual length.
func Overlap(passage int) bool { return passage > 0 && passage <= maxOverlap }

// sentences counts the features of passages that begin with every sentence and
// every line of a text, of about a length in bytes, and calls done after each.
func (c *counter) sentences(text string, length int, done func()) {
	c.tokens.Reset(text)
	c.starts = c.starts[:0]
	for ended := true; c.tokens.Next(); {
		if _, kind := c.tokens.Token(); ended && kind == Word {
			c.startAt(text, length)
			ended = false
		}
		ended = ended || c.ends(text)
	}
	for _, start := range c.starts {
		c.window(text[start:min(len(text), start+maxStretch*length)], length, done)
	}
}

// ends reports whether a sentence or a line of a text ends with the current token.
func (c *counter) ends(text string) bool {
	word, kind := c.tokens.Token()
	return kind == Mark && endsSentence(word) || endsLine(text[c.tokens.End():])
}

// window counts the features of one passage of about a length at the beginning of
// a text, if there is enough of it.
func (c *counter) window(text string, length int, done func()) {
	c.tokens.Reset(text)
	size, words := 0, 0
	for size < length && c.tokens.Next() {
		c.addToken()
		word, kind := c.tokens.Token()
		size += len(word) + 1
		if kind == Word {
			words++
		}
		if size >= length/2 && c.ends(text) {
			break
		}
	}
	if size < length/4 {
		words = 0
	}
	c.finish(words, done)
}

// endsLine reports whether a line ends before what is next in a text.
func endsLine(rest string) bool {
	for i := range min(len(rest), 4) {
		if rest[i] == '\n' {
			return true
		}
		if class[rest[i]] != space {
			break
		}
	}
	return false
}

// finish ends a passage. One without words says nothing.
func (c *counter) finish(words int, done func()) {
	if words > 0 {
		done()
	}
	for _, i := range c.touched {
		c.counts[i] = 0
	}
	c.touched, c.sequence, c.before = c.touched[:0], c.sequence[:0], 0
}

func endsSentence(mark []byte) bool { return mark[0] == '.' || mark[0] == '!' || mark[0] == '?' }

// maxCount is where counting stops.
const maxCount = 63

// damped is 1 + ln n in 1/256: the tenth occurrence of a word says less than
// the first. Whole numbers make sums exact, whatever the order.
var damped = [maxCount + 1]int64{
	0, 256, 433, 537, 611, 668, 715, 754, 788, 818, 845, 870, 892, 913, 932, 949,
	966, 981, 996, 1010, 1023, 1035, 1047, 1059, 1070, 1080, 1090, 1100, 1109, 1118, 1127, 1135,
	1143, 1151, 1159, 1166, 1173, 1180, 1187, 1194, 1200, 1207, 1213, 1219, 1225, 1231, 1236, 1242,
	1247, 1252, 1257, 1263, 1268, 1272, 1277, 1282, 1286, 1291, 1295, 1300, 1304, 1308, 1313, 1317,
}
