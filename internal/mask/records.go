// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Resourced has the resource of records: ptrace.ResourceSpans, plog.ResourceLogs.
type Resourced interface {
	Resource() pcommon.Resource
	SchemaUrl() string
	SetSchemaUrl(string)
}

// Scoped has the scope of records: ptrace.ScopeSpans, plog.ScopeLogs.
type Scoped interface {
	Scope() pcommon.InstrumentationScope
	SchemaUrl() string
	SetSchemaUrl(string)
}

// LookAtOrigin looks at the texts of the resource and the scope of a record.
func (m *Masker) LookAtOrigin(r Resourced, s Scoped) {
	m.looking().resource(r)
	m.looking().scope(s)
}

// RewriteResource writes those of a resource again.
func (m *Masker) RewriteResource(r Resourced) { visitor(m.rewrite).resource(r) }

// RewriteScope writes those of a scope again.
func (m *Masker) RewriteScope(s Scoped) { visitor(m.rewrite).scope(s) }

func (v visitor) resource(r Resourced) {
	v.attributes(r.Resource().Attributes())
	v.set(r.SchemaUrl(), r.SetSchemaUrl)
}

func (v visitor) scope(s Scoped) {
	scope := s.Scope()
	v.attributes(scope.Attributes())
	v.set(scope.Name(), scope.SetName)
	v.set(scope.Version(), scope.SetVersion)
	v.set(s.SchemaUrl(), s.SetSchemaUrl)
}

// LookAtSpan looks at the texts of a span.
func (m *Masker) LookAtSpan(s ptrace.Span) { m.looking().span(s) }

// RewriteSpan writes them again.
func (m *Masker) RewriteSpan(s ptrace.Span) { visitor(m.rewrite).span(s) }

func (v visitor) span(s ptrace.Span) {
	v.set(s.Name(), s.SetName)
	v.set(s.Status().Message(), s.Status().SetMessage)
	v.traceState(s.TraceState())
	v.attributes(s.Attributes())
	for _, e := range s.Events().All() {
		v.set(e.Name(), e.SetName)
		v.attributes(e.Attributes())
	}
	for _, l := range s.Links().All() {
		v.traceState(l.TraceState())
		v.attributes(l.Attributes())
	}
}

// traceState visits the members of a trace state one by one, but for that of
// OpenTelemetry's sampling, which is random by design.
// https://opentelemetry.io/docs/specs/otel/trace/tracestate-handling/
func (v visitor) traceState(s pcommon.TraceState) {
	if s.AsRaw() == "" {
		return
	}
	members := strings.Split(s.AsRaw(), ",")
	changed := false
	for i, member := range members {
		if strings.HasPrefix(strings.TrimLeft(member, " \t"), "ot=") {
			continue
		}
		made := v(member)
		changed = changed || made != member
		members[i] = made
	}
	if changed {
		s.FromRaw(strings.Join(members, ","))
	}
}

// LookAtLog looks at the texts of a log record.
func (m *Masker) LookAtLog(r plog.LogRecord) { m.looking().log(r) }

// RewriteLog writes them again.
func (m *Masker) RewriteLog(r plog.LogRecord) { visitor(m.rewrite).log(r) }

func (v visitor) log(r plog.LogRecord) {
	v.value(r.Body())
	v.attributes(r.Attributes())
	v.set(r.EventName(), r.SetEventName)
	v.set(r.SeverityText(), r.SetSeverityText)
}

// RewriteEvaluations takes what was found in the record out of the texts that evaluators
// said of it, and reports whether there was any.
func (m *Masker) RewriteEvaluations(list []eval.Evaluation) (changed bool) {
	anew := func(text *string) {
		m.look(*text)
		if made := m.rewrite(*text); made != *text {
			*text, changed = made, true
		}
	}
	for i := range list {
		e := &list[i]
		if e.Source != eval.FromTouchstone && e.Source != eval.FromSidecar { // others may say anything
			anew(&e.Evaluator)
			anew(&e.Version)
			anew(&e.Model)
		}
		anew(&e.Reason)
		anew(&e.Grounds.Reason)
		for j, o := range e.Outputs {
			if text, ok := o.Value.(string); ok {
				if anew(&text); text != o.Value {
					outputs := slices.Clone(e.Outputs) // equal evaluations share them
					outputs[j].Value = text
					e.Outputs = outputs
				}
			}
		}
	}
	return changed
}
