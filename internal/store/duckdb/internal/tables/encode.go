// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Encoder turns records into rows of one partition.
type Encoder struct {
	tables        Tables
	dictionaries  *Dictionaries
	scratch       []byte
	folds         []fold // of the attributes at hand
	row           SpanRow
	promptIDs     []int64 // of the row's texts
	completionIDs []int64
	evaluated     evaluated
}

// NewEncoder returns an encoder that appends to tables, which are open, what the
// dictionaries of their partition do not know.
func NewEncoder(t Tables, d *Dictionaries) *Encoder { return &Encoder{tables: t, dictionaries: d} }

// Span adds the rows of a record, which gets this seq in the partition; env is the
// code of its environment there, and content the digest of the span.
func (e *Encoder) Span(seq int64, env int32, content uint64, r *store.Record) {
	s := &r.Span
	x := &e.row
	*x = newRow(s)
	x.Seq, x.id, x.content = seq, KeyOf(env, s.TraceID, s.SpanID), int64(content)
	x.originID = e.origin(s)
	x.promptShape, x.completionShape = e.unfolded(s.Prompts), e.unfolded(s.Completions)
	e.promptIDs, e.completionIDs = e.texts(e.promptIDs[:0], env, ofPrompts, s.Prompts), e.texts(e.completionIDs[:0], env, ofCompletions, s.Completions)
	x.promptIDs, x.completionIDs = e.promptIDs, e.completionIDs
	x.attributeShape, x.folds = e.attributes(s), e.folds
	spanColumns.append(e.tables.spans, x)
	for i := range r.Evaluations {
		e.Evaluation(seq, &r.Evaluations[i])
	}
}

// fold says where the value of an attribute is: in one of the lists, or in a
// column.
type fold struct {
	list   int
	column string
}

// attributes returns the id of the shape of the span's attributes, and notes in
// e.folds where each of them is.
func (e *Encoder) attributes(s *span.Span) int32 {
	e.scratch = append(e.scratch[:0], 'a')
	e.folds = e.folds[:0]
	for _, a := range s.Attributes {
		f := fold{list: -1}
		p := semconv.Promotes(a.Key)
		if text, there := s.Promoted(p); there && text == a.Value {
			f.column = promotedColumns[p]
		} else {
			f.list = ListOf(a.Key)
		}
		e.folds = append(e.folds, f)
		e.scratch = appendText(appendText(e.scratch, a.Key), f.column)
	}
	id, fresh := e.dictionaries.shapes.id(e.scratch)
	if fresh {
		e.shape(id, s.Attributes)
	}
	return id
}

// shape describes attributes that are folded as in folds.
func (e *Encoder) shape(id int32, attributes span.Attributes) {
	t := e.tables.shapes
	t.small(id)
	for list := range Lists {
		t.begin()
		for i, a := range attributes {
			if e.folds[i].list == list {
				t.add(a.Key)
			}
		}
		t.done()
	}
	t.begin()
	for i, a := range attributes {
		if e.folds[i].column != "" {
			t.add(a.Key)
		}
	}
	t.done()
	t.begin()
	for _, f := range e.folds {
		if f.column != "" {
			t.add(f.column)
		}
	}
	t.done()
	t.end()
}

// texts appends the ids of the values of messages of an environment.
func (e *Encoder) texts(ids []int64, env int32, kind textKind, list span.Attributes) []int64 {
	for _, a := range list {
		id, fresh := e.dictionaries.texts.id(env, kind, a.Value)
		if fresh {
			prompt, completion := a.Value, ""
			if kind == ofCompletions {
				prompt, completion = completion, prompt
			}
			t := e.tables.texts
			t.int(id)
			t.text(prompt)
			t.text(completion)
			t.end()
		}
		ids = append(ids, id)
	}
	return ids
}

// unfolded returns the shape of a list of attributes that is never folded.
func (e *Encoder) unfolded(list span.Attributes) int32 {
	e.scratch = append(e.scratch[:0], 'm')
	for _, a := range list {
		e.scratch = appendText(e.scratch, a.Key)
	}
	id, fresh := e.dictionaries.shapes.id(e.scratch)
	if fresh {
		e.folds = append(e.folds[:0], make([]fold, len(list))...)
		e.shape(id, list)
	}
	return id
}

func putKeys(t *table, list span.Attributes) {
	t.begin()
	for _, a := range list {
		t.add(a.Key)
	}
	t.done()
}

func putValues(t *table, list span.Attributes) {
	t.begin()
	t.addValues(list)
	t.done()
}

// addValues adds the values of attributes to a list.
func (t *table) addValues(list span.Attributes) {
	for _, a := range list {
		t.add(a.Value)
	}
}

// origin returns the id of the row of what the span shares with others of its
// process.
func (e *Encoder) origin(s *span.Span) int32 {
	common := [...]string{s.Service, s.ScopeName, s.ScopeVersion, s.Kind}
	e.scratch = e.scratch[:0]
	for _, text := range common {
		e.scratch = appendText(e.scratch, text)
	}
	for _, a := range s.Resource {
		e.scratch = appendText(appendText(e.scratch, a.Key), a.Value)
	}
	id, fresh := e.dictionaries.origins.id(e.scratch)
	if fresh {
		t := e.tables.origins
		t.small(id)
		for _, text := range common {
			t.text(text)
		}
		putKeys(t, s.Resource)
		putValues(t, s.Resource)
		t.end()
	}
	return id
}

// Messages adds the row of messages that came apart from their span.
func (e *Encoder) Messages(env int32, m *store.Messages) {
	t := e.tables.messages
	t.small(env)
	t.int(Signed(m.TraceID[:8]))
	t.int(Signed(m.TraceID[8:]))
	t.int(Signed(m.SpanID[:]))
	t.int(m.Time)
	putKeys(t, m.Prompts)
	putValues(t, m.Prompts)
	putKeys(t, m.Completions)
	putValues(t, m.Completions)
	t.end()
}
