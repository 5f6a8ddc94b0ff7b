// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// slowRecords has spans without end, and takes a second for each page of them.
type slowRecords struct {
	Records
	now time.Time
}

func (s *slowRecords) Search(_ context.Context, _ tenant.Environment, q query.Query) (query.Page, error) {
	s.now = s.now.Add(time.Second)
	page := query.Page{Spans: make([]span.Span, q.Limit), Next: &query.Position{}}
	for i := range page.Spans {
		page.Spans[i].Arrived = s.now.UnixNano()
	}
	return page, nil
}

// A setup is found dead while the request may go on, also on a busy machine.
func TestADeadSetupIsFoundLateInTheRequest(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	r := &slowRecords{now: begun}
	a := &API{Records: r, Timeout: 25 * time.Second, Now: func() time.Time { return r.now }}
	ctx, cancel := context.WithDeadline(t.Context(), begun.Add(a.Timeout))
	defer cancel()
	s := &monitor.Setup{Status: monitor.WaitingForSpans, UpdatedAt: begun.Add(-time.Hour), Selector: monitor.Selector{
		{Key: "a", Source: monitor.SpanAttributes, Operator: query.OpExists},
	}}
	dead, err := a.dead(ctx, acme, s, nil)
	require.NoError(t, err)
	require.NotNil(t, dead)
	require.EqualValues(t, monitor.DeadAfter, dead.Spans)
	require.Greater(t, r.now.Sub(begun), a.Timeout/4)

	ctx, cancel = context.WithDeadline(t.Context(), r.now.Add(a.Timeout/4))
	defer cancel()
	dead, err = a.dead(ctx, acme, s, nil)
	require.NoError(t, err)
	require.Nil(t, dead, "there is no time to find out")
}
