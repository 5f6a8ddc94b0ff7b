// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

const (
	defaultPreview = 200
	maxModels      = 10 // of a row
	// maxGrouped is how many groups one question to the store may have.
	maxGrouped = 10_000
)

// groupings are the fields that rows are made by, by their names in requests.
var groupings = map[string]query.Field{
	span.AliasSession:      {Kind: query.FieldAlias, Name: span.AliasSession},
	span.AliasConversation: {Kind: query.FieldAlias, Name: span.AliasConversation},
	span.AliasUser:         {Kind: query.FieldAlias, Name: span.AliasUser},
	query.TraceField.Name:  query.TraceField,
}

// GroupSearch is a search for sessions, conversations, users or traces.
type GroupSearch struct {
	rest.Period
	Filters rest.Filters `json:"filters" doc:"Conditions on spans that must all hold, as in searches of spans." schema:"maxItems=100"`
	Line    string       `json:"q" doc:"More conditions, as a line such as status:error model:gpt-4o." schema:"maxLength=4096"`
	By      string       `json:"group_by" doc:"What the spans of a row have in common." schema:"required" enum:"session_id,conversation_id,user_id,trace_id"`
	Limit   *rest.Int    `json:"limit" doc:"The largest number of rows on a page." schema:"minimum=1 maximum=200 default=50"`
	Cursor  string       `json:"cursor" doc:"next_cursor of the page before, with everything but limit and preview unchanged." schema:"maxLength=8192"`
	Preview *rest.Int    `json:"preview" doc:"The number of characters of the first question and the last answer. 0: rows have neither." schema:"minimum=0 maximum=500 default=200"`
}

// GroupRows is one page.
type GroupRows struct {
	Rows []GroupRow `json:"rows" doc:"The rows." schema:"maxItems=200"`
	Next string     `json:"next_cursor" doc:"The cursor of the next page, empty on the last."`
}

// GroupRow has the figures of one group: of all its spans in the period.
type GroupRow struct {
	Key          string     `json:"key" doc:"The session, conversation or user, up to 256 characters, or the trace id."`
	Start        int64      `json:"start_ns,string" doc:"When its first span started, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	End          int64      `json:"end_ns,string" doc:"When its last span ended, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	Duration     int64      `json:"duration_ns,string" doc:"The time between the two, nanoseconds." schema:"types=string" pattern:"^[0-9]+$"`
	Latest       int64      `json:"latest_ns,string" doc:"When its latest matching span started, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	Spans        int64      `json:"spans" doc:"Number of spans." schema:"minimum=1"`
	Errors       int64      `json:"errors" doc:"Number of spans whose status is an error." schema:"minimum=0"`
	Calls        int64      `json:"calls" doc:"Number of model calls: spans of type llm." schema:"minimum=0"`
	InputTokens  int64      `json:"input_tokens" doc:"Input tokens of the spans that report them." schema:"minimum=0"`
	OutputTokens int64      `json:"output_tokens" doc:"Output tokens of the spans that report them." schema:"minimum=0"`
	TotalTokens  int64      `json:"total_tokens" doc:"All tokens of the spans that report them." schema:"minimum=0"`
	Cost         float64    `json:"cost" doc:"Known costs, US dollars." schema:"minimum=0"`
	Failing      int64      `json:"failing" doc:"Number of failing results." schema:"minimum=0"`
	Models       []string   `json:"models" doc:"The models that most spans have, these first." schema:"maxItems=10"`
	First        *GroupText `json:"first,omitempty" doc:"The question of the first model call or, in a group without calls, the input of the first span. Absent without preview."`
	Last         *GroupText `json:"last,omitempty" doc:"The answer of the last model call or, in a group without calls, the output of the last span. Absent without preview."`
}

// GroupText is the beginning of a text of one span.
type GroupText struct {
	TraceID string `json:"trace_id" doc:"The trace of the span."`
	SpanID  string `json:"span_id" doc:"The span."`
	Start   int64  `json:"start_ns,string" doc:"When the span started, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	Text    string `json:"text" doc:"The beginning of the text, empty if the span has none."`
}

// grouped answers one page of groups.
func (a *API) grouped(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want GroupSearch
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	g, err := want.question(env)
	if err != nil {
		return rest.Response{}, err
	}
	g.records = a.Records
	sealed := query.Query{From: g.from, To: g.to, Filters: g.filters, Order: query.Order{By: "group", Descending: true, Slug: want.By}}
	if want.Cursor != "" {
		after, err := a.Cursors.Open(string(env.ID), &sealed, want.Cursor)
		if err != nil {
			return rest.Response{}, err
		}
		g.after, g.last = &after, after.Number
	}
	shown := GroupRows{Rows: []GroupRow{}}
	err = a.Records.Together(r.Context(), env.ID, func(ctx context.Context) error {
		found, err := g.find(ctx)
		if err != nil {
			return err
		}
		if len(found) > g.limit {
			found = found[:g.limit]
			end := found[g.limit-1]
			shown.Next = a.Cursors.Seal(string(env.ID), &sealed, query.Position{Start: end.latest, Text: end.key, Number: g.last})
		}
		shown.Rows, err = g.show(ctx, found)
		return err
	})
	return rest.OK(shown), err
}

// grouping is one search for groups.
type grouping struct {
	records  Records
	env      tenant.Environment
	by       query.Field
	from, to int64
	filters  []query.Filter
	limit    int
	preview  int
	// after is where the page before ended, and last the latest start that the first page
	// found: what arrives later moves no group from one page to another.
	after *query.Position
	last  int64
}

func (q *GroupSearch) question(env tenant.Environment) (*grouping, error) {
	g := &grouping{env: env, limit: query.DefaultLimit, preview: defaultPreview, last: math.MaxInt64}
	var found bool
	if g.by, found = groupings[q.By]; !found {
		return nil, invalid("group_by", "must be session_id, conversation_id, user_id or trace_id")
	}
	var err error
	if g.from, g.to, err = q.Bounds(math.MaxInt64); err != nil {
		return nil, err
	}
	if q.Limit != nil {
		g.limit = int(*q.Limit)
	}
	if q.Preview != nil {
		g.preview = int(*q.Preview)
	}
	g.filters, err = ParseFilters(q.Filters.RawMessage, q.Line)
	return g, err
}

// placed is a group with the start of its latest span that matches.
type placed struct {
	key    string
	latest int64
}

// compare orders groups, the latest first.
func (p placed) compare(o placed) int {
	return cmp.Or(cmp.Compare(o.latest, p.latest), cmp.Compare(p.key, o.key))
}

// find returns the groups of the page, and one more if there is one. It looks at longer and
// longer periods, from the end of the whole one: the first span of a group that it comes
// across is the latest of it.
func (g *grouping) find(ctx context.Context) ([]placed, error) {
	end, some, err := g.latest(ctx)
	if err != nil || !some {
		return nil, err
	}
	if g.after == nil {
		g.last = end
	} else {
		end = min(end, g.after.Start)
	}
	var found []placed
	seen := map[string]bool{}
	for length := int64(time.Minute); len(found) <= g.limit; length *= 2 {
		begin := g.from
		if uint64(end)-uint64(g.from) > uint64(length) {
			begin = end - length
		}
		list, err := g.between(ctx, begin, end)
		if fault.Is(err, fault.Invalid) && length > int64(time.Second) { // it is too much at once
			length /= 16
			continue
		}
		if err == nil {
			list, err = g.unseen(ctx, list, seen)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
		if begin == g.from {
			break
		}
		end = begin - 1
	}
	return found[:min(len(found), g.limit+1)], nil
}

// latest returns the start of the last span of the period, and whether there is one.
func (g *grouping) latest(ctx context.Context) (int64, bool, error) {
	groups, err := g.records.Aggregate(ctx, g.env, query.Aggregate{
		From: g.from, To: min(g.to, g.last), Figures: []query.Figure{{Measure: query.Max, Of: query.Record(query.RecordStart)}},
	})
	if err != nil || len(groups) == 0 {
		return 0, false, err
	}
	return groups[0].Values[0].Whole, true, nil
}

// between returns the groups that have a matching span in a period, of some keys if there are
// any, the latest first.
func (g *grouping) between(ctx context.Context, from, to int64, keys ...string) ([]placed, error) {
	a := query.Aggregate{
		From: from, To: to, Filters: slices.Clip(g.filters), By: []query.Field{g.by}, Limit: maxGrouped,
		Figures: []query.Figure{{Measure: query.Count}, {Measure: query.Max, Of: query.Record(query.RecordStart)}},
	}
	switch {
	case len(keys) > 0:
		a.Filters = append(a.Filters, g.among(keys))
	case g.by != query.TraceField: // which every span has
		a.Filters = append(a.Filters, query.Filter{Field: g.by, Operator: query.OpExists})
	}
	groups, err := g.records.Aggregate(ctx, g.env, a)
	if err != nil {
		return nil, err
	}
	var list []placed
	for _, x := range groups {
		if x.Keys[0] != "" {
			list = append(list, placed{key: x.Keys[0], latest: x.Values[1].Whole})
		}
	}
	slices.SortFunc(list, placed.compare)
	return list, nil
}

// unseen returns those of some groups that were not seen yet and come behind the page
// before, and notes that they are seen.
func (g *grouping) unseen(ctx context.Context, list []placed, seen map[string]bool) ([]placed, error) {
	list = slices.DeleteFunc(list, func(p placed) bool {
		if seen[p.key] {
			return true
		}
		seen[p.key] = true
		return g.after != nil && p.compare(placed{key: g.after.Text, latest: g.after.Start}) <= 0
	})
	if g.after == nil || g.after.Start == math.MaxInt64 {
		return list, nil
	}
	later := map[string]bool{}
	for some := range slices.Chunk(list, query.MaxFilterValues) {
		keys := make([]string, len(some))
		for i := range some {
			keys[i] = some[i].key
		}
		shown, err := g.between(ctx, g.after.Start+1, g.last, keys...)
		if err != nil {
			return nil, err
		}
		for _, p := range shown {
			later[p.key] = true
		}
	}
	return slices.DeleteFunc(list, func(p placed) bool { return later[p.key] }), nil
}

// among returns the condition that a span is of one of some groups. Keys have the first
// characters of texts.
func (g *grouping) among(keys []string) query.Filter {
	whole := query.Filter{Field: g.by, Operator: query.OpIn}
	either := query.Any()
	for _, key := range keys {
		if utf8.RuneCountInString(key) < query.SortedText {
			whole.Values = append(whole.Values, key)
		} else {
			either.Filters = append(either.Filters, query.Filter{Field: g.by, Operator: query.OpStartsWith, Value: key})
		}
	}
	switch {
	case len(either.Filters) == 0:
		return whole
	case len(whole.Values) > 0:
		either.Filters = append(either.Filters, whole)
	}
	return either
}

// row is a row that is being put together.
type row struct {
	GroupRow
	lastStart           int64 // of its last span
	firstCall, lastCall int64 // the starts of its first and its last model call
	models              map[string]int64
}

// first and last return the starts of the spans whose texts are shown.
func (r *row) first() int64 {
	if r.Calls > 0 {
		return r.firstCall
	}
	return r.Start
}

func (r *row) last() int64 {
	if r.Calls > 0 {
		return r.lastCall
	}
	return r.lastStart
}

// show returns the rows of groups.
func (g *grouping) show(ctx context.Context, found []placed) ([]GroupRow, error) {
	if len(found) == 0 {
		return []GroupRow{}, nil
	}
	rows := make(map[string]*row, len(found))
	keys := make([]string, len(found))
	for i, p := range found {
		keys[i] = p.key
		rows[p.key] = &row{GroupRow: GroupRow{Key: p.key, Latest: p.latest, Start: math.MaxInt64, End: math.MinInt64}, lastStart: math.MinInt64, models: map[string]int64{}}
	}
	among := g.among(keys)
	if err := g.measure(ctx, among, rows); err != nil {
		return nil, err
	}
	// A group of which retention took the last span meanwhile is left out.
	keys = slices.DeleteFunc(keys, func(key string) bool { return rows[key].Spans == 0 })
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	for _, key := range keys {
		from, to = min(from, rows[key].Start), max(to, rows[key].lastStart)
	}
	if err := g.countFailing(ctx, among, rows, from, to); err != nil {
		return nil, err
	}
	if g.preview > 0 {
		if err := g.readTexts(ctx, among, rows, from, to); err != nil {
			return nil, err
		}
	}
	list := make([]GroupRow, len(keys))
	for i, key := range keys {
		list[i] = rows[key].GroupRow
	}
	return list, nil
}

// measure fills in the figures of spans.
func (g *grouping) measure(ctx context.Context, among query.Filter, rows map[string]*row) error {
	own := query.OwnUsage()
	call, failed := query.Equals(query.Column("span_type"), span.TypeLLM), query.Equals(query.Column("status_code"), span.StatusError)
	sum := func(kind query.FieldKind, name string) query.Figure {
		return query.Figure{Measure: query.Sum, Of: query.Field{Kind: kind, Name: name}, Where: &own}
	}
	start, end := query.Record(query.RecordStart), query.Record(query.RecordEnd)
	groups, err := g.records.Aggregate(ctx, g.env, query.Aggregate{
		From: g.from, To: g.to, Filters: []query.Filter{among},
		By: []query.Field{g.by, {Kind: query.FieldAlias, Name: span.AliasResponseModel}, {Kind: query.FieldAlias, Name: span.AliasRequestModel}},
		Figures: []query.Figure{
			{Measure: query.Count},
			{Measure: query.Min, Of: start},
			{Measure: query.Max, Of: start},
			{Measure: query.Max, Of: end},
			{Measure: query.Count, Where: &failed},
			{Measure: query.Count, Where: &call},
			{Measure: query.Min, Of: start, Where: &call},
			{Measure: query.Max, Of: start, Where: &call},
			sum(query.FieldAlias, span.AliasInputTokens), sum(query.FieldAlias, span.AliasOutputTokens), sum(query.FieldAlias, span.AliasTotalTokens),
			sum(query.FieldColumn, "cost"),
		},
	})
	if err != nil {
		return err
	}
	for _, x := range groups {
		r := rows[x.Keys[0]]
		if r == nil { // its text begins as that of another
			continue
		}
		v := x.Values
		if v[5].Whole > 0 {
			if r.Calls == 0 {
				r.firstCall, r.lastCall = v[6].Whole, v[7].Whole
			}
			r.firstCall, r.lastCall = min(r.firstCall, v[6].Whole), max(r.lastCall, v[7].Whole)
		}
		r.Start, r.lastStart, r.End = min(r.Start, v[1].Whole), max(r.lastStart, v[2].Whole), max(r.End, v[3].Whole)
		r.Spans += v[0].Whole
		r.Errors += v[4].Whole
		r.Calls += v[5].Whole
		r.InputTokens += int64(v[8].Real)
		r.OutputTokens += int64(v[9].Real)
		r.TotalTokens += int64(v[10].Real)
		r.Cost += v[11].Real / span.PerDollar
		if model := cmp.Or(x.Keys[1], x.Keys[2]); model != "" {
			r.models[model] += v[0].Whole
		}
	}
	for _, r := range rows {
		r.Duration = r.End - r.Start
		r.Models = slices.SortedFunc(maps.Keys(r.models), func(x, y string) int { return cmp.Or(cmp.Compare(r.models[y], r.models[x]), cmp.Compare(x, y)) })
		r.Models = append([]string{}, r.Models[:min(len(r.Models), maxModels)]...)
	}
	return nil
}

// countFailing fills in how many results are failing.
func (g *grouping) countFailing(ctx context.Context, among query.Filter, rows map[string]*row, from, to int64) error {
	failing := query.Equals(query.Record(query.RecordGood), "false")
	groups, err := g.records.Aggregate(ctx, g.env, query.Aggregate{
		Subject: query.Evaluations, From: from, To: to, Filters: []query.Filter{among, failing}, By: []query.Field{g.by}, Figures: []query.Figure{{Measure: query.Count}},
	})
	for _, x := range groups {
		if r := rows[x.Keys[0]]; r != nil {
			r.Failing = x.Values[0].Whole
		}
	}
	return err
}

// readTexts fills in what was asked first and answered last.
func (g *grouping) readTexts(ctx context.Context, among query.Filter, rows map[string]*row, from, to int64) error {
	at := query.Filter{Field: query.Column("timestamp"), Operator: query.OpIn}
	for _, r := range rows {
		for _, start := range []int64{r.first(), r.last()} {
			at.Values = append(at.Values, strconv.FormatInt((&span.Span{Start: start}).TimestampMillis(), 10))
		}
	}
	page, err := g.records.Search(ctx, g.env, query.Query{
		From: from, To: to, Filters: []query.Filter{among, at}, Brief: true, Limit: query.MaxBrief, Order: query.Order{By: query.SortTimestamp},
	})
	if err != nil {
		return err
	}
	first, last := map[*row]span.Key{}, map[*row]span.Key{}
	var keys []span.Key
	for i := range page.Spans {
		s := &page.Spans[i]
		key, _ := g.by.Text(s)
		key, _ = textcut.Characters(key, query.SortedText)
		r := rows[key]
		if r == nil || r.Calls > 0 && s.Type != span.TypeLLM {
			continue
		}
		if _, known := first[r]; !known && s.Start == r.first() {
			first[r] = s.Key()
			keys = append(keys, s.Key())
		}
		if s.Start == r.last() {
			last[r] = s.Key()
		}
	}
	for _, key := range last {
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil
	}
	list, err := g.records.Get(ctx, g.env, keys, 0)
	if err != nil {
		return err
	}
	spans := make(map[span.Key]*span.Span, len(list))
	for i := range list {
		spans[list[i].Key()] = &list[i]
	}
	for r, key := range first {
		r.First = g.text(spans[key], span.PartQuestion)
	}
	for r, key := range last {
		r.Last = g.text(spans[key], span.PartOutput)
	}
	return nil
}

// text returns the beginning of a part of a span, nil of one that is gone.
func (g *grouping) text(s *span.Span, part span.Part) *GroupText {
	if s == nil {
		return nil
	}
	text, _ := genai.Part(s, part)
	text, _ = textcut.Characters(text, g.preview)
	return &GroupText{TraceID: s.TraceID.String(), SpanID: s.SpanID.String(), Start: s.Start, Text: text}
}
