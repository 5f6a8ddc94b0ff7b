// SPDX-License-Identifier: Apache-2.0

package query

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Field is what a filter looks at.
type Field struct {
	Kind   FieldKind
	Name   string
	Output string // FieldEvaluation and FieldJudged only
}

// Column returns the field of spans that has a column of its own.
func Column(name string) Field { return Field{Kind: FieldColumn, Name: name} }

// TraceField is the trace of a span.
var TraceField = Column("trace_id")

// FieldKind says where a field's value lies.
type FieldKind string

const (
	// FieldColumn: a field of the span itself, Name as the API shows it
	// ("span_name", "duration", …). timestamp and duration are whole
	// milliseconds; the others are text, and exist when not "".
	// The map-valued fields prompts and completions match when any of their
	// values does.
	FieldColumn FieldKind = "column"
	// FieldAlias: a promoted value, Name one of span's Alias constants.
	FieldAlias FieldKind = "alias"
	// FieldMessage: one entry of prompts or completions, Name its full key
	// ("llm.prompts.0.content").
	FieldMessage FieldKind = "message"
	// FieldAttribute: a span attribute, or where the span has none of that
	// name, the resource attribute.
	FieldAttribute FieldKind = "attribute"
	// FieldSpanAttribute and FieldResourceAttribute look in one place only.
	FieldSpanAttribute     FieldKind = "span_attribute"
	FieldResourceAttribute FieldKind = "resource_attribute"
	// FieldEvaluation: the latest verdict of output Output of evaluator Name,
	// whichever setup made it.
	FieldEvaluation FieldKind = "evaluation"
	// FieldJudged: what became of the evaluations of the span, of any status: those
	// of evaluator Name, or of all where that is "". Output is one of the Judged
	// constants; like a map it matches when that of any evaluation does.
	FieldJudged FieldKind = "judged"
	// FieldOutput: a field of the output itself, where outputs are asked for,
	// Name one of the Output constants.
	FieldOutput FieldKind = "output"
)

// Names of FieldOutput. Texts that are "" are absent.
const (
	OutputEvaluator = "evaluator"
	OutputName      = "output"
	OutputSetup     = "setup"
	OutputBackend   = "backend"
	OutputSource    = "source"
	// OutputText, OutputNumber and OutputBool are the value, if it is of that
	// type; others do not have the field. A number that is not finite equals none.
	OutputText   = "text"
	OutputNumber = "number"
	OutputBool   = "bool"
	// OutputMetricSource is Output.MetricSource; there are groups by it, and no filters.
	OutputMetricSource = "metric_source"
)

// Members of FieldJudged. Texts that are "" are absent.
const (
	JudgedStatus  = "status"
	JudgedReason  = "reason"
	JudgedBackend = "backend"
	JudgedSetup   = "setup_id"
	JudgedGood    = "good" // "true" where it speaks for the span, "false" where it speaks against it
	// JudgedTime is when the evaluation ended or, while it is deferred, was deferred
	// first, Unix nanoseconds; only conditions within OpJudged look at it, by operators
	// that are numeric, with the number as decimal digits in Value.
	JudgedTime = "time"
)

// judgedPrefix begins the ids of FieldJudged. What applications send under it is
// removed.
const judgedPrefix = "touchstone.evaluation."

const (
	spanAttributePrefix     = "span_attributes."
	resourceAttributePrefix = "resource_attributes."
)

// ParseField returns what an id addresses: a field of the span, else a promoted
// value, else a message, else a verdict, else an attribute. Its errors are
// Invalid; the caller says which id.
func ParseField(id string) (Field, error) {
	if f, found := span.FieldOf(id); found {
		if f.Keyed {
			return Field{}, fault.New(fault.Invalid, "must name an attribute: %s.<key>", id)
		}
		return fieldOf(f), nil
	}
	if rest, found := strings.CutPrefix(id, judgedPrefix); found {
		return parseJudged(rest)
	}
	if key, found := strings.CutPrefix(id, resourceAttributePrefix); found && key != "" {
		return Field{Kind: FieldResourceAttribute, Name: key}, nil
	}
	if key, found := strings.CutPrefix(id, spanAttributePrefix); found && key != "" {
		return attributeOf(key, FieldSpanAttribute)
	}
	return ParseAttribute(id)
}

// fieldOf returns the field of a filter that looks at one of the span.
func fieldOf(f *span.Field) Field {
	if f.Promoted {
		return Field{Kind: FieldAlias, Name: f.ID}
	}
	return Field{Kind: FieldColumn, Name: f.ID}
}

// ParseAttribute returns what an attribute key addresses. Workflow and entity
// names answer to the keys of both makes of SDK. Errors are those of ParseField.
func ParseAttribute(key string) (Field, error) {
	if f, found := span.FieldOfKey(key); found {
		return fieldOf(f), nil
	}
	return attributeOf(key, FieldAttribute)
}

// attributeOf takes out of the attributes of a kind the keys that are stored
// apart from them: messages and verdicts.
func attributeOf(key string, kind FieldKind) (Field, error) {
	if rest, found := strings.CutPrefix(key, tenant.EvaluationPrefix); found {
		return ParseVerdict(rest)
	}
	if name, found := span.MessageKey(key); found {
		return Field{Kind: FieldMessage, Name: name}, nil
	}
	return Field{Kind: kind, Name: key}, nil
}

// ParseVerdict returns the field of an evaluator's output, given as
// <slug>.<output>, or <source>:<name>.<output> for one that others gave. Errors are those of ParseField.
func ParseVerdict(name string) (Field, error) {
	slug, output, _ := strings.Cut(name, ".")
	if _, _, found := opinion.Source(name); found { // the name of an opinion may have dots
		slug, output = name, ""
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			slug, output = name[:at], name[at+1:]
		}
	}
	if slug == "" || output == "" {
		return Field{}, fault.New(fault.Invalid, "must have the form evaluation.<slug>.<output>")
	}
	return Field{Kind: FieldEvaluation, Name: slug, Output: output}, nil
}

// parseJudged returns the field of evaluations given as [<slug>.]<member>.
func parseJudged(name string) (Field, error) {
	slug, member := "", name
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		slug, member = name[:at], name[at+1:]
	}
	f := Field{Kind: FieldJudged, Name: slug, Output: member}
	if !f.known(Spans) {
		return Field{}, fault.New(fault.Invalid, "must have the form touchstone.evaluation.[<slug>.]status, reason, backend, setup_id or good")
	}
	return f, nil
}

// Text returns what a span has of a field as filters compare it, and whether it has
// it. The fields prompts and completions, of which any entry counts, have none.
func (f Field) Text(s *span.Span) (text string, found bool) { return f.of(s) }
