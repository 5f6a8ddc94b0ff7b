// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/collector/client"

	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxMetered is how many environments are metered at once; one that has sent
// nothing for longest begins again.
const maxMetered = 10_000

// overQuota is a request of an environment that has sent more than it may.
type overQuota struct {
	of    string // what there is too much of
	most  int64  // a second
	after time.Duration
}

func (e *overQuota) Error() string {
	return fmt.Sprintf("the environment may send %d %s a second; try again later", e.most, e.of)
}

// within returns an error where the caller has as much as its quota allows:
// an *overQuota, or a fault of kind Limited.
func (a *admission) within(ctx context.Context) error {
	if err := a.meters.of(ctx).ready(time.Now()); err != nil || a.usage == nil {
		return err
	}
	p, ok := client.FromContext(ctx).Auth.(*tenant.Principal)
	if !ok || p == nil {
		return nil
	}
	return a.usage.MaySend(ctx, p.Environment)
}

// meters hold environments to their quotas of telemetry.
type meters struct {
	byEnvironment *lru.Cache[tenant.EnvironmentID, *meter]
}

// meter is what one environment has left. What a request takes beyond that is a
// debt, which runs off before the next one is taken: so a request of any size
// passes, and over time the rate is kept.
type meter struct {
	quota          tenant.Quota
	records, bytes *pace.Bucket
}

func newMeters() *meters {
	c, _ := lru.New[tenant.EnvironmentID, *meter](maxMetered) // fails for sizes below 1
	return &meters{c}
}

// of returns the meter of the caller, nil if nothing bounds him.
func (m *meters) of(ctx context.Context) *meter {
	p, ok := client.FromContext(ctx).Auth.(*tenant.Principal)
	if !ok || p == nil {
		return nil
	}
	q := p.Environment.Quota
	if q.SpansPerSecond == 0 && q.BytesPerSecond == 0 {
		return nil
	}
	if known, ok := m.byEnvironment.Get(p.Environment.ID); ok && known.quota == q {
		return known
	}
	fresh := &meter{quota: q, records: pace.PerSecond(float64(q.SpansPerSecond)), bytes: pace.PerSecond(float64(q.BytesPerSecond))}
	m.byEnvironment.Add(p.Environment.ID, fresh)
	return fresh
}

// ready returns an *overQuota as long as there is a debt.
func (m *meter) ready(now time.Time) error {
	if m == nil {
		return nil
	}
	if after := m.records.Wait(now); after > 0 {
		return &overQuota{"spans, log records and data points", m.quota.SpansPerSecond, after}
	}
	if after := m.bytes.Wait(now); after > 0 {
		return &overQuota{"bytes", m.quota.BytesPerSecond, after}
	}
	return nil
}

// take counts a request that is admitted.
func (m *meter) take(now time.Time, records, bytes int) {
	if m == nil {
		return
	}
	m.records.Take(now, records)
	m.bytes.Take(now, bytes)
}
