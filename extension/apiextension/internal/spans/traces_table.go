// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"cmp"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// table is a trace that is being read.
type table struct {
	total int64
	spans []span.Key
	above []span.ID // the parents
	end   int64     // of the span that ended last

	name, service, kind, typ, status, model dictionary
	TraceColumns
}

// add appends a span, which starts no earlier than those before.
func (t *table) add(s *span.Span, made []eval.Evaluation) {
	t.spans = append(t.spans, s.Key())
	t.above = append(t.above, s.ParentSpanID)
	t.end = max(t.end, s.End())
	c := &t.TraceColumns
	c.SpanID = append(c.SpanID, s.SpanID.String())
	c.Name = append(c.Name, t.name.number(s.Name))
	c.Service = append(c.Service, t.service.number(s.Service))
	c.Kind = append(c.Kind, t.kind.number(s.Kind))
	c.Type = append(c.Type, t.typ.number(s.Type))
	c.Status = append(c.Status, t.status.number(s.StatusCode))
	c.Model = append(c.Model, t.model.number(cmp.Or(s.ResponseModel, s.RequestModel)))
	c.Offset = append(c.Offset, s.Start-t.spans[0].Start)
	c.Duration = append(c.Duration, s.Duration)
	var tokens *int64
	if s.TotalTokens != span.NoTokens {
		n := s.TotalTokens
		tokens = &n
	}
	c.Tokens = append(c.Tokens, tokens)
	c.Verdicts.add(count(made))
}

// next returns how many spans the next page of at most so many has, as far as is known.
func (t *table) next(most int64) int64 {
	if t.total == 0 {
		return most
	}
	return min(most, max(0, t.total-int64(len(t.spans))))
}

// answer returns what was read.
func (t *table) answer() *Trace {
	a := &Trace{
		Total: max(t.total, int64(len(t.spans))), Truncated: t.total > int64(len(t.spans)), Columns: t.TraceColumns,
		Dictionaries: TraceDictionaries{
			Name: t.name.texts, Service: t.service.texts, Kind: t.kind.texts, Type: t.typ.texts, Status: t.status.texts, Model: t.model.texts,
		},
	}
	if len(t.spans) > 0 {
		a.Start = t.spans[0].Start
		a.Duration = t.end - a.Start
	}
	a.Columns.Parent = t.parents()
	return a
}

// parents returns the row of each span's parent. Of several spans of the parent's
// id it is the last that started no later than the span, or else the first.
func (t *table) parents() []int {
	rows := make(map[span.ID][]int, len(t.spans))
	for i := range t.spans {
		rows[t.spans[i].SpanID] = append(rows[t.spans[i].SpanID], i)
	}
	parents := make([]int, len(t.above))
	for i, id := range t.above {
		list := rows[id]
		switch {
		case id == span.ID{}:
			parents[i] = parentNone
			continue
		case len(list) == 0:
			parents[i] = parentAbsent
			continue
		}
		parents[i] = list[0]
		for _, row := range list[1:] {
			if t.spans[row].Start <= t.spans[i].Start {
				parents[i] = row
			}
		}
	}
	return parents
}

// dictionary numbers texts in the order in which they are first asked for.
type dictionary struct {
	texts   []string
	numbers map[string]int
}

func (d *dictionary) number(text string) int {
	n, known := d.numbers[text]
	if known {
		return n
	}
	if d.numbers == nil {
		d.numbers = map[string]int{}
	}
	n = len(d.texts)
	d.texts = append(d.texts, text)
	d.numbers[text] = n
	return n
}

// verdicts count the evaluations of one span.
type verdicts struct{ good, against, neither, uncertain, owed, skipped, failed int }

func count(list []eval.Evaluation) (v verdicts) {
	for i := range list {
		good := list[i].Good()
		switch {
		case list[i].Status == eval.Deferred:
			v.owed++
		case list[i].Status == eval.Uncertain:
			v.uncertain++
		case list[i].Status == eval.Skipped:
			v.skipped++
		case list[i].Status == eval.Failed:
			v.failed++
		case good == nil:
			v.neither++
		case *good:
			v.good++
		default:
			v.against++
		}
	}
	return v
}

func (c *TraceVerdicts) add(v verdicts) {
	c.For = append(c.For, v.good)
	c.Against = append(c.Against, v.against)
	c.Neither = append(c.Neither, v.neither)
	c.Uncertain = append(c.Uncertain, v.uncertain)
	c.Owed = append(c.Owed, v.owed)
	c.Skipped = append(c.Skipped, v.skipped)
	c.Failed = append(c.Failed, v.failed)
}
