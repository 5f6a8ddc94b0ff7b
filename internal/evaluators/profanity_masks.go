// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"bytes"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

// profaneRoots are strong words that no other word has inside it, but for the
// words that are listed with them.
var profaneRoots = []struct {
	root   []byte
	except []string
	grade  string
}{
	{[]byte("fuck"), nil, "strong"},
	{[]byte("bitch"), nil, "strong"},
	{[]byte("cunt"), []string{"scunthorp", "placunt"}, "strong"},
	{[]byte("faggot"), nil, "strong"},
	{[]byte("nigger"), []string{"snigger"}, "strong"},
	{[]byte("whore"), nil, "strong"},
	{[]byte("asshole"), nil, "strong"},
	{[]byte("bullshi"), nil, "strong"},
	{[]byte("motherf"), nil, "strong"},
	{[]byte("cocksuck"), nil, "strong"},
	{[]byte("dickhead"), nil, "strong"},
	{[]byte("blowjob"), nil, "strong"},
	{[]byte("shithead"), nil, "strong"},
	{[]byte("arschloch"), nil, "strong"},
	{[]byte("hurensohn"), nil, "strong"},
	{[]byte("scheiss"), nil, "mild"},
}

// shortestRoot is the length of the shortest root.
const shortestRoot = 4

// profaneRoot returns the grade of the word that a folded word has inside it, or is
// with its letters doubled, "" without one.
func profaneRoot(word []byte) string {
	for _, r := range profaneRoots {
		if bytes.Contains(word, r.root) && !slices.ContainsFunc(r.except, func(e string) bool { return bytes.Contains(word, []byte(e)) }) {
			return r.grade
		}
	}
	var single [maxWord]byte
	once := single[:0]
	for i, b := range word[:min(len(word), maxWord)] {
		if i == 0 || word[i-1] != b {
			once = append(once, b)
		}
	}
	if len(once) < len(word) && doubledWords[string(once)] {
		return "strong"
	}
	return ""
}

// maxWord is the length from which a word is no swear word.
const maxWord = 32

// doubledWords are words that people draw out letter by letter.
var doubledWords = map[string]bool{
	"fuck": true, "fucking": true, "fuckin": true, "fucked": true, "fucker": true, "bitch": true, "bitches": true, "shit": true, "shity": true,
	"cunt": true, "whore": true, "slut": true, "bulshit": true, "ashole": true, "motherfucker": true, "dick": true, "dickhead": true, "bastard": true,
}

// maskedWords are the words that people write with signs in place of letters,
// with their grade.
var maskedWords = func() map[byte][]maskedWord {
	words := map[byte][]maskedWord{}
	for _, family := range []struct {
		grade, roots string
		endings      string
	}{
		{"mild", "shit", " s ty ter ting ted head hole show storm e ing faced"},
		{"strong", "fuck", " s ed er ers in ing face head wit tard boy you off"},
		{"strong", "motherfuck", "  er ers ing in"},
		{"strong", "bitch", " es ed ing y in ass"},
		{"strong", "cunt", " s y"},
		{"strong", "cock whore slut bastard twat dickhead cocksucker", " s"},
		{"strong", "pussy pussies dick dicks", " "},
		{"slur", "nigg", "er ers a as ah az"},
		{"slur", "fagg", "ot ots y"},
		{"slur", "retard", " s ed"},
		{"mild", "bullshit", " s ter"},
		{"mild", "asshole jackass dumbass arsehole wanker tits", " s"},
		{"mild", "damn goddamn dammit crap crappy piss pissed bollocks", " "},
	} {
		for root := range strings.FieldsSeq(family.roots) {
			for ending := range strings.SplitSeq(family.endings, " ") {
				w := root + ending
				words[w[0]] = append(words[w[0]], maskedWord{w, family.grade})
			}
		}
	}
	return words
}()

type maskedWord struct{ word, grade string }

// standsFor are the letters that a digit or a sign is read as at the place of
// a letter.
var standsFor = [256]string{
	'0': "o", '1': "il", '2': "z", '3': "e", '4': "a", '5': "s", '6': "gb", '7': "t", '8': "b", '9': "g",
	'@': "a", '$': "s", '!': "il", '|': "il", '+': "t", '(': "c",
}

const (
	blanks        = "*#@$%&!?^~+|_-.\u00b7" // hide a letter, whichever it is
	punctuation   = "|_-.~+"                // of those, what has other uses
	longestMasked = 24                      // of a masked word
)

// masked adds the words of which letters are hidden behind signs or digits, "f**k",
// "sh1t", "b!tch", "f***".
func (r *rudeWords) masked(text string) {
	for i := 0; i < len(text); {
		if !maskable(text[i]) || i > 0 && (wordByte(text[i-1]) || text[i-1] == '*') {
			i++
			continue
		}
		end, signs, letters := i, 0, 0
		for end < len(text) && (wordByte(text[end]) || strings.IndexByte(blanks, text[end]) >= 0 || text[end] == '(') {
			if text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' {
				letters++
			} else {
				signs++
			}
			end++
		}
		if signs > 0 && letters > 0 && end-i <= longestMasked {
			r.add(unmask(text[i:end]), i, end)
		}
		i = max(end, i+1)
	}
}

// spaced adds the words that are written in single characters with the same separator
// between each two, signs or digits in place of letters among them: "s h 1 t",
// "f.*.c.k". Words of letters alone are read by linear.Tokens.
func (r *rudeWords) spaced(text string) {
	for i := 0; i+2*(shortestRoot-1) < len(text); i++ {
		if i > 0 && !boundary(text[i-1]) {
			continue
		}
		run, end := spacedRun(text, i)
		if spelled(run) {
			r.add(unmask(run), i, end)
		}
		// An article or a pronoun before the word is written like its letters.
		if len(run) > shortestRoot && strings.IndexByte("aAiIuU", run[0]) >= 0 && spelled(run[1:]) {
			r.add(unmask(run[1:]), i+2, end)
		}
		i = max(i, end-1)
	}
}

// boundary reports whether a word that is written in single characters may begin
// behind a byte, or end before it.
func boundary(b byte) bool { return !wordByte(b) && strings.IndexByte(blanks, b) < 0 }

// spacedRun returns the characters that stand with one separator between each two
// from a place on, and where they end. They are none where they end within a word.
func spacedRun(text string, from int) (run string, end int) {
	sep := text[from+1]
	if strings.IndexByte(" .-_", sep) < 0 || !spaceable(text[from], sep) {
		return "", from
	}
	var characters [longestMasked]byte
	n := 1
	characters[0], end = text[from], from+1
	for end+1 < len(text) && text[end] == sep && spaceable(text[end+1], sep) {
		if sep == ' ' && end+2 < len(text) && wordByte(text[end+2]) {
			break // A word begins here.
		}
		if n < len(characters) {
			characters[n] = text[end+1]
		}
		n, end = n+1, end+2
	}
	if n > len(characters) || end < len(text) && (wordByte(text[end]) || sep != ' ' && text[end] == sep && end+1 < len(text) && wordByte(text[end+1])) {
		return "", end
	}
	return string(characters[:n]), end
}

// spaceable reports whether a byte may be one of the single characters of a word
// with a separator between each two.
func spaceable(b, sep byte) bool {
	return b > ' ' && b < 0x80 && b != sep && (wordByte(b) || strings.IndexByte(blanks, b) >= 0)
}

// operators are the signs that stand between values, too: "p * s * y".
const operators = "*+-/%&|^~"

// spelled reports whether single characters may spell a word: two of them are
// letters, next to each other where a sign among them may be an operator.
func spelled(run string) bool {
	letters, pairs := 0, 0
	for i := range len(run) {
		if b := run[i] | 0x20; b < 'a' || b > 'z' {
			continue
		}
		letters++
		if i > 0 && run[i-1]|0x20 >= 'a' && run[i-1]|0x20 <= 'z' {
			pairs++
		}
	}
	return len(run) >= shortestRoot && letters > 1 && letters < len(run) && (pairs > 0 || !strings.ContainsAny(run, operators))
}

// maskable reports whether a masked word may begin with a byte: a letter, or
// what is read as one.
func maskable(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '$' || b == '5' || b == '8' || b == '@'
}

func wordByte(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b >= 0x80
}

// unmask returns the grade of the word that a masked one stands for.
func unmask(masked string) string {
	// Punctuation after the word is none of it, if the word is whole without.
	bare := strings.TrimRight(masked, "!?.,+-_~")
	if strings.Trim(strings.ToLower(bare), "abcdefghijklmnopqrstuvwxyz") == "" && len(bare) < len(masked) {
		return "" // nothing is hidden: the sentence ends
	}
	first := masked[0] | 0x20
	if s := standsFor[masked[0]]; s != "" {
		first = s[0]
	}
	for _, w := range maskedWords[first] {
		if hides(masked, w.word) || len(bare) < len(masked) && len(bare) > 3 && hides(bare, w.word) {
			return w.grade
		}
	}
	return ""
}

// hides reports whether masked is word with signs or digits at the place of
// some letters, at least one. A run of asterisks may hide more letters or
// fewer than it has signs, if what is left says enough.
func hides(masked, word string) bool {
	if len(masked) != len(word) {
		return hidesMore(masked, word)
	}
	hidden, shown, kind := 0, 0, byte(0)
	for i := range len(word) {
		b := masked[i]
		switch {
		case b|0x20 == word[i]:
			shown++
		case strings.IndexByte(standsFor[b], word[i]) >= 0:
			hidden, shown = hidden+1, shown+1
		case strings.IndexByte(blanks, b) >= 0:
			// Punctuation hides letters only where it is all of one kind.
			if kind != 0 && kind != b && (strings.IndexByte(punctuation, b) >= 0 || strings.IndexByte(punctuation, kind) >= 0) {
				return false
			}
			hidden, kind = hidden+1, b
		default:
			return false
		}
	}
	if hidden == 0 || shown == 0 || len(word) < 4 {
		return false
	}
	if kind == '.' && hidden >= shown {
		return false
	}
	// One letter alone says enough before asterisks: "f***".
	return shown > 1 || strings.Count(masked, "*") >= 3
}

// hidesMore is hides for a run of asterisks between letters that is longer or
// shorter than what it hides: "f*ck" and "f****ck" are alike.
func hidesMore(masked, word string) bool {
	start := strings.IndexByte(masked, '*')
	end := strings.LastIndexByte(masked, '*') + 1
	if start < 1 || strings.Trim(masked[start:end], "*") != "" || len(masked)-end+start < 2 || len(masked) < 4 {
		return false
	}
	head, tail := strings.ToLower(masked[:start]), strings.ToLower(masked[end:])
	return len(head)+len(tail) < len(word) && strings.HasPrefix(word, head) && strings.HasSuffix(word, tail) && tail != ""
}

var grades = []string{"", "mild", "strong", "slur"}

// rudeWords are the first words of the worst grade in a text.
type rudeWords struct {
	grade  string
	places pieces
}

// add adds a word that is at least as grave as those before.
func (r *rudeWords) add(grade string, start, end int) {
	if worseGrade(r.grade, grade) != r.grade {
		r.grade, r.places = grade, r.places[:0]
	}
	if grade != "" && grade == r.grade {
		r.places.add(eval.Evidence{Input: "text", Kind: grade, Start: start, End: end})
	}
}

// begin tells where phrases begin of which the end is known; those that overlap are one.
// They have no places where those of the text are others.
func (r *rudeWords) begin(lexicon *linear.Phrases, read string, placed bool) {
	ends := r.places
	r.places = nil
	for _, p := range ends {
		p.Start = lexicon.Begin(read, p.End)
		switch last := len(r.places) - 1; {
		case !placed:
		case last >= 0 && p.Start < r.places[last].End:
			r.places[last].End = p.End
		default:
			r.places = append(r.places, p)
		}
	}
}

// rooted adds the first word of a text that has a strong word inside of it.
func (r *rudeWords) rooted(text string) {
	var tokens linear.Tokens
	tokens.Reset(text)
	for tokens.Next() {
		word, kind := tokens.Token()
		if kind == linear.Mark || len(word) < shortestRoot {
			continue
		}
		if grade := profaneRoot(word); grade != "" {
			r.add(grade, tokens.Start(), tokens.End())
			return
		}
	}
}

// worseGrade returns the worse of two grades.
func worseGrade(a, b string) string {
	for i := len(grades) - 1; i > 0; i-- {
		if a == grades[i] || b == grades[i] {
			return grades[i]
		}
	}
	return ""
}
