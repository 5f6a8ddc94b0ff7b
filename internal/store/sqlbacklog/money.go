// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Reserve implements store.Backlog. What is spent exceeds the limit by no more than by
// what the evaluations under way cost more than those before, and by the last.
func (b *Backlog) Reserve(ctx context.Context, budget store.Budget, of store.Location, evaluator string) (answer store.Reserved, err error) {
	if err := b.begin(ctx); err != nil {
		return "", err
	}
	n := name{of.Owner(), completion.PairOf(&eval.Evaluation{SetupID: budget.Setup, Evaluator: evaluator})}
	err = b.transact(ctx, "reserve", func(ctx context.Context, tx *sql.Tx) error {
		spent, err := b.ledger(ctx, tx, budget, n.Setup)
		if err != nil {
			return err
		}
		answer, err = b.reserve(ctx, tx, budget.Limit-spent, n)
		return err
	})
	return answer, err
}

// ledger returns what a setup spent, and keeps others from reserving until the
// transaction ends. What was spent before is read from the engine where the
// database does not know. What is completed meanwhile may count twice.
func (b *Backlog) ledger(ctx context.Context, tx *sql.Tx, budget store.Budget, setup string) (usd float64, err error) {
	env, key, since := string(budget.Environment), []byte(setup), budget.Since.UnixNano()
	if _, err := tx.ExecContext(ctx, "INSERT INTO spent (environment_id, setup) VALUES ($1, $2) ON CONFLICT DO NOTHING", env, key); err != nil {
		return 0, err
	}
	var known sql.NullInt64
	err = tx.QueryRowContext(ctx, "SELECT since, usd FROM spent WHERE environment_id = $1 AND setup = $2 FOR UPDATE", env, key).Scan(&known, &usd)
	if err != nil || known.Valid && known.Int64 == since {
		return usd, err
	}
	if usd, err = store.ReadSpent(ctx, b.engine, budget.Environment, budget.Setup, budget.Since); err != nil {
		return 0, err
	}
	history, err := store.ReadPrices(ctx, b.engine, budget.Environment, budget.Setup)
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE spent SET since = $3::bigint, usd = $4::float8 WHERE environment_id = $1 AND setup = $2", env, key, since, usd); err != nil {
		return 0, err
	}
	for _, p := range history {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO prices (environment_id, setup, evaluator, made, cost) VALUES ($1, $2, $3, $4::bigint, $5::float8)
			ON CONFLICT (environment_id, setup, evaluator) DO UPDATE SET made = excluded.made, cost = excluded.cost`,
			env, key, []byte(p.Evaluator), p.Ended, p.Cost)
		if err != nil {
			return 0, err
		}
	}
	return usd, nil
}

// reserve reserves money for an evaluation while its setup's ledger is held.
func (b *Backlog) reserve(ctx context.Context, tx *sql.Tx, left float64, n name) (store.Reserved, error) {
	now := b.now().UnixNano()
	if left <= 0 {
		return store.Spent, nil
	}
	env, setup := string(n.Environment), []byte(n.Setup)
	var reserved float64
	err := tx.QueryRowContext(ctx, `
		SELECT reserved FROM owed WHERE environment_id = $1 AND trace_id = $2 AND span_id = $3 AND bucket = $4 AND setup = $5 AND evaluator = $6
		AND ready > $7::bigint AND ready > due FOR UPDATE`,
		env, n.Span.TraceID[:], n.Span.SpanID[:], int32(n.Span.Bucket), setup, []byte(n.Evaluator), now).Scan(&reserved)
	switch {
	case errors.Is(err, sql.ErrNoRows): // no one has leased it
		return store.Taken, nil
	case err != nil:
		return "", err
	case reserved > 0:
		return store.Granted, nil
	}
	var aside, price float64
	var reserves, made int64
	err = tx.QueryRowContext(ctx, "SELECT coalesce(sum(reserved), 0), count(*) FROM owed WHERE environment_id = $1 AND setup = $2 AND reserved > 0 AND ready > $3::bigint",
		env, setup, now).Scan(&aside, &reserves)
	if err != nil {
		return "", err
	}
	err = tx.QueryRowContext(ctx, "SELECT made, cost FROM prices WHERE environment_id = $1 AND setup = $2 AND evaluator = $3",
		env, setup, []byte(n.Evaluator)).Scan(&made, &price)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	if made == 0 { // before there is any, it may take all that is left
		price = left
	} else {
		price /= float64(made)
	}
	if reserves > 0 && aside+price > left {
		return store.Taken, nil
	}
	if price > 0 {
		err = about(ctx, tx, `UPDATE owed AS o SET reserved = $7::float8 FROM `+named+` WHERE `+isNamed, []name{n}, price)
	} else {
		err = nil
	}
	return store.Granted, err
}

// account is an evaluator of a setup.
type account struct {
	env tenant.EnvironmentID
	completion.Pair
}

// sum is what evaluations cost: all tries, and those that ended with their number.
type sum struct {
	usd, ended float64
	made       int64
}

// spend notes what evaluations cost that were stored, where a setup has a ledger.
func spend(ctx context.Context, tx *sql.Tx, list []*completion.Subject) error {
	sums := map[account]sum{}
	var accounts []account
	for _, c := range list {
		for i := range c.Counts {
			v := &c.Counts[i]
			a := account{c.Environment, completion.PairOf(v)}
			s, there := sums[a]
			if !there {
				accounts = append(accounts, a)
			}
			s.usd += max(v.Usage.Cost-c.Before[i], 0)
			if v.Status.Tried() {
				s.ended, s.made = s.ended+v.Usage.Cost, s.made+1
			}
			sums[a] = s
		}
	}
	// In an order in which everybody locks them.
	slices.SortFunc(accounts, func(a, b account) int {
		return cmp.Or(cmp.Compare(a.env, b.env), cmp.Compare(a.Setup, b.Setup), cmp.Compare(a.Evaluator, b.Evaluator))
	})
	var environments []string
	var setups, evaluators [][]byte
	var usd, ended []float64
	var made []int64
	for _, a := range accounts {
		environments, setups, evaluators = append(environments, string(a.env)), append(setups, []byte(a.Setup)), append(evaluators, []byte(a.Evaluator))
		usd, ended, made = append(usd, sums[a].usd), append(ended, sums[a].ended), append(made, sums[a].made)
	}
	if len(accounts) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		WITH n AS (
			SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::float8[], $5::float8[], $6::bigint[]) AS n (environment_id, setup, evaluator, usd, ended, made)
		), held AS MATERIALIZED (
			SELECT s.environment_id, s.setup FROM spent AS s
			WHERE (s.environment_id, s.setup) IN (SELECT n.environment_id, n.setup FROM n) AND s.since IS NOT NULL
			ORDER BY s.environment_id, s.setup FOR UPDATE
		), counted AS (
			UPDATE spent AS s SET usd = s.usd + t.usd
			FROM (SELECT n.environment_id, n.setup, sum(n.usd) AS usd FROM n JOIN held USING (environment_id, setup) GROUP BY n.environment_id, n.setup) AS t
			WHERE s.environment_id = t.environment_id AND s.setup = t.setup
		)
		INSERT INTO prices AS p (environment_id, setup, evaluator, made, cost)
		SELECT n.environment_id, n.setup, n.evaluator, n.made, n.ended FROM n JOIN held USING (environment_id, setup) WHERE n.made > 0
		ON CONFLICT (environment_id, setup, evaluator) DO UPDATE SET made = p.made + excluded.made, cost = p.cost + excluded.cost`,
		environments, setups, evaluators, usd, ended, made)
	return err
}
