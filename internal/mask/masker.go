// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

const (
	// maxDepth is how deep JSON is looked for in the strings of JSON.
	maxDepth = 8
	// minValue is how long what was found must be, in bytes, to be sought in the texts in
	// which it was not found: a shorter one stands there by chance.
	minValue = 6
	// maxKnown is how many texts are known to a masker between two records.
	maxKnown = 4096
)

// Masker looks for what rules find in the texts of records, one after the other, and writes
// them again. It is for one goroutine.
type Masker struct {
	ctx    context.Context //nolint:containedctx // of the one call that the masker lives for
	rules  []*Rule
	key    []byte
	budget *Budget

	known  map[string]*found // of texts that were looked at
	values map[string]piece  // that were found in the record
	all    *strings.Replacer // of these values; nil before it is made and without any
	hit    map[*Rule]bool    // the rules that found something in the record
	missed map[*Rule]bool    // those that could not search a text of it
	done   doings            // to the text that is rewritten
	tally  Tally
}

// doings are what is done to one text.
type doings struct{ masked, hashed, notSearched bool }

func (d *doings) add(e Effect) {
	d.masked = d.masked || e == Mask
	d.hashed = d.hashed || e == Hash
}

// found is what rules found in one text.
type found struct {
	pieces []piece // in order, without overlaps
	hit    []*Rule // that found them
	missed []*Rule // that did not come to the end of the text
	// whole says that the text is not to stay, since one of them missed something.
	whole bool
}

// NewMasker makes a masker for rules. Without a key, what is to be hashed is masked. The
// budget is shared with other maskers.
func NewMasker(ctx context.Context, rules []*Rule, key []byte, budget *Budget) *Masker {
	return &Masker{ctx: ctx, rules: rules, key: key, budget: budget, known: map[string]*found{}, values: map[string]piece{}, hit: map[*Rule]bool{}, missed: map[*Rule]bool{}}
}

// Begin goes over to another record.
func (m *Masker) Begin() {
	if len(m.known) > maxKnown {
		clear(m.known)
	}
	clear(m.values)
	clear(m.hit)
	clear(m.missed)
	m.all = nil
}

// Hit reports whether a rule found something in the texts of the record that were looked at.
func (m *Masker) Hit(r *Rule) bool { return m.hit[r] }

// Missed reports whether a rule did not come to the end of a text of the record.
func (m *Masker) Missed(r *Rule) bool { return m.missed[r] }

// Changes reports whether the record is to be rewritten.
func (m *Masker) Changes() bool { return len(m.hit) > 0 || len(m.missed) > 0 || len(m.values) > 0 }

// Tally returns what was done to texts so far.
func (m *Masker) Tally() Tally { return m.tally }

// Values has another masker seek what was found in this one's record.
func (m *Masker) Values(into *Masker) {
	for text, p := range m.values {
		into.value(text, p)
	}
}

// look searches a text and what is in it, and notes what is found.
func (m *Masker) look(text string) { m.lookAt(text, 0) }

func (m *Masker) lookAt(text string, depth int) {
	if text == "" {
		return
	}
	f := m.search(text)
	for _, r := range f.hit {
		m.hit[r] = true
	}
	for _, r := range f.missed {
		m.missed[r] = true
	}
	if f.whole {
		return
	}
	list, isJSON := m.inside(text, depth)
	for _, p := range f.pieces {
		// Of JSON, what is found may go beyond a string and is sought in the others as far
		// as it is in this one.
		if value := text[p.start:p.end]; !isJSON || !strings.ContainsAny(value, `"\`) {
			m.value(value, p)
		}
	}
	for _, t := range list {
		if !t.number {
			m.lookAt(unquoted(text[t.start:t.end]), depth+1)
		}
	}
}

// inside returns the strings and numbers of a text that is JSON.
func (m *Masker) inside(text string, depth int) ([]token, bool) {
	if depth >= maxDepth {
		return nil, false
	}
	return tokens(text)
}

// value notes what was found, to be sought in other texts.
func (m *Masker) value(text string, p piece) {
	if len(text) < minValue {
		return
	}
	if known, ok := m.values[text]; ok {
		p.effect = min(p.effect, known.effect)
	}
	m.values[text], m.all = p, nil
}

// search returns what the rules find in a text by itself.
func (m *Masker) search(text string) *found {
	if f, ok := m.known[text]; ok {
		return f
	}
	f := &found{}
	for _, r := range m.rules {
		pieces, err := m.timed(r, text)
		for _, p := range pieces {
			if len(m.key) == 0 {
				p.effect = Mask
			}
			f.pieces = append(f.pieces, p)
		}
		if len(pieces) > 0 {
			f.hit = append(f.hit, r)
		}
		if err != nil {
			f.missed, f.whole = append(f.missed, r), f.whole || !r.keep
		}
	}
	f.pieces = joined(f.pieces)
	m.known[text] = f
	return f
}

// timed searches while there is time.
func (m *Masker) timed(r *Rule, text string) ([]piece, error) {
	if r.isClean(text) {
		return nil, nil
	}
	if m.budget.Left <= 0 {
		return nil, context.DeadlineExceeded
	}
	start := time.Now()
	pieces, err := r.search(m.ctx, text)
	m.budget.Left -= time.Since(start)
	return pieces, err
}

// rewrite returns a text without what was found in it by itself, and in the record.
func (m *Masker) rewrite(text string) string {
	if text == "" {
		return ""
	}
	m.done = doings{}
	made := m.rewritten(text, nil, 0)
	switch {
	case made == text:
	case m.done.notSearched:
		m.tally.NotSearched++
	case m.done.masked:
		m.tally.Masked++
	default:
		m.tally.Hashed++
	}
	return made
}

// rewritten is rewrite for a text in which pieces were found from outside.
func (m *Masker) rewritten(text string, outer []piece, depth int) string {
	f := m.search(text)
	list, isJSON := m.inside(text, depth)
	if f.whole {
		m.done.notSearched = true
		if isJSON {
			return quoted(notSearched)
		}
		return notSearched
	}
	pieces := f.pieces
	if len(outer) > 0 {
		pieces = joined(slices.Concat(outer, pieces))
	}
	var b strings.Builder
	done := 0
	if !isJSON {
		for _, p := range pieces {
			b.WriteString(m.others(text[done:p.start]))
			b.WriteString(m.marked(p, text[p.start:p.end]))
			done = p.end
		}
		b.WriteString(m.others(text[done:]))
		return b.String()
	}
	for _, t := range list {
		raw := text[t.start:t.end]
		inner := within(pieces, t.start, t.end)
		made := raw
		switch {
		case t.name: // what was found across members does not change what they are called
			made = m.string(raw, nil, depth)
		case !t.number:
			made = m.string(raw, projected(inner, text, t), depth)
		case len(inner) > 0:
			made = quoted(m.marked(inner[0], raw))
		default:
			if other := m.others(raw); other != raw {
				made = quoted(other)
			}
		}
		b.WriteString(text[done:t.start])
		b.WriteString(made)
		done = t.end
	}
	b.WriteString(text[done:])
	return b.String()
}

// string is rewritten for a JSON string.
func (m *Masker) string(raw string, outer []piece, depth int) string {
	text := unquoted(raw)
	if text == "" {
		return raw
	}
	if made := m.rewritten(text, outer, depth+1); made != text {
		return quoted(made)
	}
	return raw
}

// marked returns what stands in place of what was found.
func (m *Masker) marked(p piece, text string) string {
	m.done.add(p.effect)
	return mark(p.kind, p.effect, m.key, text)
}

// others returns a text in which nothing was found by itself without what was found in
// other texts of the record.
func (m *Masker) others(text string) string {
	if len(text) < minValue || len(m.values) == 0 {
		return text
	}
	if m.all == nil {
		m.all = m.replacer()
	}
	made := m.all.Replace(text)
	if count := func(text string) int { return strings.Count(text, markedBegins) }; count(made) > count(text) {
		m.done.add(Mask)
	} else if made != text {
		m.done.add(Hash)
	}
	return made
}

// replacer makes what replaces all values, the longer ones before those that they begin
// with.
func (m *Masker) replacer() *strings.Replacer {
	values := make([]string, 0, len(m.values))
	for text := range m.values {
		values = append(values, text)
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(values))
	for _, text := range values {
		p := m.values[text]
		pairs = append(pairs, text, mark(p.kind, p.effect, m.key, text))
	}
	return strings.NewReplacer(pairs...)
}
