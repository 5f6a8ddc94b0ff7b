// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"maps"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// same reports whether both lists hold equal setups. It is asked for every
// setup there is whenever another process wrote: reflection would take ten
// times as long.
func same(a, b []monitor.Setup) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

func equal(a, b *monitor.Setup) bool {
	return a.ID == b.ID && a.ExternalID == b.ExternalID &&
		a.OrganizationID == b.OrganizationID && a.ProjectID == b.ProjectID && a.EnvironmentID == b.EnvironmentID &&
		slices.EqualFunc(a.Selector, b.Selector, equalRules) &&
		slices.EqualFunc(a.Evaluators, b.Evaluators, equalEvaluators) &&
		a.MinSpans == b.MinSpans && a.MaxCostPerDay == b.MaxCostPerDay && a.Deadline == b.Deadline && a.OtherLanguages == b.OtherLanguages &&
		a.EntityType == b.EntityType && a.EntityValue == b.EntityValue &&
		a.Status == b.Status && a.Revision == b.Revision && a.Generation == b.Generation &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt)
}

func equalRules(a, b monitor.Rule) bool {
	return a.Key == b.Key && a.Origin == b.Origin && a.Operator == b.Operator &&
		(a.Value == nil) == (b.Value == nil) && (a.Value == nil || *a.Value == *b.Value) &&
		slices.Equal(a.Values, b.Values)
}

func equalEvaluators(a, b monitor.SetupEvaluator) bool {
	return a.Slug == b.Slug && a.CustomID == b.CustomID && bytes.Equal(a.Config, b.Config) &&
		a.Backend == b.Backend && a.SampleRate == b.SampleRate && maps.Equal(a.Inputs, b.Inputs) &&
		a.Status == b.Status && a.ErrorMessage == b.ErrorMessage && a.ProcessedAt.Equal(b.ProcessedAt)
}
