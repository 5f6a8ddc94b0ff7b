// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// View is a list of the web UI that a user named for all who have a key of the environment.
type View struct {
	ID            string               `json:"id"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	Name          string               `json:"name"`
	// Screen and Query are the address of the list: the last part of its path, and its
	// parameters.
	Screen    string    `json:"screen"`
	Query     string    `json:"query"`
	Revision  int64     `json:"revision"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Views returns the views of environments.
func Views(d Documents) Collection[View] {
	return Collection[View]{
		documents: d, kind: ViewKind,
		head: func(v *View) Document {
			return Document{Environment: v.EnvironmentID, ID: v.ID, Name: v.Name, Revision: v.Revision, CreatedAt: v.CreatedAt}
		},
		accept: func(v *View, d *Document) {
			v.EnvironmentID, v.ID, v.Name = d.Environment, d.ID, d.Name
			v.Revision, v.CreatedAt, v.UpdatedAt = d.Revision, d.CreatedAt, v.UpdatedAt.UTC()
		},
	}
}
