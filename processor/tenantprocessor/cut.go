// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// cutter shortens values that are longer than most bytes, and counts what only we
// may write.
type cutter struct {
	most   int
	counts metric.Int64Counter // of removed attributes; nil is not counted
}

// forged counts attributes that a client may not write.
func (c *cutter) forged(ctx context.Context, n int) {
	if n > 0 && c.counts != nil {
		c.counts.Add(ctx, int64(n))
	}
}

// attributes shortens what is too long among the values of m, inside lists and
// maps too. Looking costs nothing that is kept.
func (c *cutter) attributes(m pcommon.Map) {
	for _, v := range m.All() {
		c.value(v)
	}
}

// value shortens v, or what is too long inside it.
func (c *cutter) value(v pcommon.Value) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		if s := v.Str(); len(s) > c.most {
			v.SetStr(c.text(s))
		}
	case pcommon.ValueTypeBytes:
		if b := v.Bytes(); b.Len() > c.most {
			v.SetEmptyBytes().FromRaw(b.AsRaw()[:c.most])
		}
	case pcommon.ValueTypeSlice:
		for _, one := range v.Slice().All() {
			c.value(one)
		}
	case pcommon.ValueTypeMap:
		c.attributes(v.Map())
	}
}

// text returns a JSON text with shorter strings and lists, or the beginning of any other, whole
// characters, with a mark that says how long it was.
func (c *cutter) text(s string) string {
	if short, ok := shortJSON(s, c.most); ok {
		return short
	}
	end := mark(len(s))
	return textcut.Bytes(s, c.most-len(end)) + end
}

func mark(length int) string { return fmt.Sprintf(valuetext.CutMark+"%d bytes]", length) }
