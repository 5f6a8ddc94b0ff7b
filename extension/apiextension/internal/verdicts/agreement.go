// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of an answer.
const (
	maxOutputs         = 20_000 // of the side that judged fewer spans, the newest
	maxCategories      = 50
	maxAgreementGroups = 100
	defaultLimit       = 50
	maxLimit           = 1000 // spans that differ
)

// AgreementAPI serves how far two sources agree on the spans that both judged.
type AgreementAPI struct {
	Records Records
	Setups  Setups
	Now     func() time.Time
}

// Routes returns what is served.
func (a *AgreementAPI) Routes() []rest.Route {
	return []rest.Route{GetAgreement.Serve(rest.InEnvironment(a.agreement))}
}

// Agreement says how far two sources agree.
type Agreement struct {
	A agreementSide `json:"a"`
	B agreementSide `json:"b"`
	table
	Groups    []agreementGroup `json:"groups" doc:"The same by version and model of what judged, a and b, the largest first, at most 100; or by the fields of group_by, keys: the 20 values of most spans, and the rest."`
	Differ    []Disagreement   `json:"differ" doc:"The newest spans on which they differ."`
	Truncated bool             `json:"truncated" doc:"A side has more verdicts in the period than were looked at."`
}

// agreementSide is one of the two.
type agreementSide struct {
	Metric string                `json:"metric" doc:"The verdict."`
	Source eval.EvaluationSource `json:"source" doc:"Who gave it." enum:"touchstone,sdk,human"`
	By     string                `json:"by,omitempty" doc:"The setup or giver that was asked for."`
	Spans  int                   `json:"spans" doc:"Spans that it judged, of those looked at."`
}

// agreementJudge is what judged: the version of its prompts or of itself, and its model.
type agreementJudge struct {
	Version string `json:"version" doc:"Of the judge's prompts or of the evaluator."`
	Model   string `json:"model" doc:"The judge's model."`
}

func showSide(g *Source, spans int) agreementSide {
	return agreementSide{Metric: g.Metric(), Source: g.Source, By: g.By, Spans: spans}
}

// agreementGroup has what judged, or the values of the fields that the spans have; or it
// is what the largest groups leave.
type agreementGroup struct {
	A    *agreementJudge `json:"a,omitempty"`
	B    *agreementJudge `json:"b,omitempty"`
	Keys []string        `json:"keys,omitempty" doc:"What the spans have of the fields, of long texts the first 256 characters, empty where they have none."`
	Rest bool            `json:"rest,omitempty" doc:"It is what is in no other group."`
	table
}

// Disagreement is a span on which they differ.
type Disagreement struct {
	TraceID   string `json:"trace_id" doc:"The trace."`
	SpanID    string `json:"span_id" doc:"The span."`
	Timestamp int64  `json:"timestamp" doc:"Its start, Unix milliseconds."`
	SpanName  string `json:"span_name" doc:"Its name."`
	A         string `json:"a" doc:"What a said."`
	B         string `json:"b" doc:"What b said."`
}

// table is the agreement on some spans: rows are a's categories, columns b's.
type table struct {
	Spans      int      `json:"spans" doc:"Spans that both judged."`
	Categories []string `json:"categories" doc:"What either said, sorted."`
	Confusion  [][]int  `json:"confusion" doc:"Counts: rows are a's categories, columns b's, in the order of categories."`
	Accuracy   *float64 `json:"accuracy" doc:"The share of spans on which they agree; null without spans." schema:"nullable"`
	Kappa      *Kappa   `json:"kappa" doc:"Null where it is not defined: both know one category only." schema:"nullable"`
}

// pair is a span that both judged.
type pair struct {
	a, b *query.Output
	// said are the categories.
	said [2]string
}

func (a *AgreementAPI) agreement(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	limit, err := rest.QueryInt(values, "limit", defaultLimit, 0, maxLimit)
	if err != nil {
		return rest.Response{}, err
	}
	from, to, err := rest.QueryPeriod(values).Within(a.Now().Add(-env.Retention).UnixNano(), a.Now().UnixNano())
	if err != nil {
		return rest.Response{}, err
	}
	by, err := groupedBy(values)
	if err != nil {
		return rest.Response{}, err
	}
	var sides [2]*Source
	for i, name := range [...]string{"a", "b"} {
		if sides[i], err = ReadSource(r.Context(), a.Setups, env, values, name); err != nil {
			return rest.Response{}, err
		}
	}
	found, err := a.read(r.Context(), env, sides, from, to)
	if err != nil {
		return rest.Response{}, err
	}
	shown := Agreement{Groups: []agreementGroup{}, Differ: []Disagreement{}, Truncated: found.more}
	shown.A, shown.B = showSide(sides[0], found.spans[0]), showSide(sides[1], found.spans[1])
	pairs, err := join(sides, found.latest)
	if err != nil {
		return rest.Response{}, err
	}
	shown.table = tabulate(pairs)
	if len(by) == 0 {
		shown.group(pairs)
	} else if err := a.groupBySpan(r.Context(), env, &shown, found.fewer, by, pairs); err != nil {
		return rest.Response{}, err
	}
	shown.differ(pairs, limit)
	return rest.OK(shown), nil
}

// join returns the spans that both judged, the newest first.
func join(sides [2]*Source, found [2]map[span.Key]*query.Output) (pairs []pair, err error) {
	for key, x := range found[0] {
		y := found[1][key]
		if y == nil {
			continue
		}
		p := pair{a: x, b: y}
		for i, o := range [...]*query.Output{x, y} {
			p.said[i] = sides[i].Category(o.Output)
		}
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		return cmp.Or(cmp.Compare(q.a.Start, p.a.Start), bytes.Compare(p.a.Span.TraceID[:], q.a.Span.TraceID[:]), bytes.Compare(p.a.Span.SpanID[:], q.a.Span.SpanID[:]))
	})
	for i, s := range sides {
		if n := len(categories(pairs, i, i)); n > maxCategories {
			return nil, fault.New(fault.Invalid, "%s has %d values, more than %d: say with %s_min from which number on it is true", s.Name, n, maxCategories, s.Name)
		}
	}
	return pairs, nil
}

// categories returns what some of the two sides said, sorted.
func categories(pairs []pair, first, last int) []string {
	list := []string{}
	seen := map[string]bool{}
	for _, p := range pairs {
		for _, c := range p.said[first : last+1] {
			if !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	slices.Sort(list)
	return list
}

// tabulate counts.
func tabulate(pairs []pair) table {
	t := table{Spans: len(pairs), Categories: categories(pairs, 0, 1), Confusion: [][]int{}}
	for range t.Categories {
		t.Confusion = append(t.Confusion, make([]int, len(t.Categories)))
	}
	for _, p := range pairs {
		i, _ := slices.BinarySearch(t.Categories, p.said[0])
		j, _ := slices.BinarySearch(t.Categories, p.said[1])
		t.Confusion[i][j]++
	}
	if len(pairs) > 0 {
		share := accuracy(t.Confusion)
		t.Accuracy, t.Kappa = &share, kappa(t.Confusion)
	}
	return t
}

// differ shows the newest spans on which they do.
func (r *Agreement) differ(pairs []pair, limit int) {
	for _, p := range pairs {
		if p.said[0] == p.said[1] {
			continue
		}
		if len(r.Differ) == limit {
			return
		}
		r.Differ = append(r.Differ, Disagreement{
			TraceID: p.a.Span.TraceID.String(), SpanID: p.a.Span.SpanID.String(), Timestamp: p.a.Start / 1e6, SpanName: p.a.SpanName, A: p.said[0], B: p.said[1],
		})
	}
}
