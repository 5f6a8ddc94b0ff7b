// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// errForm is the error of an entry whose checksum is right and which is none all the same.
var errForm = errors.New("an entry of the journal cannot be understood")

// coder writes values behind one another, or reads them in the same order, so that what an
// entry consists of is said once for both. Where it writes, it changes no value.
type coder struct {
	b       []byte // what was written, or what is left to read
	reading bool
	err     error
}

// appendBatch appends the records and messages of a batch.
func appendBatch(b []byte, batch *store.Batch) []byte {
	c := coder{b: b}
	c.batch(batch)
	return c.b
}

// readBatch reads what appendBatch wrote.
func readBatch(b []byte) (batch store.Batch, err error) {
	c := coder{b: b, reading: true}
	c.batch(&batch)
	if c.err == nil && len(c.b) > 0 {
		c.fail()
	}
	return batch, c.err
}

func (c *coder) fail() { c.b, c.err = nil, errForm }

func (c *coder) batch(b *store.Batch) {
	list(c, &b.Records, c.record)
	list(c, &b.Messages, c.messages)
}

func (c *coder) record(r *store.Record) {
	c.environment(&r.Environment)
	c.span(&r.Span)
	list(c, &r.Evaluations, c.evaluation)
}

// environment leaves out the quota, which the engine does not ask for.
func (c *coder) environment(e *tenant.Environment) {
	text(c, &e.ID)
	text(c, &e.Slug)
	text(c, &e.OrganizationID)
	text(c, &e.ProjectID)
	number(c, &e.Retention)
}

func (c *coder) messages(m *store.Messages) {
	c.environment(&m.Environment)
	c.bytes(m.TraceID[:])
	c.bytes(m.SpanID[:])
	number(c, &m.Time)
	c.attributes(&m.Prompts)
	c.attributes(&m.Completions)
}

func (c *coder) span(s *span.Span) {
	c.bytes(s.TraceID[:])
	c.bytes(s.SpanID[:])
	c.bytes(s.ParentSpanID[:])
	for _, t := range [...]*string{
		&s.Environment, &s.TraceState, &s.Type, &s.Name, &s.Kind, &s.Service, &s.ScopeName, &s.ScopeVersion, &s.StatusCode, &s.StatusMessage,
		&s.Input, &s.Output, &s.Workflow, &s.Entity, &s.Conversation, &s.Session, &s.User, &s.Vendor, &s.RequestModel, &s.ResponseModel,
	} {
		text(c, t)
	}
	for _, n := range [...]*int64{
		&s.Start, &s.Duration, &s.Arrived, &s.InputTokens, &s.OutputTokens, &s.TotalTokens, &s.Cost, &s.InputCost,
	} {
		number(c, n)
	}
	number(c, &s.Flags)
	list(c, &s.Links, c.link)
	c.attributes(&s.Resource)
	c.attributes(&s.Attributes)
	c.attributes(&s.Prompts)
	c.attributes(&s.Completions)
	list(c, &s.Events, c.event)
}

func (c *coder) link(l *span.Link) {
	text(c, &l.TraceID)
	text(c, &l.SpanID)
	text(c, &l.TraceState)
	number(c, &l.Flags)
	c.attributes(&l.Attributes)
}

func (c *coder) event(e *span.Event) {
	text(c, &e.Name)
	number(c, &e.Time)
	c.attributes(&e.Attributes)
}

func (c *coder) attributes(l *span.Attributes) {
	list(c, (*[]span.Attribute)(l), func(a *span.Attribute) {
		text(c, &a.Key)
		text(c, &a.Value)
	})
}

func (c *coder) evaluation(e *eval.Evaluation) {
	text(c, &e.SetupID)
	text(c, &e.Evaluator)
	text(c, &e.Status)
	text(c, &e.Reason)
	list(c, &e.Outputs, c.output)
	text(c, &e.Backend)
	text(c, &e.Version)
	text(c, &e.Model)
	c.truth(&e.Cached)
	number(c, &e.Generation)
	c.float(&e.Probability)
	text(c, &e.Source)
	number(c, &e.Revision)
	c.grounds(e)
	number(c, &e.Usage.PromptTokens)
	number(c, &e.Usage.CompletionTokens)
	c.float(&e.Usage.Cost)
	c.truth(&e.Usage.Unpriced)
	number(c, &e.Attempts)
	number(c, &e.Duration)
	number(c, &e.Time)
	number(c, &e.Due)
}

// grounds codes whether an input was cut, which format 1 has alone there, together with
// whether there are grounds, and these.
func (c *coder) grounds(e *eval.Evaluation) {
	score, reason := e.Grounds.Number(), e.Grounds.Text()
	has := int(0)
	if e.Truncated {
		has = 1
	}
	if reason != "" || e.Grounds.Score != nil {
		has |= 2
	}
	number(c, &has)
	if has&2 != 0 {
		c.float(&score)
		text(c, &reason)
	}
	if c.reading {
		e.Truncated = has&1 != 0
		if has&2 != 0 {
			e.Grounds.SetNumber(score)
			e.Grounds.SetText(reason)
		}
	}
}

// What the value of an output is.
const (
	isText = iota
	isFloat
	isInt
	isTruth
	isNothing
)

func (c *coder) output(o *eval.Output) {
	text(c, &o.Name)
	kind := isNothing
	switch o.Value.(type) {
	case string:
		kind = isText
	case float64:
		kind = isFloat
	case int64:
		kind = isInt
	case bool:
		kind = isTruth
	}
	number(c, &kind)
	switch kind {
	case isText:
		value(o, func(s *string) { text(c, s) })
	case isFloat:
		value(o, c.float)
	case isInt:
		value(o, func(n *int64) { number(c, n) })
	case isTruth:
		value(o, c.truth)
	case isNothing:
	default:
		c.fail()
	}
}

// value hands the value of an output to one who writes it, or reads another.
func value[T any](o *eval.Output, code func(*T)) {
	v, _ := o.Value.(T)
	code(&v)
	o.Value = v
}

func (c *coder) truth(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	number(c, &n)
	*b = n != 0
}

func (c *coder) float(f *float64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(*f))
	c.bytes(b[:])
	*f = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

// bytes codes so many bytes as there are in b.
func (c *coder) bytes(b []byte) {
	if !c.reading {
		c.b = append(c.b, b...)
		return
	}
	if len(c.b) < len(b) {
		c.fail()
		return
	}
	c.b = c.b[copy(b, c.b):]
}

func number[T ~int | ~int64 | ~uint32](c *coder, n *T) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, int64(*n))
		return
	}
	v, size := binary.Varint(c.b)
	if size <= 0 {
		c.fail()
		return
	}
	*n, c.b = T(v), c.b[size:]
}

func text[T ~string](c *coder, s *T) {
	if !c.reading {
		c.b = append(binary.AppendUvarint(c.b, uint64(len(*s))), *s...)
		return
	}
	n := c.length()
	*s, c.b = T(c.b[:n]), c.b[n:]
}

// length reads how many bytes or elements follow, each of which takes a byte at least.
func (c *coder) length() int {
	n, size := binary.Uvarint(c.b)
	if size <= 0 || n > uint64(len(c.b)-size) {
		c.fail()
		return 0
	}
	c.b = c.b[size:]
	return int(n)
}

// list codes the elements of a list; one without elements is read as nil.
func list[T any](c *coder, l *[]T, element func(*T)) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(len(*l)))
		for i := range *l {
			element(&(*l)[i])
		}
		return
	}
	n := c.length()
	for range n {
		var x T
		if element(&x); c.err != nil {
			return
		}
		*l = append(*l, x)
	}
}
