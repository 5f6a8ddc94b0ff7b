// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
)

// A word is masked wherever an SDK puts it.
func TestTextsOfSDKsAreMasked(t *testing.T) {
	t.Parallel()
	m := newTestMasker(NewRule(finds("WORD", genaitest.Said), Mask, false))
	for _, x := range genaitest.SDKSpans(t) {
		traces := ptrace.NewTraces()
		s := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		x.Span.CopyTo(s)
		m.Begin()
		m.LookAtSpan(s)
		m.RewriteSpan(s)
		sent, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
		require.NoError(t, err)
		require.NotContains(t, string(sent), genaitest.Said, x.Name)
	}
}
