// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
)

// counts are the extension's own metrics.
type counts struct {
	expireFailures   metric.Int64Counter
	refreshFailures  metric.Int64Counter
	eraseFailures    metric.Int64Counter
	deletionFailures metric.Int64Counter
	backups          metric.Int64Counter
	backupFailures   metric.Int64Counter
	meter            metric.Meter
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
	deletion, errDeletion := meter.Int64Counter("touchstone_data_deletion_failures",
		metric.WithDescription("Rounds in which what is stored of people could not be deleted."),
		metric.WithUnit("{round}"))
	backups, errBackups := meter.Int64Counter("touchstone_store_backups",
		metric.WithDescription("Backups that were made."),
		metric.WithUnit("{backup}"))
	backupFailures, errBackupFailures := meter.Int64Counter("touchstone_store_backup_failures",
		metric.WithDescription("Backups that failed."),
		metric.WithUnit("{backup}"))
	if err := errors.Join(errExpire, errRefresh, errErase, errDeletion, errBackups, errBackupFailures); err != nil {
		return nil, err
	}
	for _, c := range []metric.Int64Counter{expire, refresh, erase, deletion, backups, backupFailures} {
		c.Add(context.Background(), 0) // so that the series are there before anything fails
	}
	return &counts{
		expireFailures: expire, refreshFailures: refresh, eraseFailures: erase, deletionFailures: deletion,
		backups: backups, backupFailures: backupFailures, meter: meter,
	}, nil
}

// filed is an engine that knows of its files.
type filed interface {
	// AttachedFiles returns how many are open.
	AttachedFiles() int
	// DamagedPartitions returns how many were set aside.
	DamagedPartitions() int
}

// watch tells of queries, of quotas, and of the files of an engine that can say it,
// until the result is called.
func (c *counts) watch(engine any, asked *queries.Queries, used *usage.Meter) (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var errs []error
		for _, s := range stops {
			errs = append(errs, s())
		}
		return errors.Join(errs...)
	}
	begin := []func() (func() error, error){
		func() (func() error, error) { return c.watchQueries(asked) },
		func() (func() error, error) { return c.watchQuotas(used) },
	}
	if e, ok := engine.(filed); ok {
		begin = append(begin, func() (func() error, error) { return c.watchFiles(e) })
	}
	for _, b := range begin {
		s, err := b()
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		stops = append(stops, s)
	}
	return stop, nil
}

func (c *counts) watchQuotas(used *usage.Meter) (stop func() error, err error) {
	refused, err := c.meter.Int64ObservableCounter("touchstone_quota_refused",
		metric.WithDescription("What was refused for a quota of an environment, by quota: stored_bytes, owed_evaluations or dollars_per_day."),
		metric.WithUnit("{request}"))
	if err != nil {
		return nil, err
	}
	r, err := c.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, q := range usage.Quotas {
			o.ObserveInt64(refused, used.Refused(q), metric.WithAttributes(attribute.String("quota", q.String())))
		}
		return nil
	}, refused)
	if err != nil {
		return nil, err
	}
	return r.Unregister, nil
}

func (c *counts) watchFiles(e filed) (stop func() error, err error) {
	damaged, errDamaged := c.meter.Int64ObservableGauge("touchstone_store_damaged_partitions",
		metric.WithDescription("Damaged files of spans that were set aside."),
		metric.WithUnit("{file}"))
	attached, errAttached := c.meter.Int64ObservableGauge("touchstone_store_attached_files",
		metric.WithDescription("Files of spans that are open."),
		metric.WithUnit("{file}"))
	if err := errors.Join(errDamaged, errAttached); err != nil {
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

func (c *counts) watchQueries(asked *queries.Queries) (stop func() error, err error) {
	refused, errRefused := c.meter.Int64ObservableCounter("touchstone_queries_refused",
		metric.WithDescription("Queries of the API that were refused or given up, by reason: price, concurrency or deadline."),
		metric.WithUnit("{query}"))
	running, errRunning := c.meter.Int64ObservableGauge("touchstone_queries_running",
		metric.WithDescription("Queries of the API that run, by kind: cheap or expensive."),
		metric.WithUnit("{query}"))
	waiting, errWaiting := c.meter.Int64ObservableGauge("touchstone_queries_waiting",
		metric.WithDescription("Queries of the API that wait for others, by kind: cheap or expensive."),
		metric.WithUnit("{query}"))
	if err := errors.Join(errRefused, errRunning, errWaiting); err != nil {
		return nil, err
	}
	r, err := c.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := asked.Stats()
		for reason, n := range s.Refused {
			o.ObserveInt64(refused, n, metric.WithAttributes(attribute.String("reason", queries.Reason(reason).String())))
		}
		for kind := range s.Running {
			by := metric.WithAttributes(attribute.String("kind", queries.Kind(kind).String()))
			o.ObserveInt64(running, s.Running[kind], by)
			o.ObserveInt64(waiting, s.Waiting[kind], by)
		}
		return nil
	}, refused, running, waiting)
	if err != nil {
		return nil, err
	}
	return r.Unregister, nil
}
