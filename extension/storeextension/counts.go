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
	sweepFailures    metric.Int64Counter
	deletionFailures metric.Int64Counter
	backups          metric.Int64Counter
	backupFailures   metric.Int64Counter
	meter            metric.Meter
	observed         []metric.Registration
}

func newCounts(provider metric.MeterProvider) (*counts, error) {
	c := &counts{meter: provider.Meter("github.com/touchstone-otel/touchstone/extension/storeextension")}
	for _, made := range []struct {
		into                    *metric.Int64Counter
		name, unit, description string
	}{
		{&c.expireFailures, "touchstone_store_expire_failures", "{round}", "Rounds in which the space of expired spans could not be given back."},
		{&c.refreshFailures, "touchstone_store_refresh_failures", "{look}", "Looks at what other processes wrote to the control store that failed."},
		{&c.eraseFailures, "touchstone_store_erase_failures", "{round}", "Rounds in which what a deleted organization had stored could not be removed."},
		{&c.sweepFailures, "touchstone_store_sweep_failures", "{round}", "Number of failed sweeps for pending evaluations that are not queued."},
		{&c.deletionFailures, "touchstone_data_deletion_failures", "{round}", "Rounds in which what is stored of people could not be deleted."},
		{&c.backups, "touchstone_store_backups", "{backup}", "Backups that were made."},
		{&c.backupFailures, "touchstone_store_backup_failures", "{backup}", "Backups that failed."},
	} {
		counter, err := c.meter.Int64Counter(made.name, metric.WithDescription(made.description), metric.WithUnit(made.unit))
		if err != nil {
			return nil, err
		}
		counter.Add(context.Background(), 0) // so that the series are there before anything fails
		*made.into = counter
	}
	return c, nil
}

// filed is an engine that knows of its files.
type filed interface {
	// AttachedFiles returns how many are open.
	AttachedFiles() int
	// DamagedPartitions returns how many files were moved away as damaged.
	DamagedPartitions() int
}

// observe has instruments read by a function until unwatch is called.
func (c *counts) observe(read metric.Callback, of ...metric.Observable) error {
	r, err := c.meter.RegisterCallback(read, of...)
	if err == nil {
		c.observed = append(c.observed, r)
	}
	return err
}

// unwatch ends all that was begun by functions of the names watch….
func (c *counts) unwatch() error {
	var errs []error
	for _, r := range c.observed {
		errs = append(errs, r.Unregister())
	}
	c.observed = nil
	return errors.Join(errs...)
}

func (c *counts) watchQuotas(used *usage.Meter) error {
	refused, err := c.meter.Int64ObservableCounter("touchstone_quota_refused",
		metric.WithDescription("What was refused for a quota of an environment, by quota: stored_bytes, owed_evaluations, dollars_per_day or concurrent_queries."),
		metric.WithUnit("{request}"))
	if err != nil {
		return err
	}
	return c.observe(func(_ context.Context, o metric.Observer) error {
		for _, q := range usage.Quotas {
			o.ObserveInt64(refused, used.Refused(q), metric.WithAttributes(attribute.String("quota", q.String())))
		}
		return nil
	}, refused)
}

// watchFiles tells of the files of an engine that knows of them.
func (c *counts) watchFiles(engine any) error {
	e, ok := engine.(filed)
	if !ok {
		return nil
	}
	damaged, errDamaged := c.meter.Int64ObservableGauge("touchstone_store_damaged_partitions",
		metric.WithDescription("Damaged files of spans that were moved away."),
		metric.WithUnit("{file}"))
	attached, errAttached := c.meter.Int64ObservableGauge("touchstone_store_attached_files",
		metric.WithDescription("Files of spans that are open."),
		metric.WithUnit("{file}"))
	if err := errors.Join(errDamaged, errAttached); err != nil {
		return err
	}
	return c.observe(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(attached, int64(e.AttachedFiles()))
		o.ObserveInt64(damaged, int64(e.DamagedPartitions()))
		return nil
	}, attached, damaged)
}

func (c *counts) watchQueries(asked *queries.Queries) error {
	refused, errRefused := c.meter.Int64ObservableCounter("touchstone_queries_refused",
		metric.WithDescription("Queries of the API that were refused or given up, by reason: price, concurrency or deadline."),
		metric.WithUnit("{query}"))
	partial, errPartial := c.meter.Int64ObservableCounter("touchstone_queries_partial",
		metric.WithDescription("Searches of the API that ended at a bound and answered what they had found."),
		metric.WithUnit("{query}"))
	running, errRunning := c.meter.Int64ObservableGauge("touchstone_queries_running",
		metric.WithDescription("Queries of the API that run, by kind: cheap or expensive."),
		metric.WithUnit("{query}"))
	waiting, errWaiting := c.meter.Int64ObservableGauge("touchstone_queries_waiting",
		metric.WithDescription("Queries of the API that wait for others, by kind: cheap or expensive."),
		metric.WithUnit("{query}"))
	if err := errors.Join(errRefused, errPartial, errRunning, errWaiting); err != nil {
		return err
	}
	return c.observe(func(_ context.Context, o metric.Observer) error {
		s := asked.Stats()
		for reason, n := range s.Refused {
			o.ObserveInt64(refused, n, metric.WithAttributes(attribute.String("reason", queries.Reason(reason).String())))
		}
		o.ObserveInt64(partial, s.Partial)
		for kind := range s.Running {
			by := metric.WithAttributes(attribute.String("kind", queries.Kind(kind).String()))
			o.ObserveInt64(running, s.Running[kind], by)
			o.ObserveInt64(waiting, s.Waiting[kind], by)
		}
		return nil
	}, refused, partial, running, waiting)
}
