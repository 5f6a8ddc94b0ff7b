// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// spell gives the text of a place in the order of starts: the start in
// nanoseconds, the trace id and the span id, with dots between them.
func spell(p *span.Position) string {
	return strconv.FormatInt(p.Number, 10) + "." + hex.EncodeToString(p.TraceID[:]) + "." + hex.EncodeToString(p.SpanID[:])
}

// unspell gives the place that spell was given; nil, the beginning, for "".
func unspell(text string) (*span.Position, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // it is how queries spell the beginning
	}
	broken := fault.New(fault.Invalid, "the position of the backfill is damaged")
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil, broken
	}
	var p span.Position
	var err error
	if p.Number, err = strconv.ParseInt(parts[0], 10, 64); err != nil {
		return nil, broken
	}
	if !decode(p.TraceID[:], parts[1]) || !decode(p.SpanID[:], parts[2]) || spell(&p) != text {
		return nil, broken
	}
	return &p, nil
}

func decode(into []byte, text string) bool {
	if len(text) != hex.EncodedLen(len(into)) {
		return false
	}
	_, err := hex.Decode(into, []byte(text))
	return err == nil
}
