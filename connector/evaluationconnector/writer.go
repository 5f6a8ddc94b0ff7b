// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// writer makes the records of one resource.
type writer struct {
	recorder *recorder
	logs     plog.Logs
	from     ptrace.ResourceSpans
	observed pcommon.Timestamp

	records plog.LogRecordSlice
	begun   bool // records is there
	enums   map[string]bool
	read    bool // enums is there
}

// place returns the list that records go to. The resource appears with the first
// record: most spans carry nothing.
func (w *writer) place() plog.LogRecordSlice {
	if w.begun {
		return w.records
	}
	rl := w.logs.ResourceLogs().AppendEmpty()
	w.from.Resource().CopyTo(rl.Resource())
	w.recorder.cfg.tell(rl.Resource().Attributes())
	rl.SetSchemaUrl(w.from.SchemaUrl())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scopeName)
	sl.Scope().SetVersion(w.recorder.version)
	w.records, w.begun = sl.LogRecords(), true
	return w.records
}

// span writes the records of one span.
func (w *writer) span(s ptrace.Span) {
	carried := monitor.Carried(s.Attributes())
	if len(carried) == 0 {
		return
	}
	for _, e := range latest(carried) {
		if o, is := opinion.Of(e); is {
			w.opinion(s, &o)
			continue
		}
		switch e.Status {
		case eval.Done:
			for _, r := range w.results(e) {
				w.write(s, e, r)
			}
		case eval.Failed:
			w.write(s, e, result{name: e.Evaluator, failure: failureOf(e.Reason), message: e.Reason})
		case eval.Uncertain, eval.Deferred, eval.Skipped: // a guess; not finished; will not be
		}
	}
}

// latest returns each evaluation once. A span that passed several monitor
// processors may carry one more than once; the last is what the store keeps.
func latest(carried []eval.Evaluation) []*eval.Evaluation {
	type key struct{ setup, evaluator string }
	places := make(map[key]int, len(carried))
	list := make([]*eval.Evaluation, 0, len(carried))
	for i := range carried {
		e := &carried[i]
		k := key{e.SetupID, e.Evaluator}
		if at, again := places[k]; again {
			list[at] = e
			continue
		}
		places[k] = len(list)
		list = append(list, e)
	}
	return list
}
