// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// LogMessages are prompts and completions of one span that came as log
// records, apart from it.
type LogMessages struct {
	TraceID span.TraceID
	SpanID  span.ID
	// Time is that of the earliest record, Unix nanoseconds.
	Time        int64
	Prompts     span.Attributes
	Completions span.Attributes
}

// MessagesFromLogs returns the messages among the log records of one resource,
// one entry per span, in the order in which spans first occur. Records that
// name no span or hold no message yield nothing.
//
// Prompts are numbered from 0 in the order of their time, those of one time in
// the order sent; completions by the index that they carry. The numbers depend
// on the records at hand only, so a repeated request gives equal messages, and
// prompts and completions that come in different requests join. Prompts of one
// span that are torn apart by the sender's batching share numbers; there the
// later request counts.
func MessagesFromLogs(logs plog.ResourceLogs) []LogMessages {
	var spans []spanRecords
	at := map[spanKey]int{}
	for _, scope := range logs.ScopeLogs().All() {
		for _, record := range scope.LogRecords().All() {
			key := spanKey{trace: span.TraceID(record.TraceID()), span: span.ID(record.SpanID())}
			if key.trace == (span.TraceID{}) || key.span == (span.ID{}) || !TellsMessages(record) {
				continue
			}
			name := EventName(record)
			if !tellsMessages(name) {
				name = ""
			}
			i, known := at[key]
			if !known {
				i = len(spans)
				at[key] = i
				spans = append(spans, spanRecords{key: key})
			}
			spans[i].records = append(spans[i].records, messageRecord{
				time:  RecordTime(record),
				event: messageEvent{name: name, body: valuetext.Of(record.Body()), attributes: attributesOf(record.Attributes())},
			})
		}
	}

	var found []LogMessages
	for i := range spans {
		if m := spans[i].messages(); len(m.Prompts)+len(m.Completions) > 0 {
			found = append(found, m)
		}
	}
	return found
}

type spanKey struct {
	trace span.TraceID
	span  span.ID
}

type messageRecord struct {
	time  int64
	event messageEvent
}

// spanRecords are the records of one span.
type spanRecords struct {
	key     spanKey
	records []messageRecord
}

// messages reads the records. One that tells everything at once counts before
// those that tell one message each.
func (s *spanRecords) messages() LogMessages {
	slices.SortStableFunc(s.records, func(a, b messageRecord) int { return cmp.Compare(a.time, b.time) })
	m := LogMessages{TraceID: s.key.trace, SpanID: s.key.span, Time: s.records[0].time}
	var single []messageEvent
	for _, r := range s.records {
		if !r.event.whole() {
			single = append(single, r.event)
		}
	}
	asked, answered := dividedEvents(single)
	m.Prompts = s.gather(promptKeys, asked, (*messageList).addPromptEvent)
	m.Completions = s.gather(completionKeys, answered, (*messageList).addCompletionEvent)
	return m
}

// whole reports whether a record tells everything at once.
func (e *messageEvent) whole() bool { return e.name == detailsEvent || e.name == "" }

func (s *spanRecords) gather(keys *keyTable, single []messageEvent, add func(*messageList, messageEvent)) span.Attributes {
	// Of several that tell everything, the last does so best.
	for _, r := range slices.Backward(s.records) {
		if r.event.whole() {
			l := &messageList{keys: keys}
			if add(l, r.event); len(l.list) > 0 {
				return span.NewAttributes(l.list)
			}
		}
	}
	l := &messageList{keys: keys}
	for _, e := range single {
		add(l, e)
	}
	if len(l.list) == 0 {
		return nil
	}
	return span.NewAttributes(l.list)
}

// EventName returns the record's name, which older SDKs send as an attribute.
func EventName(r plog.LogRecord) string {
	if name := r.EventName(); name != "" {
		return name
	}
	if v, ok := r.Attributes().Get("event.name"); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

// TellsMessages reports whether a log record is one of those that hold messages.
func TellsMessages(r plog.LogRecord) bool { return tellsMessages(EventName(r)) || tellsAll(r.Body()) }

// tellsAll reports whether the body of a record is all that was said.
func tellsAll(body pcommon.Value) bool {
	if body.Type() != pcommon.ValueTypeMap {
		return false
	}
	for _, side := range [...]string{"input", "output"} {
		if v, ok := body.Map().Get(side); ok && v.Type() == pcommon.ValueTypeMap {
			if list, ok := v.Map().Get("messages"); ok && list.Type() == pcommon.ValueTypeSlice {
				return true
			}
		}
	}
	return false
}

func tellsMessages(name string) bool {
	switch name {
	case systemEvent, userEvent, assistantEvent, toolEvent, choiceEvent, promptEvent, completionEvent, detailsEvent, inputEvent, outputEvent:
		return true
	}
	return false
}

// RecordTime returns when what a log record tells happened, Unix nanoseconds.
func RecordTime(r plog.LogRecord) int64 {
	if t := ClampTime(uint64(r.Timestamp())); t != 0 {
		return t
	}
	return ClampTime(uint64(r.ObservedTimestamp()))
}
