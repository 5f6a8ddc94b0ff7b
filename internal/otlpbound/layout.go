// SPDX-License-Identifier: Apache-2.0

package otlpbound

// kind is a message of OTLP, or several that are read alike.
// https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto
type kind uint8

const (
	kindRequest kind = iota // traces, logs and metrics begin alike, apart from what is below
	kindLogsRequest
	kindMetricsRequest
	kindResourceSpans
	kindResourceLogs
	kindResourceMetrics
	kindResource
	kindEntity
	kindScopeSpans
	kindScopeLogs
	kindScopeMetrics
	kindScope
	kindSpan
	kindEvent
	kindLink
	kindStatus
	kindLog
	kindMetric
	kindNumbers
	kindHistograms
	kindExponentials
	kindSummaries
	kindNumber
	kindHistogram
	kindExponential
	kindBuckets
	kindSummary
	kindQuantile
	kindExemplar
	kinds
)

// op is what the pass does with a field.
type op uint8

const (
	skip      op = iota // a number, or unknown
	text                // bytes that are kept as they are
	name                // the same, bounded by NameBytes
	attribute           // a KeyValue that counts among its owner's
	value               // an AnyValue
	message             // a message of kind to
	part                // the same, whose attributes count together if it comes twice
	group               // the same, counts as a group
	record              // the same, counts as a record
	event               // the same, counts among its span's
	link                // the same, counts among its span's
	traceID             // 16 bytes, or none
	spanID              // 8 bytes, or none
	fixed               // packed numbers of eight bytes
	varints             // packed numbers of at least one byte
)

type field struct {
	op op
	to kind
}

// fields is how many field numbers a layout knows: no message of OTLP that
// matters here uses higher ones, apart from deprecated.
const fields = 16

// deprecated is the field that older SDKs sent scopes in, which the decoder
// still reads.
const deprecated = 1000

// layout is a message: what memory it takes, and its fields by number.
type layout struct {
	bytes  int64
	fields [fields]field
	old    field // the field deprecated
}

// Memory that the parts of a decoded request take, in bytes: the structs of
// pdata v1.67 with the slice that points at them, which may be twice as long as
// it need be. TestCostCoversMemory holds them against what is measured.
const (
	bytesPointer   = 24 // in a slice that grew
	bytesAttribute = 112
	bytesValue     = 40
	bytesText      = 16
)

var layouts = [kinds]layout{
	kindRequest:        {64, [fields]field{1: {group, kindResourceSpans}}, field{}},
	kindLogsRequest:    {64, [fields]field{1: {group, kindResourceLogs}}, field{}},
	kindMetricsRequest: {64, [fields]field{1: {group, kindResourceMetrics}}, field{}},

	kindResourceSpans:   {bytesPointer + 144, [fields]field{1: {part, kindResource}, 2: {group, kindScopeSpans}, 3: {op: name}}, field{group, kindScopeSpans}},
	kindResourceLogs:    {bytesPointer + 144, [fields]field{1: {part, kindResource}, 2: {group, kindScopeLogs}, 3: {op: name}}, field{group, kindScopeLogs}},
	kindResourceMetrics: {bytesPointer + 144, [fields]field{1: {part, kindResource}, 2: {group, kindScopeMetrics}, 3: {op: name}}, field{group, kindScopeMetrics}},

	kindResource: {0, [fields]field{1: {op: attribute}, 3: {attribute, kindEntity}}, field{}},
	kindEntity:   {bytesPointer + 80, [fields]field{1: {op: name}, 2: {op: name}, 3: {op: name}, 4: {op: name}}, field{}},

	kindScopeSpans:   {bytesPointer + 128, [fields]field{1: {part, kindScope}, 2: {record, kindSpan}, 3: {op: name}}, field{}},
	kindScopeLogs:    {bytesPointer + 128, [fields]field{1: {part, kindScope}, 2: {record, kindLog}, 3: {op: name}}, field{}},
	kindScopeMetrics: {bytesPointer + 128, [fields]field{1: {part, kindScope}, 2: {group, kindMetric}, 3: {op: name}}, field{}},
	kindScope:        {0, [fields]field{1: {op: name}, 2: {op: name}, 3: {op: attribute}}, field{}},

	kindSpan: {bytesPointer + 256, [fields]field{
		1: {op: traceID}, 2: {op: spanID}, 4: {op: spanID},
		3: {op: name}, 5: {op: name}, 9: {op: attribute}, 11: {event, kindEvent}, 13: {link, kindLink}, 15: {message, kindStatus},
	}, field{}},
	kindEvent:  {bytesPointer + 64, [fields]field{2: {op: name}, 3: {op: attribute}}, field{}},
	kindLink:   {bytesPointer + 80, [fields]field{1: {op: traceID}, 2: {op: spanID}, 3: {op: name}, 4: {op: attribute}}, field{}},
	kindStatus: {0, [fields]field{2: {op: text}}, field{}},

	kindLog: {bytesPointer + 160, [fields]field{3: {op: name}, 5: {op: value}, 6: {op: attribute}, 9: {op: traceID}, 10: {op: spanID}, 12: {op: name}}, field{}},

	kindMetric: {bytesPointer + 112, [fields]field{
		1: {op: name}, 2: {op: text}, 3: {op: name}, 5: {message, kindNumbers}, 7: {message, kindNumbers},
		9: {message, kindHistograms}, 10: {message, kindExponentials}, 11: {message, kindSummaries}, 12: {op: attribute},
	}, field{}},
	kindNumbers:      {48, [fields]field{1: {record, kindNumber}}, field{}},
	kindHistograms:   {48, [fields]field{1: {record, kindHistogram}}, field{}},
	kindExponentials: {48, [fields]field{1: {record, kindExponential}}, field{}},
	kindSummaries:    {48, [fields]field{1: {record, kindSummary}}, field{}},
	kindNumber:       {bytesPointer + 112, [fields]field{5: {message, kindExemplar}, 7: {op: attribute}}, field{}},
	kindHistogram:    {bytesPointer + 192, [fields]field{6: {op: fixed}, 7: {op: fixed}, 8: {message, kindExemplar}, 9: {op: attribute}}, field{}},
	kindExponential: {bytesPointer + 240, [fields]field{
		1: {op: attribute}, 8: {message, kindBuckets}, 9: {message, kindBuckets}, 11: {message, kindExemplar},
	}, field{}},
	kindBuckets:  {0, [fields]field{2: {op: varints}}, field{}},
	kindSummary:  {bytesPointer + 112, [fields]field{6: {message, kindQuantile}, 7: {op: attribute}}, field{}},
	kindQuantile: {bytesPointer + 16, [fields]field{}, field{}},
	kindExemplar: {2*80 + 16, [fields]field{7: {op: attribute}}, field{}},
}
