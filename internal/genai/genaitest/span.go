// SPDX-License-Identifier: Apache-2.0

package genaitest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// FromAttributes returns the stored span that has these attributes.
func FromAttributes(t *testing.T, attributes map[string]any) span.Span {
	t.Helper()
	s := ptrace.NewSpan()
	require.NoError(t, s.Attributes().FromRaw(attributes))
	return genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), s)
}
