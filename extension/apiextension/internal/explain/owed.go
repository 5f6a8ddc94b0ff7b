// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// owed says what comes before an evaluation that is owed, and which money is left for
// it.
func (c *explanation) owed(shown *evaluatorAnswer, s *monitor.Setup, e *eval.Evaluation) error {
	before, asked := c.before[e.Time]
	if !asked {
		var err error
		if before, err = c.owedBefore(e.Time); err != nil {
			return err
		}
		c.before[e.Time] = before
	}
	shown.Owed.Place = before + 1
	if before > 0 {
		shown.Sentence += fmt.Sprintf("; the environment is owed %d from before", before)
	}
	return c.money(shown, s)
}

// owedBefore returns how many evaluations the environment is owed that were deferred
// before a time, Unix nanoseconds: what is due first is made first.
func (c *explanation) owedBefore(at int64) (int64, error) {
	from := c.Now().Add(-c.env.Retention).UnixNano()
	groups, err := c.Records.Aggregate(c.ctx, c.env, query.Aggregate{
		Subject: query.Evaluations, From: from, To: c.Now().AddDate(1, 0, 0).UnixNano(),
		Filters: []query.Filter{
			{Field: query.Record(query.RecordStatus), Operator: query.OpEquals, Value: string(eval.Deferred)},
			{Field: query.Record(query.RecordTime), Operator: query.OpLessThan, Value: strconv.FormatInt(at, 10)},
		},
		Figures: []query.Figure{{Measure: query.Count}},
	})
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0].Values[0].Whole, nil
}

// money says what is left today of what the setup and the environment may spend.
func (c *explanation) money(shown *evaluatorAnswer, s *monitor.Setup) error {
	owed := shown.Owed
	if s.MaxCostPerDay > 0 {
		spent, asked := c.spent[s.ID]
		if !asked {
			var err error
			if spent, err = store.ReadSpent(c.ctx, c.Records, c.env.ID, s.ID, store.Midnight(c.Now())); err != nil {
				return err
			}
			c.spent[s.ID] = spent
		}
		left := max(s.MaxCostPerDay-spent, 0)
		owed.MaxCostPerDay, owed.LeftToday = s.MaxCostPerDay, &left
		shown.Sentence += fmt.Sprintf("; of $%.2f a day $%.4f are left today", s.MaxCostPerDay, left)
	}
	if most := c.env.Quota.DollarsPerDay; most > 0 {
		used, err := c.Usage.Of(c.ctx, c.env)
		if err != nil {
			return err
		}
		left := max(most-used.DollarsToday, 0)
		owed.DollarsPerDay = most
		if owed.LeftToday == nil || left < *owed.LeftToday {
			owed.LeftToday = &left
		}
		shown.Sentence += fmt.Sprintf("; of the environment's $%.2f a day $%.4f are left today", most, left)
	}
	return nil
}
