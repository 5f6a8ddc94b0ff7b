// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// trial is a setup on its way over stored spans.
type trial struct {
	api      *PreviewAPI
	ctx      context.Context
	env      tenant.Environment
	monitor  *monitor.Monitor
	from, to int64
	limit    int // samples
	until    time.Time

	looked, matched int64
	last            int64 // start of the span that was looked at last
	truncated       bool
	samples         []span.Span
}

// look matches the spans as they are matched when they come.
func (p *trial) look() error {
	q := query.Query{
		From: p.from, To: p.to, Filters: Filters(p.monitor.Setup.Selector), Limit: query.MaxLimit,
		Order: query.Order{By: query.SortTimestamp, Descending: true},
	}
	var view genai.View
	for {
		page, err := p.api.Records.Search(p.ctx, p.env, q)
		if err != nil {
			return err
		}
		for i := range page.Spans {
			s := &page.Spans[i]
			p.looked++
			p.last = s.Start
			if s.TraceID.IsSelf() {
				continue // never judged
			}
			view.ResetStored(s, p.env.Mappings)
			if !p.monitor.Setup.Selector.Matches(&view) {
				continue
			}
			p.matched++
			if len(p.samples) < p.limit {
				p.samples = append(p.samples, *s)
			}
		}
		if page.Next == nil {
			return nil
		}
		if p.looked >= maxSpans || p.api.Now().After(p.until) {
			p.truncated = true
			return nil
		}
		q.After = page.Next
	}
}

// seen is how many spans of the period were looked at, those included that the
// store left out by itself.
func (p *trial) seen() (int64, error) {
	if len(Filters(p.monitor.Setup.Selector)) == 0 {
		return p.looked, nil
	}
	from := p.from
	if p.truncated {
		from = p.last
	}
	page, err := p.api.Records.Search(p.ctx, p.env, query.Query{
		From: from, To: p.to, Total: true, Order: query.Order{By: query.SortTimestamp},
	})
	return page.Total, err
}
