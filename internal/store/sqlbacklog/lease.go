// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// turnsAtOnce is how many environments are served by one query at most.
const turnsAtOnce = 64

// Lease implements store.Backlog.
func (b *Backlog) Lease(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]store.Evaluated, error) {
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	l := &leasing{backlog: b, now: now.UnixNano(), until: until.UnixNano(), but: make([]string, len(but))}
	for i, env := range but {
		l.but[i] = string(env)
	}
	for len(l.list) < limit {
		rows, err := l.take(ctx, limit-len(l.list))
		if err == nil && len(rows) > 0 {
			err = l.follow(ctx, rows)
		}
		if err != nil {
			_ = b.Release(context.WithoutCancel(ctx), l.list, time.Time{}) // or they run out
			return nil, err
		}
		if len(rows) == 0 {
			break
		}
	}
	return l.list, nil
}

// leasing is one call of Lease.
type leasing struct {
	backlog    *Backlog
	now, until int64
	but        []string // environments of which nothing is leased
	list       []store.Evaluated
}

// due finds environments that have due evaluations, behind one in their
// order and so many at most: the next that has any rows is one step in the index.
const due = `
	WITH RECURSIVE e AS (
		SELECT (SELECT min(environment_id) FROM owed WHERE environment_id > $1::text) AS environment_id
		UNION ALL
		SELECT (SELECT min(environment_id) FROM owed WHERE environment_id > e.environment_id) FROM e WHERE e.environment_id IS NOT NULL
	)
	SELECT e.environment_id FROM e
	CROSS JOIN LATERAL (SELECT FROM owed AS o WHERE o.environment_id = e.environment_id AND o.ready <= $2::bigint LIMIT 1) AS o
	WHERE e.environment_id IS NOT NULL AND e.environment_id <> ALL ($4::text[]) LIMIT $3::bigint`

// took leases the first so many rows of each environment that are due and no one is
// leasing just now, and what else is due on their spans.
const took = `
	WITH first AS (
		SELECT DISTINCT r.environment_id, r.trace_id, r.span_id, r.bucket
		FROM unnest($1::text[]) AS e (environment_id)
		CROSS JOIN LATERAL (
			SELECT x.environment_id, x.trace_id, x.span_id, x.bucket FROM owed AS x
			WHERE x.environment_id = e.environment_id AND x.ready <= $2::bigint
			ORDER BY x.ready LIMIT $3::bigint FOR UPDATE SKIP LOCKED
		) AS r
	), n AS (
		SELECT x.environment_id, x.trace_id, x.span_id, x.bucket, x.setup, x.evaluator FROM first
		CROSS JOIN LATERAL (
			SELECT * FROM owed AS x
			WHERE x.environment_id = first.environment_id AND x.trace_id = first.trace_id AND x.span_id = first.span_id AND x.bucket = first.bucket AND x.ready <= $2::bigint
			FOR UPDATE SKIP LOCKED
		) AS x
	)
	UPDATE owed AS o SET ready = $4::bigint, reserved = 0 FROM n WHERE ` + isNamed + `
	RETURNING ` + shown

// take leases rows of what is due first, of the environments in turn, of so many
// spans at most. There are none when nothing is due that no other worker is leasing.
func (l *leasing) take(ctx context.Context, spans int) (rows []row, err error) {
	var environments []string
	err = l.backlog.transact(ctx, "lease", func(ctx context.Context, tx *sql.Tx) error {
		environments, err = l.turns(ctx, tx, min(spans, turnsAtOnce))
		if err != nil || len(environments) == 0 {
			return err
		}
		rows, err = scanned(tx.QueryContext(ctx, took, environments, l.now, max(spans/len(environments), 1), l.until))
		return err
	})
	if err == nil && len(environments) > 0 {
		l.backlog.mu.Lock()
		l.backlog.last = tenant.EnvironmentID(environments[len(environments)-1])
		l.backlog.mu.Unlock()
	}
	return rows, err
}

// turns returns the environments whose turn it is.
func (l *leasing) turns(ctx context.Context, tx *sql.Tx, most int) ([]string, error) {
	l.backlog.mu.Lock()
	last := string(l.backlog.last)
	l.backlog.mu.Unlock()
	list, err := texts(tx.QueryContext(ctx, due, last, l.now, most, l.but))
	if err != nil || len(list) == most || last == "" {
		return list, err
	}
	around, err := texts(tx.QueryContext(ctx, due, "", l.now, most-len(list), l.but))
	return append(list, slices.DeleteFunc(around, func(env string) bool { return env > last })...), err
}

func texts(rows *sql.Rows, queried error) (list []string, err error) {
	if queried != nil {
		return nil, queried
	}
	defer rows.Close() //nolint:errcheck // Err says it
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// follow reads what rows lead to, which is what counts, and corrects those that say
// something else.
func (l *leasing) follow(ctx context.Context, rows []row) error {
	var at []store.Location
	bySpan := make(map[store.Owner][]row)
	for i := range rows {
		r := &rows[i]
		if _, there := bySpan[r.Owner]; !there {
			at = append(at, r.location())
		}
		bySpan[r.Owner] = append(bySpan[r.Owner], *r)
	}
	found := make(map[store.Owner]*store.Evaluated, len(at))
	read, err := l.backlog.engine.Evaluations(ctx, at, -1<<63, store.Latest)
	if err != nil {
		return err
	}
	for i := range read {
		found[read[i].Location().Owner()] = &read[i]
	}
	var c corrections
	var granted []store.Evaluated
	for _, a := range at {
		o := a.Owner()
		if x := c.compare(bySpan[o], found[o], l.now); len(x.Evaluations) > 0 && !l.backlog.isDropped(o.Environment) {
			granted = append(granted, x)
		}
	}
	slices.SortStableFunc(granted, func(a, b store.Evaluated) int { return cmp.Compare(a.Evaluations[0].Due, b.Evaluations[0].Due) })
	l.list = append(l.list, granted...)
	return c.store(ctx, l)
}

// corrections are what is wrong with rows that were leased.
type corrections struct {
	over   []name // nothing is pending
	later  []name // it is due later, at times
	at     []int64
	misses []name // the engine does not know the span, and is asked again later
	again  []int64
}

// compare returns what is leased of a span, and notes what is wrong with its rows.
func (c *corrections) compare(rows []row, x *store.Evaluated, now int64) store.Evaluated {
	if x == nil {
		for i := range rows {
			if rows[i].expires < now {
				c.over = append(c.over, rows[i].name)
				continue
			}
			c.misses = append(c.misses, rows[i].name)
			c.again = append(c.again, now+int64(pace.Doubled(firstMiss, longestMiss, rows[i].misses+1)))
		}
		return store.Evaluated{}
	}
	granted := *x
	granted.Evaluations = nil
	for i := range rows {
		j := slices.IndexFunc(x.Evaluations, func(v eval.Evaluation) bool {
			return v.Status == eval.Deferred && completion.PairOf(&v) == rows[i].Pair
		})
		switch {
		case j < 0:
			c.over = append(c.over, rows[i].name)
		case x.Evaluations[j].Due > now:
			c.later, c.at = append(c.later, rows[i].name), append(c.at, x.Evaluations[j].Due)
		default:
			granted.Evaluations = append(granted.Evaluations, x.Evaluations[j])
		}
	}
	// As the engine lists them where they are due at one time.
	slices.SortStableFunc(granted.Evaluations, func(a, b eval.Evaluation) int {
		place := func(v *eval.Evaluation) int {
			return slices.IndexFunc(x.Evaluations, func(o eval.Evaluation) bool { return o.SetupID == v.SetupID && o.Evaluator == v.Evaluator })
		}
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Time, b.Time), cmp.Compare(place(&a), place(&b)))
	})
	return granted
}

// firstMiss and longestMiss are how long a span that is not found is put off, the
// first time and at most: a replica may lag, for minutes or for good.
const firstMiss, longestMiss = time.Second, 10 * time.Minute

// store corrects the rows, unless another process changed them meanwhile.
func (c *corrections) store(ctx context.Context, l *leasing) error {
	if len(c.over)+len(c.later)+len(c.misses) == 0 {
		return nil
	}
	const ours = isNamed + ` AND o.ready = $7::bigint`
	return l.backlog.transact(ctx, "correct pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		if err := about(ctx, tx, `DELETE FROM owed AS o USING `+named+` WHERE `+ours, c.over, l.until); err != nil {
			return err
		}
		for i, n := range c.later { // rare: a row was out of date
			if err := about(ctx, tx, `UPDATE owed AS o SET ready = $8::bigint, due = $8::bigint FROM `+named+` WHERE `+ours, []name{n}, l.until, c.at[i]); err != nil {
				return err
			}
		}
		for i, n := range c.misses {
			if err := about(ctx, tx, `UPDATE owed AS o SET ready = $8::bigint, due = $8::bigint, misses = misses + 1 FROM `+named+` WHERE `+ours, []name{n}, l.until, c.again[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Release implements store.Backlog.
func (b *Backlog) Release(ctx context.Context, leased []store.Evaluated, at time.Time) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	names := namesOf(leased)
	if len(names) == 0 {
		return nil
	}
	end := int64(-1 << 63)
	if !at.IsZero() {
		end = at.UnixNano()
	}
	return b.transact(ctx, "release", func(ctx context.Context, tx *sql.Tx) error {
		return about(ctx, tx, `
			UPDATE owed AS o SET ready = CASE WHEN $7::bigint <= $8::bigint THEN o.due ELSE least(o.ready, $7::bigint) END, reserved = CASE WHEN $7::bigint <= $8::bigint THEN 0 ELSE o.reserved END
			FROM `+named+` WHERE `+isNamed+` AND o.ready > o.due`, names, end, b.now().UnixNano())
	})
}

// Renew implements store.Backlog. The end of a lease says whose it is.
func (b *Backlog) Renew(ctx context.Context, leased []store.Evaluated, held, until time.Time) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	return b.transact(ctx, "renew leases", func(ctx context.Context, tx *sql.Tx) error {
		return about(ctx, tx, `UPDATE owed AS o SET ready = $8::bigint FROM `+named+` WHERE `+isNamed+` AND o.ready = $7::bigint`,
			namesOf(leased), held.UnixNano(), until.UnixNano())
	})
}

// namesOf returns the names of evaluations.
func namesOf(list []store.Evaluated) (names []name) {
	for i := range list {
		for j := range list[i].Evaluations {
			names = append(names, name{list[i].Location().Owner(), completion.PairOf(&list[i].Evaluations[j])})
		}
	}
	return names
}
