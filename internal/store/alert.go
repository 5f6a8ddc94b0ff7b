// SPDX-License-Identifier: Apache-2.0

package store

import "github.com/touchstone-otel/touchstone/internal/alert"

// Alerts returns the rules of alerts.
func Alerts(d Documents) Collection[alert.Rule] {
	return Collection[alert.Rule]{
		documents: d, kind: AlertKind,
		head: func(r *alert.Rule) Document {
			return Document{Environment: r.EnvironmentID, ID: r.ID, Name: r.Name, Revision: r.Revision, CreatedAt: r.CreatedAt}
		},
		accept: func(r *alert.Rule, d *Document) {
			r.EnvironmentID, r.ID, r.Name = d.Environment, d.ID, d.Name
			r.Revision, r.CreatedAt = d.Revision, d.CreatedAt
			r.UpdatedAt, r.SilencedUntil = r.UpdatedAt.UTC(), r.SilencedUntil.UTC()
		},
	}
}

// AlertStates returns what is known of alerts. That of an alert has its ID and is deleted
// with it.
func AlertStates(d Documents) Collection[alert.State] {
	return Collection[alert.State]{
		documents: d, kind: AlertStateKind,
		head: func(s *alert.State) Document {
			return Document{Environment: s.EnvironmentID, ID: s.ID, Name: s.ID, Parent: s.ID, Revision: s.Revision, CreatedAt: s.CreatedAt}
		},
		accept: func(s *alert.State, d *Document) {
			s.EnvironmentID, s.ID, s.Revision, s.CreatedAt = d.Environment, d.ID, d.Revision, d.CreatedAt
			s.LeasedUntil = s.LeasedUntil.UTC()
		},
	}
}

// Notifications returns the notifications of alerts. Those of an alert are deleted with it.
func Notifications(d Documents) Collection[alert.Notification] {
	return Collection[alert.Notification]{
		documents: d, kind: NotificationKind,
		head: func(n *alert.Notification) Document {
			return Document{
				Environment: n.EnvironmentID, ID: n.ID, Name: n.ID, Parent: n.RuleID, Open: n.Open(),
				Revision: n.Revision, CreatedAt: n.CreatedAt,
			}
		},
		accept: func(n *alert.Notification, d *Document) {
			n.EnvironmentID, n.ID, n.RuleID = d.Environment, d.ID, d.Parent
			n.Revision, n.CreatedAt = d.Revision, d.CreatedAt
			n.At, n.LeasedUntil = n.At.UTC(), n.LeasedUntil.UTC()
		},
	}
}
