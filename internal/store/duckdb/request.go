// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"errors"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// request is what one caller wants written.
type request struct {
	records     []store.Record
	messages    []store.Messages
	evaluations []store.Evaluated
	bytes       int              // of their texts, about
	err         error            // what became of it
	replaced    []store.Location // of the records' spans
	done        chan struct{}    // closed when err and replaced are known
}

// newRequest returns a request that is not yet in line.
func newRequest(r request) *request {
	r.done = make(chan struct{})
	for i := range r.records {
		r.bytes += recordBytes(&r.records[i])
	}
	for i := range r.messages {
		r.bytes += attributesBytes(r.messages[i].Prompts) + attributesBytes(r.messages[i].Completions)
	}
	for i := range r.evaluations {
		r.bytes += evaluationsBytes(r.evaluations[i].Evaluations)
	}
	return &r
}

// size returns how many rows, about, are to be written.
func (r *request) size() int { return len(r.records) + len(r.messages) + len(r.evaluations) }

// halves returns two requests that together want what r wants, or r alone if it
// cannot be divided.
func (r *request) halves() []*request {
	if r.size() < 2 {
		return []*request{r}
	}
	n, m, s := (len(r.records)+1)/2, (len(r.messages)+1)/2, (len(r.evaluations)+1)/2
	return []*request{
		newRequest(request{records: r.records[:n], messages: r.messages[:m], evaluations: r.evaluations[:s]}),
		newRequest(request{records: r.records[n:], messages: r.messages[m:], evaluations: r.evaluations[s:]}),
	}
}

// adopt makes what became of r that of the parts it was divided into.
func (r *request) adopt(parts []*request) {
	r.err, r.replaced = nil, nil
	for _, p := range parts {
		r.replaced = append(r.replaced, p.replaced...)
		r.err = errors.Join(r.err, p.err)
	}
}

// What a record and an attribute take beside their texts, about.
const (
	recordOverhead     = 512
	attributeOverhead  = 16
	evaluationOverhead = 96
)

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

func attributesBytes(list span.Attributes) int {
	n := 0
	for i := range list {
		n += attributeOverhead + len(list[i].Key) + len(list[i].Value)
	}
	return n
}

func evaluationsBytes(list []eval.Evaluation) int {
	n := 0
	for i := range list {
		n += evaluationOverhead + len(list[i].Reason)
		for _, o := range list[i].Outputs {
			text, _ := o.Value.(string)
			n += attributeOverhead + len(text)
		}
	}
	return n
}
