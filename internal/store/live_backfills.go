// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ Backfills = (*Live)(nil)

// CreateBackfill is that of the role Backfills. No backfill is kept in memory.
func (l *Live) CreateBackfill(ctx context.Context, b monitor.Backfill) error {
	return l.control.CreateBackfill(ctx, b)
}

// Backfill is that of the role Backfills.
func (l *Live) Backfill(ctx context.Context, env tenant.EnvironmentID, setupID, id string) (monitor.Backfill, error) {
	return l.control.Backfill(ctx, env, setupID, id)
}

// ListBackfills is that of the role Backfills.
func (l *Live) ListBackfills(ctx context.Context, env tenant.EnvironmentID, setupID string) ([]monitor.Backfill, error) {
	return l.control.ListBackfills(ctx, env, setupID)
}

// OpenBackfills is that of the role Backfills.
func (l *Live) OpenBackfills(ctx context.Context) ([]monitor.Backfill, error) {
	return l.control.OpenBackfills(ctx)
}

// ReplaceBackfill is that of the role Backfills.
func (l *Live) ReplaceBackfill(ctx context.Context, b monitor.Backfill) (monitor.Backfill, error) {
	return l.control.ReplaceBackfill(ctx, b)
}
