// SPDX-License-Identifier: Apache-2.0

package otlpbound

// member is what a member of an object is by its name, as far as it matters
// here. A name means the same wherever it stands: at worst something unknown is
// counted that the decoder passes over. ("value" and "sum" are numbers in data
// points and are not here for that.)
type member uint8

const (
	memberOther member = iota
	memberKey
	memberName
	memberPart       // a resource or a scope
	memberArrayValue // what an AnyValue is that is a list
	memberKvlistValue
	memberMetricData // a metric's points, by their kind
	memberObject     // any other object
	memberGroup      // resources or scopes, a list as the following
	memberMetrics
	memberRecords // spans, log records or data points
	memberAttributes
	memberEvents
	memberLinks
	memberValues    // of a list or a map
	memberExemplars // or quantiles
)

// list reports whether the decoder reads the member as a list.
func (m member) list() bool { return m >= memberGroup }

// object reports whether the decoder reads the member as an object.
func (m member) object() bool { return m >= memberPart && m <= memberObject }

// memberOf returns what is called name. The decoder knows each in two spellings.
func memberOf(name []byte) member {
	switch string(name) {
	case "key":
		return memberKey
	case "name", "traceState", "trace_state", "schemaUrl", "schema_url", "unit", "severityText", "severity_text",
		"eventName", "event_name":
		return memberName
	case "resource", "scope", "instrumentationLibrary", "instrumentation_library":
		return memberPart
	case "arrayValue", "array_value":
		return memberArrayValue
	case "kvlistValue", "kvlist_value":
		return memberKvlistValue
	case "gauge", "histogram", "exponentialHistogram", "exponential_histogram", "summary":
		return memberMetricData
	case "resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "deprecatedScopeSpans", "deprecated_scope_spans",
		"instrumentationLibrarySpans", "instrumentation_library_spans",
		"resourceLogs", "resource_logs", "scopeLogs", "scope_logs", "deprecatedScopeLogs", "deprecated_scope_logs",
		"instrumentationLibraryLogs", "instrumentation_library_logs",
		"resourceMetrics", "resource_metrics", "scopeMetrics", "scope_metrics", "deprecatedScopeMetrics", "deprecated_scope_metrics",
		"instrumentationLibraryMetrics", "instrumentation_library_metrics":
		return memberGroup
	case "metrics":
		return memberMetrics
	case "spans", "logRecords", "log_records", "dataPoints", "data_points":
		return memberRecords
	case "attributes", "filteredAttributes", "filtered_attributes", "metadata", "entityRefs", "entity_refs":
		return memberAttributes
	case "events":
		return memberEvents
	case "links":
		return memberLinks
	case "exemplars", "quantileValues", "quantile_values":
		return memberExemplars
	case "values":
		return memberValues
	}
	return memberOther
}
