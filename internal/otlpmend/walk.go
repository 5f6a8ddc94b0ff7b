// SPDX-License-Identifier: Apache-2.0

package otlpmend

import "bytes"

// walk is one pass over a request. What it replaces must come in order.
type walk struct {
	in     []byte
	pos    int
	out    []byte // what is mended so far, nil if nothing was
	copied int    // how much of in is in out
	mended *Mended
	failed bool // in is no JSON
}

// replace writes b in place of in[from:to].
func (w *walk) replace(from, to int, b []byte, why Reason) {
	if w.out == nil {
		w.out = make([]byte, 0, len(w.in)+64)
	}
	w.out = append(append(w.out, w.in[w.copied:from]...), b...)
	w.copied = to
	w.mended[why]++
}

// member is where the name of the member under way stands, quotes included.
type member struct{ from, to int }

// unread is a name that no message has.
var unread = []byte(`"_"`)

// null is what stands for a value that is absent.
var null = []byte("null")

// omit makes a member one that the decoder passes over.
func (w *walk) omit(m member, why Reason) { w.replace(m.from, m.to, unread, why) }

// peek returns the next byte that is no space, 0 at the end.
func (w *walk) peek() byte {
	for w.pos < len(w.in) {
		switch c := w.in[w.pos]; c {
		case ' ', '\n', '\t', '\r':
			w.pos++
		default:
			return c
		}
	}
	return 0
}

// take reads the byte c, or fails.
func (w *walk) take(c byte) bool {
	if w.peek() != c {
		w.failed = true
		return false
	}
	w.pos++
	return true
}

// list reads what stands between an opening bracket and its end, by calling
// each for what stands between commas.
func (w *walk) list(open, end byte, each func()) {
	if !w.take(open) {
		return
	}
	if w.peek() == end {
		w.pos++
		return
	}
	for {
		each()
		if w.failed {
			return
		}
		if c := w.peek(); c == end {
			w.pos++
			return
		} else if c != ',' {
			w.failed = true
			return
		}
		w.pos++
	}
}

// object reads a message.
func (w *walk) object(m *message) {
	w.list('{', '}', func() {
		name := member{}
		w.peek()
		name.from = w.pos
		written, ok := w.quoted()
		if !ok || !w.take(':') {
			w.failed = true
			return
		}
		name.to = name.from + len(written) + 2
		w.peek()
		f, known := m.fieldOf(written)
		if !known {
			w.pass()
			return
		}
		w.field(name, f)
	})
}

// quoted reads a text, and returns what stands between its quotes as it is written.
func (w *walk) quoted() ([]byte, bool) {
	if w.pos >= len(w.in) || w.in[w.pos] != '"' {
		return nil, false
	}
	start := w.pos + 1
	for at := start; ; {
		i := bytes.IndexByte(w.in[at:], '"')
		if i < 0 {
			return nil, false
		}
		end := at + i
		slashes := 0
		for end-slashes > start && w.in[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			w.pos = end + 1
			return w.in[start:end], true
		}
		at = end + 1
	}
}

// scalar reads what is neither text nor bracket.
func (w *walk) scalar() []byte {
	start := w.pos
	for w.pos < len(w.in) {
		switch w.in[w.pos] {
		case ',', '}', ']', ' ', '\n', '\t', '\r', ':', '"', '{', '[':
			return w.in[start:w.pos]
		}
		w.pos++
	}
	return w.in[start:w.pos]
}

// pass reads a value that the decoder will pass over, and mends what it cannot
// even do that with: numbers that JSON has not.
func (w *walk) pass() {
	w.value(func(from int, scalar []byte) {
		switch string(scalar) {
		case "true", "false", "null":
			return
		}
		if v := floating(string(scalar), false, true); v.absent || v.value != nil {
			w.replace(from, w.pos, null, v.reason)
		}
	})
}

// skip reads a value that is replaced afterwards.
func (w *walk) skip() { w.value(func(int, []byte) {}) }

// value reads a value whatever it is, and calls each for every scalar in it.
func (w *walk) value(each func(from int, scalar []byte)) {
	depth := 0
	for {
		switch c := w.peek(); c {
		case 0:
			w.failed = true
			return
		case '{', '[':
			depth++
			w.pos++
		case '}', ']':
			depth--
			w.pos++
		case ',', ':':
			w.pos++
		case '"':
			if _, ok := w.quoted(); !ok {
				w.failed = true
				return
			}
		default:
			from := w.pos
			each(from, w.scalar())
			if w.pos == from {
				w.failed = true
				return
			}
		}
		if depth < 0 {
			w.failed = true
			return
		}
		if depth == 0 {
			return
		}
	}
}
