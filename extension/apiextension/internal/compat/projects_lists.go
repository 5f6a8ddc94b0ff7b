// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// listed are the attributes that clients of these routes read as lists of texts:
// elsewhere every attribute is a text.
var listed = []string{semconv.GenAIFinishReasons.Name(), "llm.response.finish_reasons"}

// withLists returns a span as JSON with those of its attributes that are lists as such.
func withLists(b []byte, s *span.Span) []byte {
	at := bytes.Index(b, []byte(`"span_attributes":{`))
	for _, key := range listed {
		text, has := s.Attributes.Get(key)
		if !has || at < 0 {
			continue
		}
		var list []string
		if json.Unmarshal([]byte(text), &list) != nil || list == nil {
			list = []string{text}
		}
		shown, err := json.Marshal(list)
		if err != nil {
			continue
		}
		member := append(span.AppendQuoted(nil, key), ':')
		b = append(b[:at:at], bytes.Replace(b[at:], span.AppendQuoted(bytes.Clone(member), text), append(member, shown...), 1)...)
	}
	return b
}
