// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// counts are the extension's own metrics.
type counts struct {
	expireFailures  metric.Int64Counter
	refreshFailures metric.Int64Counter
	eraseFailures   metric.Int64Counter
	backups         metric.Int64Counter
	backupFailures  metric.Int64Counter
	meter           metric.Meter
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
	backups, errBackups := meter.Int64Counter("touchstone_store_backups",
		metric.WithDescription("Backups that were made."),
		metric.WithUnit("{backup}"))
	backupFailures, errBackupFailures := meter.Int64Counter("touchstone_store_backup_failures",
		metric.WithDescription("Backups that failed."),
		metric.WithUnit("{backup}"))
	if err := errors.Join(errExpire, errRefresh, errErase, errBackups, errBackupFailures); err != nil {
		return nil, err
	}
	for _, c := range []metric.Int64Counter{expire, refresh, erase, backups, backupFailures} {
		c.Add(context.Background(), 0) // so that the series are there before anything fails
	}
	return &counts{
		expireFailures: expire, refreshFailures: refresh, eraseFailures: erase, backups: backups, backupFailures: backupFailures, meter: meter,
	}, nil
}

// filed is an engine that knows of its files.
type filed interface {
	// AttachedFiles returns how many are open.
	AttachedFiles() int
	// DamagedPartitions returns how many were set aside.
	DamagedPartitions() int
}

// watch tells of the files of an engine that can say it, until the result is called.
func (c *counts) watch(engine any) (stop func() error, err error) {
	e, ok := engine.(filed)
	if !ok {
		return func() error { return nil }, nil
	}
	damaged, err := c.meter.Int64ObservableGauge("touchstone_store_damaged_partitions",
		metric.WithDescription("Damaged files of spans that were set aside."),
		metric.WithUnit("{file}"))
	if err != nil {
		return nil, err
	}
	attached, err := c.meter.Int64ObservableGauge("touchstone_store_attached_files",
		metric.WithDescription("Files of spans that are open."),
		metric.WithUnit("{file}"))
	if err != nil {
		return nil, err
	}
	r, err := c.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(attached, int64(e.AttachedFiles()))
		o.ObserveInt64(damaged, int64(e.DamagedPartitions()))
		return nil
	}, attached, damaged)
	if err != nil {
		return nil, err
	}
	return r.Unregister, nil
}
