// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// sidecarSpan cleans a span that came with the key of a sidecar: of what only we may
// write it keeps the evaluations, under a name that says where they are from, so that the
// monitor processor holds them against the setups. It returns how many attributes it took
// off that no sidecar writes.
func (c *cutter) sidecarSpan(s ptrace.Span) int {
	attributes := s.Attributes()
	written := 0
	carrier := pcommon.NewByteSlice()
	for key, v := range attributes.All() {
		switch {
		case strings.HasPrefix(key, tenant.EvaluationPrefix):
			written++
		case key == tenant.AttributeEvaluations && v.Type() == pcommon.ValueTypeBytes && carrier.Len() == 0:
			written++
			v.Bytes().MoveTo(carrier)
		}
	}
	forged := c.span(s) - written
	if carrier.Len() > 0 {
		carrier.MoveTo(attributes.PutEmptyBytes(tenant.AttributeSidecar))
	}
	return forged
}

// sidecarStamps returns how many of a resource's attributes are stamps, which sidecars
// write as well.
func sidecarStamps(resource pcommon.Map) int {
	n := 0
	for key := range resource.All() {
		if key == tenant.AttributeEnvironmentID || key == tenant.AttributeMappings {
			n++
		}
	}
	return n
}
