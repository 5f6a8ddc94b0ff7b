// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type backfillRow struct {
	bun.BaseModel `bun:"table:backfills"`

	Seq           int64 `bun:",pk,autoincrement"`
	ID            text
	EnvironmentID text
	SetupID       text
	FromTime      int64
	ToTime        int64
	Status        text
	Position      text
	Total         int64
	Seen          int64
	Matched       int64
	ErrorMessage  text
	Revision      int64
	CreatedAt     moment
	UpdatedAt     moment
}

func backfillRowOf(b monitor.Backfill) backfillRow {
	return backfillRow{
		ID:            text(b.ID),
		EnvironmentID: text(b.EnvironmentID),
		SetupID:       text(b.SetupID),
		FromTime:      b.From,
		ToTime:        b.To,
		Status:        text(b.Status),
		Position:      text(b.Position),
		Total:         b.Total,
		Seen:          b.Seen,
		Matched:       b.Matched,
		ErrorMessage:  text(b.ErrorMessage),
		Revision:      b.Revision,
		CreatedAt:     moment{b.CreatedAt},
		UpdatedAt:     moment{b.UpdatedAt},
	}
}

func (r *backfillRow) backfill() monitor.Backfill {
	return monitor.Backfill{
		ID:            string(r.ID),
		EnvironmentID: tenant.EnvironmentID(r.EnvironmentID),
		SetupID:       string(r.SetupID),
		From:          r.FromTime,
		To:            r.ToTime,
		Status:        monitor.BackfillStatus(r.Status),
		Position:      string(r.Position),
		Total:         r.Total,
		Seen:          r.Seen,
		Matched:       r.Matched,
		ErrorMessage:  string(r.ErrorMessage),
		Revision:      r.Revision,
		CreatedAt:     r.CreatedAt.Time,
		UpdatedAt:     r.UpdatedAt.Time,
	}
}
