// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// maskBits is how many bits a mask has.
const maskBits = 63

// IsCounted reports whether an aggregate counts spans in groups of their evaluations, or
// measures only some evaluations of each group: Counted makes its statement.
func IsCounted(a *query.Aggregate) bool {
	return a.Subject == query.Evaluations && slices.ContainsFunc(a.Figures, func(f query.Figure) bool {
		return f.Where != nil || f.Measure == query.CountSpans && len(a.By) > 0
	})
}

// counted makes the statement of an aggregate that IsCounted.
type counted struct {
	*query.Aggregate
	c     *conditions
	keys  []string // k0, k1 and so on
	where []string // of each figure
	rows  []bool   // of which figures that is on evaluations, and not on judgements alone
	spans []int    // which figures count spans
}

// Counted returns the query of an aggregate on one partition, as Aggregate does, and what
// Breakdown's queries have for columns. A span counts once in a group, though several of
// its evaluations are in it: each span gets a mask of the groups that it is in, so that it
// is looked at once for all groups, and spans of equal masks are counted together. A group
// of one evaluator of one setup has no span twice.
func Counted(a *query.Aggregate, b partitions.Bounds) (string, []any) {
	s := &counted{Aggregate: a, c: &conditions{}}
	ofSpans := strings.Join(s.c.ofSpans(a, b), " AND ")
	onRows, onJudgements := s.c.recordConditions(a)
	ofEvaluations, judged := strings.Join(append(onRows, always), " AND "), strings.Join(append(onJudgements, always), " AND ")
	for i := range a.By {
		s.keys = append(s.keys, key(i))
	}
	for i := range a.Figures {
		f := &a.Figures[i]
		where := always
		if f.Where != nil {
			where = recordCondition(a.Subject, s.c, f.Where)
		}
		s.where = append(s.where, where)
		s.rows = append(s.rows, f.Where != nil && f.Where.Field.Name == query.RecordGood)
		if f.Measure == query.CountSpans {
			s.spans = append(s.spans, i)
		}
	}
	ofFigures := ofSpans + " AND " + ofEvaluations
	if judged != always {
		ofFigures += " AND e.judgement IN (SELECT id FROM j)"
	}
	text := "WITH j AS MATERIALIZED (" + s.judgements(judged) + "), f AS (" + s.figures(ofFigures) + ")"
	if len(s.spans) == 0 {
		return text + s.measured(), s.c.args
	}
	return text + ", b AS (" + s.bits() + "), r AS (" + s.masks(ofEvaluations) + "), m AS (" + s.together(ofSpans) + ")" +
		s.measured() + " UNION ALL" + s.told(), s.c.args
}

// sided reports whether the sides of judgements are needed.
func (s *counted) sided() bool { return slices.Contains(s.rows, true) }

// judgements returns the query for the judgements that matter, with the keys of their groups,
// what figures they can be in, and of figures that count spans whether masks tell the number.
func (s *counted) judgements(judged string) string {
	what, group := []string{"j.id"}, "()"
	if len(s.By) > 0 {
		columns := make([]string, len(s.By))
		for i, f := range s.By {
			columns[i] = recordColumn(s.Subject, f.Name)
			what = append(what, columns[i]+" AS "+s.keys[i])
		}
		group = "(PARTITION BY " + strings.Join(columns, ", ") + ")"
	}
	from := "judgements"
	if s.sided() {
		from = sidedJudgements
		what = append(what, "j.sides", "j.place1", "j.good1", "j.places", "j.goods")
	}
	for i, where := range s.where {
		if s.rows[i] {
			where = always
		}
		what = append(what, where+" AS "+in(i))
	}
	for _, i := range s.spans {
		if s.rows[i] {
			what = append(what, "true AS "+several(i))
			continue
		}
		differ := func(column string) string {
			of := "(" + column + ") FILTER (WHERE " + s.where[i] + ") OVER w"
			return "min" + of + " <> max" + of
		}
		what = append(what, "coalesce("+differ("j.evaluator")+" OR "+differ("j.setup")+", false) AS "+several(i))
	}
	return "SELECT " + strings.Join(what, ", ") + " FROM " + from + " j WHERE " + judged + " WINDOW w AS " + group
}

func in(i int) string      { return "in" + strconv.Itoa(i) }
func several(i int) string { return "several" + strconv.Itoa(i) }

// bits returns the query for the bits of judgements: one for each group and figure.
func (s *counted) bits() string {
	figures := make([]string, len(s.spans))
	for n, i := range s.spans {
		figures[n] = "CASE WHEN " + in(i) + " AND " + several(i) + " THEN " + strconv.Itoa(i) + " END"
	}
	columns := append(slices.Clone(s.keys), "figure")
	list := strings.Join(columns, ", ")
	return "SELECT id, " + list + ", dense_rank() OVER (ORDER BY " + list + ") - 1 AS place FROM (SELECT id, " +
		strings.Join(append(slices.Clone(s.keys), "unnest(["+strings.Join(figures, ", ")+"]) AS figure"), ", ") + " FROM j) WHERE figure IS NOT NULL"
}

// Which mask has a bit, and what the mask is of that bit alone.
var (
	maskOfBit = "place // " + strconv.Itoa(maskBits) + " AS part"
	bitAlone  = "1::BIGINT << (place % " + strconv.Itoa(maskBits) + ")::INTEGER"
)

// masks returns the query for the masks of each span.
func (s *counted) masks(ofEvaluations string) string {
	whole, mask, join := always, "coalesce(p.mask, 0)", ""
	var some []string
	for _, i := range s.spans {
		if n := strconv.Itoa(i); s.rows[i] {
			whole += " AND figure <> " + n
			some = append(some, "bit_or("+bitAlone+") FILTER (WHERE figure = "+n+") AS some"+n)
			mask += " | CASE WHEN " + s.where[i] + " THEN coalesce(p.some" + n + ", 0) ELSE 0 END"
			join = " JOIN j ON j.id = e.judgement"
		}
	}
	judgements := "SELECT " + strings.Join(append([]string{"id", maskOfBit, "bit_or(" + bitAlone + ") FILTER (WHERE " + whole + ") AS mask"}, some...), ", ") +
		" FROM b GROUP BY id, part"
	return "SELECT e.seq, p.part, bit_or(" + mask + ") AS mask FROM evaluations e JOIN (" + judgements + ") p ON p.id = e.judgement" + join + " WHERE " +
		ofEvaluations + " GROUP BY ALL"
}

// together returns the query for how many spans have a mask.
func (s *counted) together(ofSpans string) string {
	return "SELECT " + stepColumn(s.Aggregate) + ", r.part, r.mask, count(*) AS n FROM r JOIN spans s ON s.seq = r.seq WHERE " + ofSpans + " GROUP BY ALL"
}

// told returns the query for the numbers of spans that masks tell, in their groups.
func (s *counted) told() string {
	bits := "SELECT DISTINCT " + strings.Join(append(slices.Clone(s.keys), "figure", maskOfBit, bitAlone+" AS bit"), ", ") + " FROM b"
	what := append([]string{"m.step", "false AS rest"}, prefixed("k.", s.keys)...)
	for i := range s.Figures {
		number := "NULL"
		if slices.Contains(s.spans, i) {
			number = "coalesce(sum(m.n) FILTER (WHERE k.figure = " + strconv.Itoa(i) + "), 0)::BIGINT"
		}
		what = append(what, number+" AS f"+strconv.Itoa(i))
	}
	return " SELECT " + strings.Join(what, ", ") + " FROM m JOIN (" + bits + ") k ON k.part = m.part AND k.bit & m.mask <> 0 GROUP BY ALL"
}

// figures returns the query for what each judgement comes to.
func (s *counted) figures(where string) string {
	what := []string{stepColumn(s.Aggregate), "e.judgement", "count(*) AS n"}
	join := ""
	for i := range s.Figures {
		f := &s.Figures[i]
		filter := ""
		switch {
		case f.Measure == query.CountSpans || f.Measure == query.Count && !s.rows[i]:
			continue // both are made of n, or of masks
		case s.rows[i]:
			filter, join = " FILTER (WHERE "+s.where[i]+")", " JOIN j ON j.id = e.judgement"
		}
		of := "*"
		if f.Measure != query.Count {
			of = recordColumn(s.Subject, f.Of.Name)
		}
		what = append(what, string(f.Measure)+"("+of+")"+filter+" AS "+number(i))
	}
	return "SELECT " + strings.Join(what, ", ") + " FROM evaluations e JOIN spans s ON s.seq = e.seq" + join + " WHERE " + where + " GROUP BY ALL"
}

// measured returns the query for the figures of each judgement, with its group, and for the
// numbers of spans that masks do not tell.
func (s *counted) measured() string {
	what := append([]string{"f.step", "false AS rest"}, prefixed("j.", s.keys)...)
	for i := range s.Figures {
		f := &s.Figures[i]
		column, none := "f."+number(i), "0"
		holds := "j." + in(i)
		switch f.Measure {
		case query.CountSpans:
			holds += " AND NOT j." + several(i)
			column = "f.n"
		case query.Count:
			if !s.rows[i] {
				column = "f.n"
			}
		case query.Min, query.Max:
			none = "NULL"
		case query.Sum, query.Quantile:
			column = "coalesce(" + column + ", 0)::" + kindOf(f)
		}
		what = append(what, "CASE WHEN "+holds+" THEN "+column+" ELSE "+none+" END AS f"+strconv.Itoa(i))
	}
	return " SELECT " + strings.Join(what, ", ") + " FROM f JOIN j ON j.id = f.judgement"
}

func prefixed(prefix string, names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = prefix + name
	}
	return list
}
