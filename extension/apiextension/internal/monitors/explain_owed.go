// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// owing is what is asked about all evaluations that are pending on the span.
type owing struct {
	before map[int64]int64    // how many the environment has pending from before some times, up to mostBefore
	spent  map[string]float64 // today, by setup: of those that may not spend more than so much
	used   float64            // today, by the environment, where that is bounded
}

// pending says what comes before a pending evaluation, and which money is left for
// it.
func (c *explanation) owed(shown *ExplainedEvaluator, s *monitor.Setup, e *eval.Evaluation) error {
	if c.owing == nil {
		var err error
		if c.owing, err = c.readOwing(); err != nil {
			return err
		}
	}
	before := c.owing.before[e.Time]
	shown.Owed.Place = before + 1
	switch {
	case before == mostBefore:
		shown.Sentence += fmt.Sprintf("; the environment has %d or more pending from before", before)
	case before > 0:
		shown.Sentence += fmt.Sprintf("; the environment has %d pending from before", before)
	}
	c.money(shown, s)
	return nil
}

// readOwing reads it, all at a time.
func (c *explanation) readOwing() (*owing, error) {
	var times []int64
	var bounded []string
	for i := range c.records {
		e := &c.records[i]
		if e.Status != eval.Deferred {
			continue
		}
		if !slices.Contains(times, e.Time) {
			times = append(times, e.Time)
		}
		if slices.ContainsFunc(c.setups, func(s monitor.Setup) bool { return s.ID == e.SetupID && s.MaxCostPerDay > 0 }) && !slices.Contains(bounded, e.SetupID) {
			bounded = append(bounded, e.SetupID)
		}
	}
	x := &owing{before: make(map[int64]int64, len(times))}
	reads, ctx := errgroup.WithContext(c.ctx)
	reads.Go(func() error {
		for _, at := range times {
			n, err := store.CountOwedBefore(ctx, c.api.Records, c.env, at, mostBefore)
			if err != nil {
				return err
			}
			x.before[at] = n
		}
		return nil
	})
	reads.Go(func() (err error) {
		x.spent, err = store.ReadSpentEach(ctx, c.api.Records, c.env.ID, bounded, store.Midnight(c.api.Now()))
		return err
	})
	if c.env.Quota.DollarsPerDay > 0 {
		reads.Go(func() (err error) {
			x.used, err = c.api.Usage.DollarsToday(ctx, c.env)
			return err
		})
	}
	return x, reads.Wait()
}

// money says what is left today of what the setup and the environment may spend.
func (c *explanation) money(shown *ExplainedEvaluator, s *monitor.Setup) {
	owed := shown.Owed
	if s.MaxCostPerDay > 0 {
		left := max(s.MaxCostPerDay-c.owing.spent[s.ID], 0)
		owed.MaxCostPerDay, owed.LeftToday = s.MaxCostPerDay, &left
		shown.Sentence += fmt.Sprintf("; of $%.2f a day $%.4f are left today", s.MaxCostPerDay, left)
	}
	if most := c.env.Quota.DollarsPerDay; most > 0 {
		left := max(most-c.owing.used, 0)
		owed.DollarsPerDay = most
		if owed.LeftToday == nil || left < *owed.LeftToday {
			owed.LeftToday = &left
		}
		shown.Sentence += fmt.Sprintf("; of the environment's $%.2f a day $%.4f are left today", most, left)
	}
}
