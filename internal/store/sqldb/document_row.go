// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type documentRow struct {
	bun.BaseModel `bun:"table:documents,alias:d"`

	Seq           int64 `bun:",pk,autoincrement"`
	Kind          store.Kind
	EnvironmentID tenant.EnvironmentID
	ID            string
	Name          string
	ParentKind    store.Kind `bun:",nullzero"`
	ParentID      string     `bun:",nullzero"`
	IsOpen        int        // 0 or 1
	Revision      int64
	Label         string
	CreatedAt     moment
	Body          string
}

// revisionRow is a kept revision of a document.
type revisionRow struct {
	bun.BaseModel `bun:"table:revisions"`

	Document int64 `bun:",pk"` // its seq
	Revision int64 `bun:",pk"`
	Label    string
	Body     string
}

func rowOf(d *store.Document) *documentRow {
	row := &documentRow{
		Kind: d.Kind, EnvironmentID: d.Environment, ID: d.ID, Name: d.Name,
		ParentKind: d.Kind.Rules().Parent, ParentID: d.Parent,
		Revision: d.Revision, Label: d.Label, CreatedAt: moment{d.CreatedAt}, Body: string(d.Body),
	}
	if d.Open {
		row.IsOpen = 1
	}
	return row
}

func (r *documentRow) document() store.Document {
	return store.Document{
		Kind: r.Kind, Environment: r.EnvironmentID, ID: r.ID, Name: r.Name, Parent: r.ParentID, Open: r.IsOpen != 0,
		Revision: r.Revision, Label: r.Label, CreatedAt: r.CreatedAt.Time, Body: []byte(r.Body),
	}
}

// kept returns the revision that the row is at.
func (r *documentRow) kept() *revisionRow {
	return &revisionRow{Document: r.Seq, Revision: r.Revision, Label: r.Label, Body: r.Body}
}
