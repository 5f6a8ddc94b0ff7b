// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// current is the span that is being judged. It is reused.
type current struct {
	view     genai.View
	resource pcommon.Resource
	scope    pcommon.InstrumentationScope
	span     ptrace.Span
	whole    *span.Span // made when it is asked for
	parts    []part     // those that were asked for
	wants    []wanted   // those that were asked about
}

// wanted says of a part whether it is rather found in the rest of the trace.
type wanted struct {
	name span.Part
	is   bool
}

// part is a part of the current span: many evaluators read the same one.
type part struct {
	name span.Part
	text string
	ok   bool
}

var _ monitor.SpanSource = (*current)(nil)

func (c *current) reset(r pcommon.Resource, scope pcommon.InstrumentationScope, s ptrace.Span) {
	c.view.Reset(r, s)
	c.resource, c.scope, c.span, c.whole, c.parts = r, scope, s, nil, c.parts[:0]
	c.wants = c.wants[:0]
}

// Part returns a part of the span's text, and whether the span has it. Verdicts that are
// put on the span meanwhile are in no part.
func (c *current) Part(name span.Part) (string, bool) {
	for i := range c.parts {
		if c.parts[i].name == name {
			return c.parts[i].text, c.parts[i].ok
		}
	}
	text, ok := c.view.Part(name)
	c.parts = append(c.parts, part{name, text, ok})
	return text, ok
}

// Wants reports whether the span leaves a part to the rest of its trace.
func (c *current) Wants(name span.Part) bool {
	for i := range c.wants {
		if c.wants[i].name == name {
			return c.wants[i].is
		}
	}
	is := c.view.Wants(name)
	c.wants = append(c.wants, wanted{name, is})
	return is
}

// SpanAttribute returns an attribute of the span, and whether it is there.
func (c *current) SpanAttribute(key string) (string, bool) { return c.view.SpanAttribute(key) }

// ResourceAttribute returns an attribute of the span's resource, and whether it is there.
func (c *current) ResourceAttribute(key string) (string, bool) { return c.view.ResourceAttribute(key) }

// stored returns the span as it will be stored.
func (c *current) stored() *span.Span {
	if c.whole == nil {
		s := genai.FromOTLP(genai.NewResource(c.resource), c.scope, c.span)
		c.whole = &s
	}
	return c.whole
}
