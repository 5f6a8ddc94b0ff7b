// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// eraseInterval is the time between two looks for organizations that were
	// deleted.
	eraseInterval = 20 * time.Second
	// erasedAfter is how long after a deletion something of the organization may
	// still be on its way into the store: by then all processes know of it, and what
	// they had under way has ended.
	erasedAfter = time.Minute
)

// eraseRound is one round of taking deleted organizations out of the stores.
func (e *storeExtension) eraseRound(ctx context.Context) {
	if err := e.erase(ctx, time.Now()); e.worthTelling(ctx, err) {
		e.counts.eraseFailures.Add(ctx, 1)
		e.log.Error("what a deleted organization had stored is not all gone; the next round tries again", zap.Error(err))
	}
}

// erase takes what deleted organizations had stored out of the span store, at
// once, and again when nothing more can have come; then the rest of them goes out
// of the control store. What is interrupted is done by a later round, of this
// process or the next. What fails of one organization does not keep others.
func (e *storeExtension) erase(ctx context.Context, now time.Time) error {
	all, err := e.cache.Organizations(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for i := range all {
		if o := &all[i]; !o.DeletedAt.IsZero() && o.ErasedAt.IsZero() {
			if err := e.eraseOrganization(ctx, o, now.Sub(o.DeletedAt) >= erasedAfter); err != nil {
				errs = append(errs, fmt.Errorf("organization %s: %w", o.ID, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (e *storeExtension) eraseOrganization(ctx context.Context, o *tenant.Organization, last bool) error {
	for _, env := range o.AllEnvironments() {
		if err := e.engine.Delete(ctx, env.ID, store.Part{Everything: true}); err != nil {
			return err
		}
	}
	e.forgetAnswers()
	if !last {
		return nil
	}
	erased := time.Now().UTC()
	_, err := e.cache.ChangeOrganization(ctx, o.ID, func(o *tenant.Organization) error { o.ErasedAt = erased; return nil })
	if err == nil {
		e.log.Info("nothing of a deleted organization is left", zap.String("organization", o.ID))
	}
	return err
}
