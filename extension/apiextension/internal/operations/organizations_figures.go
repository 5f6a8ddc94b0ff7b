// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is what organizations ask of the span store.
type Records interface {
	// Stored returns, from memory, how many spans of an environment are stored, and
	// whether anybody knows.
	Stored(env tenant.EnvironmentID) (int64, bool)
}

// showAll shows organizations with what is known of the use of their environments: the
// spans from memory, and when keys were used last from one question for all of them.
func (a *OrganizationsAPI) showAll(ctx context.Context, list []tenant.Organization, of ...tenant.EnvironmentID) ([]OrganizationRecord, error) {
	keys, err := a.Control.Keys(ctx, of...)
	if err != nil {
		return nil, err
	}
	used := make(map[tenant.EnvironmentID]time.Time, len(keys))
	for i := range keys {
		if env := keys[i].Environment.ID; keys[i].UsedAt.After(used[env]) {
			used[env] = keys[i].UsedAt
		}
	}
	shown := make([]OrganizationRecord, len(list))
	for i := range list {
		shown[i] = showOrganization(&list[i])
		for j := range shown[i].Environments {
			e := &shown[i].Environments[j]
			e.LastUsedAt = rest.TimeIfAny(used[e.ID])
			if n, known := a.Records.Stored(e.ID); known {
				e.StoredSpans = &n
			}
		}
	}
	return shown, nil
}
