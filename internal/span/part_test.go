// SPDX-License-Identifier: Apache-2.0

package span_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestKnownParts(t *testing.T) {
	t.Parallel()
	for _, p := range []span.Part{
		"output", "question", "instructions", "context", "prompts", "completions", "input_messages", "output_messages",
		"messages", "tool_calls", "tool_input", "tool_output", "logprobs", "attribute:reference", "attribute:a:b",
	} {
		require.True(t, p.Known(), p)
	}
	for _, p := range []span.Part{"", "Output", "input", "attribute:", "attribute", "reference"} {
		require.False(t, p.Known(), p)
	}
}

func TestAttributeOfAPart(t *testing.T) {
	t.Parallel()
	name, ok := span.Part("attribute:a:b").Attribute()
	require.True(t, ok)
	require.Equal(t, "a:b", name)
	_, ok = span.PartOutput.Attribute()
	require.False(t, ok)
}
