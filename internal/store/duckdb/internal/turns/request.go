// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"errors"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Request is what one caller wants written, and what became of it.
type Request struct {
	store.Batch
	Bytes    int              // of their texts, about
	Err      error            // what became of it
	Replaced []store.Location // of the records' spans
	// Journalled says that it waits in the journal, which costs little.
	Journalled bool
	done       chan struct{} // closed when err and replaced are known
}

// NewRequest returns a request that is not yet in line.
func NewRequest(b store.Batch) *Request {
	r := Request{Batch: b, done: make(chan struct{})}
	for i := range r.Records {
		r.Bytes += recordBytes(&r.Records[i])
	}
	for i := range r.Messages {
		r.Bytes += attributesBytes(r.Messages[i].Prompts) + attributesBytes(r.Messages[i].Completions)
	}
	for i := range r.Evaluations {
		r.Bytes += evaluationsBytes(r.Evaluations[i].Evaluations)
	}
	return &r
}

// Halves returns two requests that together want what r wants, or r alone if it
// cannot be divided.
func (r *Request) Halves() []*Request {
	if r.Rows() < 2 {
		return []*Request{r}
	}
	n, m, s := (len(r.Records)+1)/2, (len(r.Messages)+1)/2, (len(r.Evaluations)+1)/2
	return []*Request{
		NewRequest(store.Batch{Records: r.Records[:n], Messages: r.Messages[:m], Evaluations: r.Evaluations[:s]}),
		NewRequest(store.Batch{Records: r.Records[n:], Messages: r.Messages[m:], Evaluations: r.Evaluations[s:]}),
	}
}

// parts returns requests that together want what r wants and have about so many bytes at
// most, or r alone where it has no more or cannot be divided.
func (r *Request) parts(bytes int) []*Request {
	if r.Bytes <= bytes {
		return []*Request{r}
	}
	halves := r.Halves()
	if len(halves) == 1 {
		return []*Request{r}
	}
	return append(halves[0].parts(bytes), halves[1].parts(bytes)...)
}

// outcome returns the error of r, which was divided into these parts.
func (r *Request) outcome(parts []*Request) error {
	if parts[0] != r {
		r.Adopt(parts)
	}
	return r.Err
}

// Adopt makes what became of r that of the parts it was divided into.
func (r *Request) Adopt(parts []*Request) {
	r.Err, r.Replaced = nil, nil
	for _, p := range parts {
		r.Replaced = append(r.Replaced, p.Replaced...)
		r.Err = errors.Join(r.Err, p.Err)
	}
}

// What a record and an attribute take beside their texts, about.
const (
	recordOverhead     = 512
	attributeOverhead  = 16
	evaluationOverhead = 96
)

// recordBytes returns how many bytes of memory a record takes, about.
func recordBytes(r *store.Record) int {
	s := &r.Span
	n := recordOverhead + len(s.Input) + len(s.Output) + len(s.StatusMessage) + len(s.TraceState) + len(s.Name)
	n += attributesBytes(s.Resource) + attributesBytes(s.Attributes) + attributesBytes(s.Prompts) + attributesBytes(s.Completions)
	for i := range s.Links {
		n += attributeOverhead + len(s.Links[i].TraceState) + attributesBytes(s.Links[i].Attributes)
	}
	for i := range s.Events {
		n += attributeOverhead + len(s.Events[i].Name) + attributesBytes(s.Events[i].Attributes)
	}
	return n + evaluationsBytes(r.Evaluations)
}

// attributesBytes returns the same of attributes.
func attributesBytes(list span.Attributes) int {
	n := 0
	for i := range list {
		n += attributeOverhead + len(list[i].Key) + len(list[i].Value)
	}
	return n
}

// evaluationsBytes returns the same of evaluations.
func evaluationsBytes(list []eval.Evaluation) int {
	n := 0
	for i := range list {
		n += evaluationOverhead + len(list[i].Reason) + len(list[i].Grounds.Text())
		for _, o := range list[i].Outputs {
			text, _ := o.Value.(string)
			n += attributeOverhead + len(text)
		}
	}
	return n
}
