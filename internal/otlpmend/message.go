// SPDX-License-Identifier: Apache-2.0

package otlpmend

import (
	"bytes"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
)

// form is how the value of a field is written.
type form uint8

const (
	text form = iota
	boolean
	int32s
	uint32s
	int64s
	uint64s
	double
	bytes64 // bytes, in base64
	id      // bytes, in hexadecimal
	enum
	object  // a message
	objects // a list of messages
	numbers // a list of numbers
)

// field is a member of a message.
type field struct {
	form form
	to   *message         // of object and objects
	of   form             // of numbers
	size int              // of an id, in bytes
	enum map[string]int32 // without prefix
	trim string           // the prefix of the enum's names
	real string           // the member that a number which is no integer belongs to, "" if none
	name string           // the member's present name, "" if that is what it has
}

// message is a message of OTLP: its fields by their names. A field that is not
// here is one that the decoder does not know, or that it reads in every form.
// https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto
type message map[string]field

var requests [3]*message

// The enums, by names without their prefix.
// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
var (
	spanKinds   = map[string]int32{"UNSPECIFIED": 0, "INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
	statusCodes = map[string]int32{"UNSET": 0, "OK": 1, "ERROR": 2}
	temporality = map[string]int32{"UNSPECIFIED": 0, "DELTA": 1, "CUMULATIVE": 2}
	severities  = map[string]int32{
		"UNSPECIFIED": 0, "TRACE": 1, "TRACE2": 2, "TRACE3": 3, "TRACE4": 4, "DEBUG": 5, "DEBUG2": 6, "DEBUG3": 7, "DEBUG4": 8,
		"INFO": 9, "INFO2": 10, "INFO3": 11, "INFO4": 12, "WARN": 13, "WARN2": 14, "WARN3": 15, "WARN4": 16,
		"ERROR": 17, "ERROR2": 18, "ERROR3": 19, "ERROR4": 20, "FATAL": 21, "FATAL2": 22, "FATAL3": 23, "FATAL4": 24,
	}
)

// The messages refer to one another.
func init() {
	value := &message{}
	attribute := &message{"key": {form: text}, "value": {form: object, to: value}}
	attributes := field{form: objects, to: attribute}
	*value = message{
		"stringValue": {form: text}, "boolValue": {form: boolean}, "intValue": {form: int64s, real: "doubleValue"}, "doubleValue": {form: double},
		"bytesValue":  {form: bytes64},
		"arrayValue":  {form: object, to: &message{"values": {form: objects, to: value}}},
		"kvlistValue": {form: object, to: &message{"values": attributes}},
	}
	scope := &message{"name": {form: text}, "version": {form: text}, "attributes": attributes, "droppedAttributesCount": {form: uint32s}}
	resource := &message{"attributes": attributes, "droppedAttributesCount": {form: uint32s}}

	trace, span := field{form: id, size: 16}, field{form: id, size: 8}
	time := field{form: uint64s}
	event := &message{"timeUnixNano": time, "name": {form: text}, "attributes": attributes, "droppedAttributesCount": {form: uint32s}}
	link := &message{
		"traceId": trace, "spanId": span, "traceState": {form: text}, "attributes": attributes,
		"droppedAttributesCount": {form: uint32s}, "flags": {form: uint32s},
	}
	status := &message{"message": {form: text}, "code": {form: enum, enum: statusCodes, trim: "STATUS_CODE_"}}
	spans := &message{
		"traceId": trace, "spanId": span, "traceState": {form: text}, "parentSpanId": span, "flags": {form: uint32s},
		"name": {form: text}, "kind": {form: enum, enum: spanKinds, trim: "SPAN_KIND_"},
		"startTimeUnixNano": time, "endTimeUnixNano": time, "attributes": attributes, "droppedAttributesCount": {form: uint32s},
		"events": {form: objects, to: event}, "droppedEventsCount": {form: uint32s},
		"links": {form: objects, to: link}, "droppedLinksCount": {form: uint32s}, "status": {form: object, to: status},
	}
	requests[otlpbound.Traces] = request("Spans", "spans", spans, resource, scope)

	record := &message{
		"timeUnixNano": time, "observedTimeUnixNano": time,
		"severityNumber": {form: enum, enum: severities, trim: "SEVERITY_NUMBER_"}, "severityText": {form: text},
		"body": {form: object, to: value}, "attributes": attributes, "droppedAttributesCount": {form: uint32s},
		"flags": {form: uint32s}, "traceId": trace, "spanId": span, "eventName": {form: text},
	}
	requests[otlpbound.Logs] = request("Logs", "logRecords", record, resource, scope)
	requests[otlpbound.Metrics] = request("Metrics", "metrics", metric(attributes, trace, span), resource, scope)
}

// request returns the message of a request whose records stand in groups by
// resource and scope. Scopes were instrumentation libraries before OTLP 0.15.
// https://github.com/open-telemetry/opentelemetry-proto/blob/main/CHANGELOG.md
func request(signal, records string, record, resource, scope *message) *message {
	scopes := &message{
		"scope": {form: object, to: scope}, "instrumentationLibrary": {form: object, to: scope, name: "scope"},
		records: {form: objects, to: record}, "schemaUrl": {form: text},
	}
	group := &message{
		"resource": {form: object, to: resource}, "schemaUrl": {form: text},
		"scope" + signal:                  {form: objects, to: scopes},
		"instrumentationLibrary" + signal: {form: objects, to: scopes, name: "scope" + signal},
	}
	return &message{"resource" + signal: {form: objects, to: group}}
}

// metric returns the message of a metric.
// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
func metric(attributes, trace, span field) *message {
	exemplar := &message{
		"filteredAttributes": attributes, "timeUnixNano": {form: uint64s}, "asDouble": {form: double}, "asInt": {form: int64s, real: "asDouble"},
		"traceId": trace, "spanId": span,
	}
	point := func(more message) field {
		all := message{
			"attributes": attributes, "startTimeUnixNano": {form: uint64s}, "timeUnixNano": {form: uint64s}, "flags": {form: uint32s},
			"exemplars": {form: objects, to: exemplar},
		}
		for name, f := range more {
			all[name] = f
		}
		return field{form: objects, to: &all}
	}
	kind := field{form: enum, enum: temporality, trim: "AGGREGATION_TEMPORALITY_"}
	number := point(message{"asDouble": {form: double}, "asInt": {form: int64s, real: "asDouble"}})
	count, sum := field{form: uint64s}, field{form: double}
	buckets := field{form: object, to: &message{"offset": {form: int32s}, "bucketCounts": {form: numbers, of: uint64s}}}
	return &message{
		"name": {form: text}, "description": {form: text}, "unit": {form: text}, "metadata": attributes,
		"gauge": {form: object, to: &message{"dataPoints": number}},
		"sum":   {form: object, to: &message{"dataPoints": number, "aggregationTemporality": kind, "isMonotonic": {form: boolean}}},
		"histogram": {form: object, to: &message{"aggregationTemporality": kind, "dataPoints": point(message{
			"count": count, "sum": sum, "min": sum, "max": sum,
			"bucketCounts": {form: numbers, of: uint64s}, "explicitBounds": {form: numbers, of: double},
		})}},
		"exponentialHistogram": {form: object, to: &message{"aggregationTemporality": kind, "dataPoints": point(message{
			"count": count, "sum": sum, "min": sum, "max": sum, "scale": {form: int32s}, "zeroCount": count, "zeroThreshold": sum,
			"positive": buckets, "negative": buckets,
		})}},
		"summary": {form: object, to: &message{"dataPoints": point(message{
			"count": count, "sum": sum,
			"quantileValues": {form: objects, to: &message{"quantile": {form: double}, "value": {form: double}}},
		})}},
	}
}

// fieldOf returns the field that a member is, by its name in either spelling: no other
// is read by the decoder, nor bounded before.
func (m *message) fieldOf(name []byte) (field, bool) {
	if f, ok := (*m)[string(name)]; ok {
		return f, true
	}
	written, ok := camel(name)
	if !ok {
		return field{}, false
	}
	f, ok := (*m)[written]
	return f, ok
}

// camel returns a name in snake_case in lowerCamelCase, false if it is not the one
// spelling that it has in snake_case.
func camel(name []byte) (string, bool) {
	if !bytes.ContainsRune(name, '_') {
		return "", false
	}
	out := make([]byte, 0, len(name))
	up := false
	for _, c := range name {
		switch {
		case c == '_' && !up && len(out) > 0:
			up = true
		case 'a' <= c && c <= 'z' && up:
			out, up = append(out, c-'a'+'A'), false
		case ('a' <= c && c <= 'z' || '0' <= c && c <= '9') && !up:
			out = append(out, c)
		default:
			return "", false
		}
	}
	return string(out), !up
}
