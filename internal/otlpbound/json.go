// SPDX-License-Identifier: Apache-2.0

package otlpbound

// JSON reads b, a request in the JSON encoding. It gives what decoding it
// takes, a *Breach of the first limit that it is over, or ErrMalformed.
//
// The grammar is held strictly, names of members without escapes and not empty
// included: the decoder goes on after an error where it happens to be, and
// would take for structure what here is text. What follows the one value of the
// request is not read, there as here.
func (l *Limits) JSON(_ Signal, b []byte) (Cost, error) {
	p := jsonPass{pass: pass{limits: l}, b: b}
	return p.result(p.run())
}

// jsonDepth is the highest number of brackets that are open at once in a
// request that keeps the limits: four for each level of values, and those of an
// exemplar's attribute around them.
const jsonDepth = 4*MaxDepth + 16

// open is an object or a list that has not ended.
type open struct {
	array      bool
	what       member // whose value it is, or in which list it is
	attributes int32  // what an object has so far, its lists' elements
	events     int32
	links      int32
	values     int32 // what a list of values has so far
}

// jsonPass is a pass over JSON. Its stack is part of it, and part of its
// caller's.
type jsonPass struct {
	pass
	b      []byte
	pos    int
	depth  int // open brackets
	values int // arrayValue and kvlistValue among them
	stack  [jsonDepth]open
}

// run reads one value, and gives what is wrong with it.
func (p *jsonPass) run() breach {
	what := memberOther
	p.bytes += layouts[kindRequest].bytes
	for {
		done, br := p.value(what)
		if br != none {
			return br
		}
		// A value has ended, or a bracket has opened: what comes next?
		for {
			if done && p.depth == 0 {
				return none
			}
			top := &p.stack[p.depth-1]
			closed, br := p.more(top, !done)
			if br != none {
				return br
			}
			if !closed {
				break
			}
			p.close(top)
			done = true
		}
		top := &p.stack[p.depth-1]
		if top.array {
			what = top.what
			if br := p.element(); br != none {
				return br
			}
			continue
		}
		if what, br = p.name(); br != none {
			return br
		}
	}
}

// more reads what stands between the values of a bracket: the bracket's end,
// or, unless it has only begun, a comma.
func (p *jsonPass) more(top *open, begun bool) (closed bool, br breach) {
	c, ok := p.token()
	if !ok {
		return false, malformed
	}
	end := byte('}')
	if top.array {
		end = ']'
	}
	switch {
	case c == end:
		p.pos++
		return true, none
	case begun:
		return false, none
	case c != ',':
		return false, malformed
	}
	p.pos++
	return false, none
}

// value reads one value of a member, or the bracket that it begins with.
func (p *jsonPass) value(what member) (done bool, br breach) {
	c, ok := p.token()
	if !ok {
		return false, malformed
	}
	inList := p.depth > 0 && p.stack[p.depth-1].array
	switch c {
	case '{':
		if what.list() && !inList {
			return false, malformed
		}
		p.pos++
		return false, p.openObject(what)
	case '[':
		if what.object() || what.list() && inList {
			return false, malformed
		}
		p.pos++
		return false, p.open(open{array: true, what: what})
	case '"':
		if what.list() || what.object() {
			return false, malformed
		}
		n, br := p.text()
		if br == none {
			br = p.charge(what, n)
		}
		return true, br
	default:
		start := p.pos
		for p.pos < len(p.b) && scalar[p.b[p.pos]] {
			p.pos++
		}
		if p.pos == start || (what.list() || what.object()) && string(p.b[start:p.pos]) != "null" {
			return false, malformed
		}
		p.bytes += bytesText
		return true, none
	}
}

// charge counts the memory of a text of n bytes and holds it against its bound.
func (p *jsonPass) charge(what member, n int) breach {
	p.bytes += int64(n) + bytesText
	switch {
	case what == memberKey && n > p.limits.KeyBytes:
		return keyTooLong
	case what == memberName && n > p.limits.NameBytes:
		return nameTooLong
	}
	return none
}

// openObject begins an object. The attributes of a resource or scope that comes
// twice count together.
func (p *jsonPass) openObject(what member) breach {
	next := open{what: what}
	if what == memberPart && p.depth > 0 {
		next.attributes = p.stack[p.depth-1].attributes
	}
	if what == memberArrayValue || what == memberKvlistValue {
		p.values++
		p.bytes += 2 * bytesText
	}
	if what == memberMetricData {
		p.bytes += layouts[kindNumbers].bytes
	}
	return p.open(next)
}

func (p *jsonPass) open(next open) breach {
	if p.depth == len(p.stack) {
		return tooDeep
	}
	p.stack[p.depth] = next
	p.depth++
	return none
}

// close ends the innermost bracket.
func (p *jsonPass) close(top *open) {
	p.depth--
	if top.array {
		return
	}
	switch top.what {
	case memberArrayValue, memberKvlistValue:
		p.values--
	case memberPart:
		if p.depth > 0 {
			p.stack[p.depth-1].attributes = top.attributes
		}
	}
}

// element counts one more element of the innermost list.
func (p *jsonPass) element() breach {
	list := &p.stack[p.depth-1]
	if p.depth == 1 {
		p.bytes += bytesValue
		return none
	}
	owner := &p.stack[p.depth-2]
	switch list.what {
	case memberGroup:
		p.bytes += bytesPointer + 144
		return p.group()
	case memberMetrics:
		p.bytes += bytesPointer + 112
		return p.group()
	case memberRecords:
		p.bytes += bytesPointer + 256
		return p.record()
	case memberAttributes:
		p.bytes += bytesAttribute
		if owner.attributes++; int(owner.attributes) > p.limits.Attributes {
			return tooManyAttributes
		}
	case memberEvents:
		p.bytes += bytesPointer + 64
		if owner.events++; int(owner.events) > p.limits.Events {
			return tooManyEvents
		}
	case memberLinks:
		p.bytes += bytesPointer + 80
		if owner.links++; int(owner.links) > p.limits.Links {
			return tooManyLinks
		}
	case memberValues:
		return p.listed(owner)
	case memberExemplars:
		p.bytes += layouts[kindExemplar].bytes
	default: // numbers of histograms, or unknown
		p.bytes += bytesText
	}
	return none
}

// listed counts one more value of a list, or of a map.
func (p *jsonPass) listed(owner *open) breach {
	if p.values >= p.limits.Depth {
		return tooDeep
	}
	owner.values++
	if owner.what == memberKvlistValue {
		p.bytes += bytesAttribute
		if int(owner.values) > p.limits.Attributes {
			return tooManyAttributes
		}
		return none
	}
	p.bytes += bytesValue
	if int(owner.values) > p.limits.Values {
		return tooManyValues
	}
	return none
}

// name reads the name of a member and the colon after it.
func (p *jsonPass) name() (member, breach) {
	c, ok := p.token()
	if !ok || c != '"' {
		return 0, malformed
	}
	start := p.pos + 1
	n, br := p.text()
	if br != none {
		return 0, br
	}
	written := p.b[start : p.pos-1]
	for _, c := range written {
		if c == '\\' {
			return 0, malformed
		}
	}
	if c, ok = p.token(); n == 0 || !ok || c != ':' {
		return 0, malformed
	}
	p.pos++
	return memberOf(written), none
}

// token returns the next byte that is no space, and leaves it to be read.
func (p *jsonPass) token() (byte, bool) {
	for p.pos < len(p.b) {
		switch c := p.b[p.pos]; c {
		case ' ', '\n', '\t', '\r':
			p.pos++
		default:
			return c, true
		}
	}
	return 0, false
}
