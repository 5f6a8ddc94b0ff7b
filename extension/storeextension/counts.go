// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// counts are the extension's own metrics.
type counts struct {
	expireFailures  metric.Int64Counter
	refreshFailures metric.Int64Counter
	eraseFailures   metric.Int64Counter
}

func newCounts(provider metric.MeterProvider) (*counts, error) {
	meter := provider.Meter("github.com/touchstone-otel/touchstone/extension/storeextension")
	expire, errExpire := meter.Int64Counter("touchstone_store_expire_failures",
		metric.WithDescription("Rounds in which the space of expired spans could not be given back."),
		metric.WithUnit("{round}"))
	refresh, errRefresh := meter.Int64Counter("touchstone_store_refresh_failures",
		metric.WithDescription("Looks at what other processes wrote to the control store that failed."),
		metric.WithUnit("{look}"))
	erase, errErase := meter.Int64Counter("touchstone_store_erase_failures",
		metric.WithDescription("Rounds in which what a deleted organization had stored could not be removed."),
		metric.WithUnit("{round}"))
	if err := errors.Join(errExpire, errRefresh, errErase); err != nil {
		return nil, err
	}
	return &counts{expireFailures: expire, refreshFailures: refresh, eraseFailures: erase}, nil
}
