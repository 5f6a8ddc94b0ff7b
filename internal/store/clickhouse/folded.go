// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
)

// An attribute that has the whole input or output of its span is a text of a kilobyte or
// more that a column has anyway. It is folded: of the attribute only the key is stored. What
// is so short that the index of attributes has a token of it is not.

// foldedColumn is the column of the keys, as it was added to the table.
const (
	foldedColumn = "folded Array(String)"
	foldedCodec  = "CODEC(ZSTD(1))"
)

// foldedInto returns the column that an attribute may be folded into, "" for most keys. It
// must not change for a key: filters look for the attribute there.
func foldedInto(key string) string {
	switch semconv.Promotes(key) {
	case span.PromotedInput:
		return "input"
	case span.PromotedOutput:
		return "output"
	}
	return ""
}

// folds reports whether an attribute, which is UTF-8, is folded.
func folds(s *span.Span, a *span.Attribute) bool {
	if len(a.Value) <= tokens.Most {
		return false
	}
	switch foldedInto(a.Key) {
	case "input":
		return a.Value == clean(s.Input)
	case "output":
		return a.Value == clean(s.Output)
	}
	return false
}

// foldedKeys returns the keys of the attributes that are folded.
func foldedKeys(r *spanRow) (keys []string) {
	list := cleanAttributes(r.span.Attributes)
	for i := range list {
		if folds(&r.span, &list[i]) {
			keys = append(keys, list[i].Key)
		}
	}
	return keys
}

// unfold adds the attributes that are folded, to a row whose other columns were read.
func unfold(r *spanRow, keys []string) {
	for _, key := range keys {
		text := r.span.Input
		if foldedInto(key) == "output" {
			text = r.span.Output
		}
		r.span.Attributes = r.span.Attributes.With(key, text)
	}
}
