// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"encoding/binary"
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// encoder turns records into rows of one partition.
type encoder struct {
	tables
	dictionaries *dictionaries
	scratch      []byte
	folds        []fold // of the attributes at hand
}

// span adds the rows of a record.
func (e *encoder) span(seq int64, env int32, content uint64, r *store.Record) error {
	s := &r.Span
	t := e.spans
	t.int(seq)
	t.small(env)
	t.int(s.Start)
	t.int(s.Duration)
	t.int(signed(s.TraceID[:8]))
	t.int(signed(s.TraceID[8:]))
	t.int(signed(s.SpanID[:]))
	t.int(signed(s.ParentSpanID[:]))
	t.int(int64(content))
	t.small(e.origin(s))
	for _, text := range [...]string{
		s.Name, s.StatusCode, s.StatusMessage, s.TraceState,
		s.Workflow, s.Entity, s.Vendor, s.RequestModel, s.ResponseModel,
	} {
		t.text(text)
	}
	t.int(s.InputTokens)
	t.int(s.OutputTokens)
	t.int(s.TotalTokens)
	e.attributes(s)
	e.list(t, s.Prompts)
	e.list(t, s.Completions)
	t.text(s.Input)
	t.text(s.Output)
	events, err := encodeEvents(s.Events)
	if err != nil {
		return err
	}
	t.text(events)
	t.end()
	for i := range r.Evaluations {
		e.evaluation(seq, &r.Evaluations[i])
	}
	return nil
}

// fold says where the value of an attribute is: in one of the lists, or in a
// column.
type fold struct {
	list   int
	column string
}

// attributes adds the shape of the span's attributes and the values that are
// not folded.
func (e *encoder) attributes(s *span.Span) {
	e.scratch = append(e.scratch[:0], 'a')
	e.folds = e.folds[:0]
	for _, a := range s.Attributes {
		f := fold{list: -1}
		p := semconv.Promotes(a.Key)
		if text, there := s.Promoted(p); there && text == a.Value {
			f.column = columns[p]
		} else {
			f.list = listOf(a.Key)
		}
		e.folds = append(e.folds, f)
		e.scratch = appendText(appendText(e.scratch, a.Key), f.column)
	}
	id, fresh := e.dictionaries.shapes.id(e.scratch)
	if fresh {
		e.shape(id, s.Attributes)
	}
	e.spans.small(id)
	for list := range lists {
		e.spans.begin()
		for i, a := range s.Attributes {
			if e.folds[i].list == list {
				e.spans.add(a.Value)
			}
		}
		e.spans.done()
	}
}

// shape describes attributes that are folded as in folds.
func (e *encoder) shape(id int32, attributes span.Attributes) {
	t := e.shapes
	t.small(id)
	for list := range lists {
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

// list adds the shape and the values of attributes that are never folded.
func (e *encoder) list(t *table, list span.Attributes) {
	e.scratch = append(e.scratch[:0], 'm')
	for _, a := range list {
		e.scratch = appendText(e.scratch, a.Key)
	}
	id, fresh := e.dictionaries.shapes.id(e.scratch)
	if fresh {
		e.folds = append(e.folds[:0], make([]fold, len(list))...)
		e.shape(id, list)
	}
	t.small(id)
	values(t, list)
}

func keys(t *table, list span.Attributes) {
	t.begin()
	for _, a := range list {
		t.add(a.Key)
	}
	t.done()
}

func values(t *table, list span.Attributes) {
	t.begin()
	for _, a := range list {
		t.add(a.Value)
	}
	t.done()
}

// origin gives the row of what the span shares with others of its process.
func (e *encoder) origin(s *span.Span) int32 {
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
		t := e.origins
		t.small(id)
		for _, text := range common {
			t.text(text)
		}
		keys(t, s.Resource)
		values(t, s.Resource)
		t.end()
	}
	return id
}

// messages adds the row of messages that came apart from their span.
func (e *encoder) logged(env int32, m *store.Messages) {
	t := e.messages
	t.small(env)
	t.int(signed(m.TraceID[:8]))
	t.int(signed(m.TraceID[8:]))
	t.int(signed(m.SpanID[:]))
	t.int(m.Time)
	keys(t, m.Prompts)
	values(t, m.Prompts)
	keys(t, m.Completions)
	values(t, m.Completions)
	t.end()
}

// signed gives eight bytes as a number that sorts as they do.
func signed(b []byte) int64 {
	return int64(binary.BigEndian.Uint64(b) ^ 1<<63)
}

// unsigned puts a number that signed made back into eight bytes.
func unsigned(b []byte, n int64) {
	binary.BigEndian.PutUint64(b, uint64(n)^1<<63)
}

func encodeEvents(list []span.Event) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}
