// SPDX-License-Identifier: Apache-2.0

package linear

// counter collects how often each feature occurs in a passage. Its arrays are
// as large as the model, so counters are reused.
type counter struct {
	shift   uint8
	counts  []uint8 // by feature; all zero between passages
	touched []uint32
	tokens  Tokens
	passage int    // length in bytes up to which a text is judged as one
	before  uint32 // hash of the token before, 0 at the start of a passage
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
// where sentences end, and leaves no scrap at its end.
func (c *counter) passages(text string, done func()) {
	c.tokens.Reset(text)
	// Lengths are those of the words as they are read: a disguise makes a text
	// longer and says no more.
	size, words := 0, 0
	for c.tokens.Next() {
		c.addToken()
		word, kind := c.tokens.Token()
		size += len(word) + 1
		if kind == Word {
			words++
		}
		at := c.tokens.End()
		if len(text) <= c.passage || size < c.passage/2 || len(text)-at < c.passage/4 || words == 0 {
			continue
		}
		if size >= c.passage || kind == Mark && endsSentence(word) {
			c.finish(words, done)
			size, words = 0, 0
		}
	}
	c.finish(words, done)
}

// finish ends a passage. One without words says nothing.
func (c *counter) finish(words int, done func()) {
	if words > 0 {
		done()
	}
	for _, i := range c.touched {
		c.counts[i] = 0
	}
	c.touched, c.before = c.touched[:0], 0
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
