// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Digest returns a number that differs when the contents of spans do, XXH64 of
// them (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), and the
// buffer for the next call. It is stored, and evaluations say by it what they
// were made of: it must not change from one version to the next. When a span came is
// not part of it, nor what is worked out of the rest: its type, whose it is, and what
// it cost, for which prices may change.
func Digest(buffer []byte, s *span.Span) (uint64, []byte) {
	b := buffer[:0]
	b = append(b, s.ParentSpanID[:]...)
	for _, n := range [...]int64{int64(s.Flags), s.Start, s.Duration, s.InputTokens, s.OutputTokens, s.TotalTokens} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for _, text := range [...]string{
		s.TraceState, s.Name, s.Kind, s.Service, s.ScopeName, s.ScopeVersion, s.StatusCode, s.StatusMessage,
		s.Input, s.Output, s.Workflow, s.Entity, s.Vendor, s.RequestModel, s.ResponseModel,
	} {
		b = appendText(b, text)
	}
	for _, list := range [...]span.Attributes{s.Resource, s.Attributes, s.Prompts, s.Completions} {
		b = appendAttributes(b, list)
	}
	for _, e := range s.Events {
		b = binary.LittleEndian.AppendUint64(appendText(b, e.Name), uint64(e.Time))
		b = appendAttributes(b, e.Attributes)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Links)))
	for i := range s.Links {
		l := &s.Links[i]
		b = appendText(appendText(appendText(b, l.TraceID), l.SpanID), l.TraceState)
		b = binary.LittleEndian.AppendUint32(b, l.Flags)
		b = appendAttributes(b, l.Attributes)
	}
	return xxhash.Sum64(b), b
}

func appendAttributes(b []byte, list span.Attributes) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, a := range list {
		b = appendText(appendText(b, a.Key), a.Value)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
