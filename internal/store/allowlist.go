// SPDX-License-Identifier: Apache-2.0

package store

import "github.com/touchstone-otel/touchstone/internal/tenant"

// AllowListName is the name of the one allow list of an environment.
const AllowListName = "texts"

// AllowList says whose prompts and completions SDKs may send that send none of
// others: of a span that has all properties of one entry.
type AllowList struct {
	ID            string               `json:"id"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	People        []map[string]string  `json:"people"`
	Revision      int64                `json:"revision"`
}

// AllowLists returns the allow lists of environments.
func AllowLists(d Documents) Collection[AllowList] {
	return Collection[AllowList]{
		documents: d, kind: AllowListKind,
		head: func(l *AllowList) Document {
			return Document{Environment: l.EnvironmentID, ID: l.ID, Name: AllowListName, Revision: l.Revision}
		},
		accept: func(l *AllowList, d *Document) { l.EnvironmentID, l.ID, l.Revision = d.Environment, d.ID, d.Revision },
	}
}
