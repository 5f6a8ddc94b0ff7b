// SPDX-License-Identifier: Apache-2.0

// Package usage measures what environments have of what lasts: bytes that are
// stored, pending evaluations, and the money of the day. It holds them to
// their quotas of these.
package usage

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Usage is what an environment has.
type Usage struct {
	_ struct{} `doc:"What the environment has of what lasts, as it was a few seconds ago at most."`

	StoredBytes     int64   `json:"stored_bytes" doc:"Bytes that are stored, on disk." schema:"minimum=0"`
	OwedEvaluations int64   `json:"owed_evaluations" doc:"Evaluations that wait." schema:"minimum=0"`
	DollarsToday    float64 `json:"dollars_today" doc:"US dollars that models have cost since 00:00 UTC." schema:"minimum=0"`
}

// Provider is an extension that provides a meter.
type Provider interface {
	Usage() *Meter
}

// Quota is what there is a quota of.
type Quota int

// The quotas.
const (
	StoredBytes Quota = iota
	OwedEvaluations
	DollarsPerDay
	measures                     // how many are of what is measured here
	ConcurrentQueries = measures // of requests to the API under way, which who serves them counts
	quotas            = measures + 1
)

// Quotas are all of them.
var Quotas = [quotas]Quota{StoredBytes, OwedEvaluations, DollarsPerDay, ConcurrentQueries}

// String returns the quota by its name in configurations.
func (q Quota) String() string {
	return [...]string{"stored_bytes", "owed_evaluations", "dollars_per_day", "concurrent_queries"}[q]
}

// maxMeasured is how many environments are remembered.
const maxMeasured = 10_000

// Meter measures, and remembers for a while what it measured. It is safe for
// concurrent use.
type Meter struct {
	engine store.Aggregator
	sizes  store.Measurer // nil where that is unknown: nothing is stored then
	now    func() time.Time

	known    *lru.Cache[tenant.EnvironmentID, *measured]
	executed executed
	refused  [quotas]atomic.Int64

	ctx     context.Context //nolint:containedctx // of what is measured in the background
	cancel  context.CancelFunc
	ending  sync.Mutex // held while a measurement begins or the meter closes
	closed  bool
	running sync.WaitGroup
}

// New returns a meter of what an engine has, by the clock now. With nil for who
// knows how much is stored that is 0.
func New(engine store.Aggregator, sizes store.Measurer, now func() time.Time) *Meter {
	known, _ := lru.New[tenant.EnvironmentID, *measured](maxMeasured) // fails for sizes below 1
	m := &Meter{engine: engine, sizes: sizes, now: now, known: known}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// Close ends what is measured in the background.
func (m *Meter) Close() {
	m.ending.Lock()
	m.closed = true
	m.ending.Unlock()
	m.cancel()
	m.running.Wait()
}

// Of returns what an environment has, as it was a while ago at most.
func (m *Meter) Of(ctx context.Context, env tenant.Environment) (Usage, error) {
	var values [measures]float64
	for q := range measures {
		v, err := m.read(ctx, env, q)
		if err != nil {
			return Usage{}, err
		}
		values[q] = v
	}
	return Usage{
		StoredBytes: int64(values[StoredBytes]), OwedEvaluations: int64(values[OwedEvaluations]), DollarsToday: values[DollarsPerDay],
	}, nil
}

// DollarsToday returns what models have cost an environment since 00:00 UTC, as Of does.
func (m *Meter) DollarsToday(ctx context.Context, env tenant.Environment) (float64, error) {
	return m.read(ctx, env, DollarsPerDay)
}

// RefusedQuery notes that a request to the API was refused, since as many were under way
// as may be.
func (m *Meter) RefusedQuery() { m.refused[ConcurrentQueries].Add(1) }

// Refused returns how many requests were refused for a quota.
func (m *Meter) Refused(q Quota) int64 { return m.refused[q].Load() }

// MaySend refuses, as Limited, telemetry of an environment that has as much stored
// or pending as it may.
func (m *Meter) MaySend(ctx context.Context, env tenant.Environment) error {
	if most := env.Quota.StoredBytes; most > 0 {
		if v, known := m.recent(ctx, env, StoredBytes); known && int64(v) >= most {
			return m.over(StoredBytes, time.Minute, "the environment has %d bytes stored, and may have %d: some have to expire first", int64(v), most)
		}
	}
	return m.MayOwe(ctx, env)
}

// MayOwe refuses, as Limited, more work for an environment that has as many pending
// evaluations as it may.
func (m *Meter) MayOwe(ctx context.Context, env tenant.Environment) error {
	if most := env.Quota.OwedEvaluations; most > 0 {
		if v, known := m.recent(ctx, env, OwedEvaluations); known && int64(v) >= most {
			return m.over(OwedEvaluations, 10*time.Second, "the environment has %d pending evaluations, and may have %d: try again when some are done", int64(v), most)
		}
	}
	return nil
}

// MaySpend refuses, as Limited until the day ends, that models are asked for an
// environment which have cost what they may.
func (m *Meter) MaySpend(ctx context.Context, env tenant.Environment) error {
	most := env.Quota.DollarsPerDay
	if most <= 0 {
		return nil
	}
	if v, known := m.recent(ctx, env, DollarsPerDay); known && v >= most {
		now := m.now()
		return m.over(DollarsPerDay, store.Midnight(now).AddDate(0, 0, 1).Sub(now), "models have cost %.2f dollars today, and may cost %.2f", v, most)
	}
	return nil
}

func (m *Meter) over(q Quota, after time.Duration, format string, args ...any) error {
	m.refused[q].Add(1)
	return fault.Limit(after, format, args...)
}

// Spent notes what models have cost that were asked for an execution, which is not
// stored.
func (m *Meter) Spent(env tenant.EnvironmentID, dollars float64) {
	if dollars > 0 {
		m.executed.add(env, store.Midnight(m.now()), dollars)
	}
}

// executed is what executions have cost on one day.
type executed struct {
	mu   sync.Mutex
	day  time.Time
	cost map[tenant.EnvironmentID]float64
}

func (e *executed) add(env tenant.EnvironmentID, day time.Time, dollars float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.day.Equal(day) {
		e.day, e.cost = day, map[tenant.EnvironmentID]float64{}
	}
	e.cost[env] += dollars
}

func (e *executed) of(env tenant.EnvironmentID, day time.Time) float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.day.Equal(day) {
		return 0
	}
	return e.cost[env]
}
