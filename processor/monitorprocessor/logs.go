// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/mask"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// processLogs does with log records what setups ask for on verdicts. Records come apart
// from the span that they belong to, so a setup counts for them if spans of their resource
// may match it. Each is searched by itself; where a verdict is asked for, it is one of the
// messages that a request has of a span.
func (p *monitorProcessor) processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	b := newBatch(ctx, p)
	defer b.report()
	defer b.turn.end()
	var env tenant.EnvironmentID
	for _, rl := range ld.ResourceLogs().All() {
		of, err := p.environmentOf(rl.Resource())
		if err != nil {
			return ld, err
		}
		setups := p.live.Setups(of)
		acting := p.monitorsOf(ctx, of, setups).Acting
		if len(acting) == 0 {
			continue
		}
		if of != env {
			env = of
			if err := b.turn.begin(ctx, of); err != nil {
				return ld, err
			}
			b.acting.begin(of)
		}
		b.acting.acts = b.acting.acts[:0]
		b.current.reset(rl.Resource(), pcommon.NewInstrumentationScope(), ptrace.NewSpan())
		for _, m := range acting {
			if !m.Setup.Paused && m.MayMatchResource(&b.current.view) {
				b.acting.of(m)
			}
		}
		if len(b.acting.acts) == 0 {
			continue
		}
		if err := b.actOnLogs(rl); err != nil {
			return ld, err
		}
	}
	if b.acting.dropped {
		ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool { return rl.ScopeLogs().Len() == 0 })
		if ld.ResourceLogs().Len() == 0 {
			return ld, processorhelper.ErrSkipProcessingData
		}
	}
	return ld, nil
}

// actOnLogs does with the records of a resource what the current acts ask for.
func (b *batch) actOnLogs(rl plog.ResourceLogs) error {
	a := &b.acting
	said := logVerdicts{batch: b, resource: rl}
	for _, sl := range rl.ScopeLogs().All() {
		for place, r := range sl.LogRecords().All() {
			if err := b.turn.pass(b.ctx); err != nil {
				return err
			}
			if err := b.actOnLog(rl, sl, place, r, &said); err != nil {
				return err
			}
		}
		if goes := a.took(); goes != nil {
			sl.LogRecords().RemoveIf(func(plog.LogRecord) bool { return goes() })
		}
	}
	a.origins(rl, func(visit func(mask.Scoped)) {
		for _, sl := range rl.ScopeLogs().All() {
			visit(sl)
		}
	})
	if a.dropped {
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool { return sl.LogRecords().Len() == 0 })
	}
	return nil
}

func (b *batch) actOnLog(rl plog.ResourceLogs, sl plog.ScopeLogs, place int, r plog.LogRecord, said *logVerdicts) error {
	a := &b.acting
	m := a.masker()
	if m != nil {
		m.masker.Begin()
		m.masker.LookAtOrigin(rl, sl)
		m.masker.LookAtLog(r)
	}
	worst, failed := a.fateOf(m, func(one act) verdict { return said.of(one, r) })
	if err := b.ctx.Err(); err != nil {
		return err
	}
	b.tally.acted(signalLogs, worst, failed)
	a.noted(m)
	switch worst {
	case goes:
		a.goes(place)
		return nil
	case losesContent:
		pcommon.NewValueEmpty().CopyTo(r.Body())
		genai.DropContentAttributes(rl.Resource(), r.Attributes())
	case losesTexts, stays:
	}
	if m != nil && m.masker.Changes() {
		m.masker.RewriteLog(r)
	}
	return nil
}

// logVerdicts are verdicts of the messages that the records of a resource hold, by the span
// that they are of. They are made when they are asked for.
type logVerdicts struct {
	batch *batch

	resource plog.ResourceLogs
	messages map[logSpan]genai.LogMessages
	made     map[logVerdict]verdict
}

type logSpan struct {
	trace span.TraceID
	span  span.ID
}

type logVerdict struct {
	logSpan

	setup, evaluator string
}

// of returns the verdict that counts for a record: none for what is no message, and a
// failure for a message that belongs to no span.
func (l *logVerdicts) of(one act, r plog.LogRecord) verdict {
	if !genai.TellsMessages(r) {
		return verdict{}
	}
	if l.messages == nil {
		l.messages, l.made = map[logSpan]genai.LogMessages{}, map[logVerdict]verdict{}
		for _, m := range genai.MessagesFromLogs(l.resource) {
			l.messages[logSpan{m.TraceID, m.SpanID}] = m
		}
	}
	key := logVerdict{logSpan{span.TraceID(r.TraceID()), span.ID(r.SpanID())}, one.setup, one.Evaluator}
	messages, known := l.messages[key.logSpan]
	if !known {
		return verdict{failed: true}
	}
	if _, is := l.made[key]; !is {
		l.made[key] = l.judgeMessages(one, &messages)
	}
	return l.made[key]
}

// judgeMessages judges messages as the span that they would be alone.
func (l *logVerdicts) judgeMessages(one act, messages *genai.LogMessages) verdict {
	r := one.Binding
	if r == nil || r.Err != nil || !r.InPlace() {
		return verdict{failed: true}
	}
	s := ptrace.NewSpan()
	s.SetTraceID(pcommon.TraceID(messages.TraceID))
	for _, list := range [...]span.Attributes{messages.Prompts, messages.Completions} {
		for _, a := range list {
			s.Attributes().PutStr(a.Key, a.Value)
		}
	}
	l.batch.current.reset(l.resource.Resource(), pcommon.NewInstrumentationScope(), s)
	l.batch.trace = factsOf(s)
	made := eval.Evaluation{Time: l.batch.trace.at.UnixNano()}
	_ = l.batch.compute(&made, r) // what went wrong is in its status
	return verdictOf(&made)
}
