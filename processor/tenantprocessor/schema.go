// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import "go.opentelemetry.io/collector/pdata/pcommon"

// Attributes that keep the schema URL of a scope, on its spans, and of a resource.
// The first is named like otel.scope.name:
// https://opentelemetry.io/docs/specs/otel/common/mapping-to-non-otlp/
const (
	scopeSchema    = "otel.scope.schema_url"
	resourceSchema = "otel.resource.schema_url"
)

// keepSchema writes a schema URL as an attribute, if there is one: who selects,
// stores and shows spans knows attributes only.
func keepSchema(m pcommon.Map, key, url string) {
	if url != "" {
		m.PutStr(key, url)
	}
}
