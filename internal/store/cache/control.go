// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CreateOrganization implements store.Organizations; the keys work when it
// returns.
func (c *Cache) CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error {
	return c.write(ctx, func(ctx context.Context) error { return c.control.CreateOrganization(ctx, org, keys) })
}

// Organizations implements store.Organizations.
func (c *Cache) Organizations(ctx context.Context, ids ...string) ([]tenant.Organization, error) {
	return c.control.Organizations(ctx, ids...)
}

// ChangeOrganization implements store.Organizations; it holds when it returns.
func (c *Cache) ChangeOrganization(ctx context.Context, id string, change func(*tenant.Organization) error) (changed tenant.Organization, err error) {
	err = c.write(ctx, func(ctx context.Context) error {
		changed, err = c.control.ChangeOrganization(ctx, id, change)
		return err
	})
	return changed, err
}

// ChangeKeys implements store.Organizations; new keys work when it returns, and
// revoked ones do not.
func (c *Cache) ChangeKeys(ctx context.Context, of []tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error {
	return c.write(ctx, func(ctx context.Context) error { return c.control.ChangeKeys(ctx, of, change) })
}

// Keys implements store.Organizations.
func (c *Cache) Keys(ctx context.Context, of ...tenant.EnvironmentID) ([]tenant.Key, error) {
	return c.control.Keys(ctx, of...)
}

// AccessTokens implements store.AccessTokens, none where the control store keeps none.
func (c *Cache) AccessTokens(ctx context.Context) ([]tenant.Digest, error) {
	if kept, ok := c.control.(store.AccessTokens); ok {
		return kept.AccessTokens(ctx)
	}
	return nil, nil
}

// Put implements store.Documents.
func (c *Cache) Put(ctx context.Context, d store.Document) (stored store.Document, err error) {
	err = c.change(ctx, d.Kind, func(ctx context.Context) error {
		stored, err = c.control.Put(ctx, d)
		return err
	})
	if err != nil {
		return store.Document{}, err
	}
	return stored, nil
}

// List implements store.Documents.
func (c *Cache) List(ctx context.Context, f store.DocumentFilter) (list []store.Document, err error) {
	err = c.look(ctx, f.Kind, func() error {
		list, err = c.control.List(ctx, f)
		return err
	})
	return list, err
}

// Delete implements store.Documents.
func (c *Cache) Delete(ctx context.Context, of store.Kind, env tenant.EnvironmentID, name string) error {
	return c.change(ctx, of, func(ctx context.Context) error { return c.control.Delete(ctx, of, env, name) })
}

// Secret implements store.Control.
func (c *Cache) Secret(ctx context.Context, name string) ([]byte, error) {
	return c.control.Secret(ctx, name)
}

// look does a read of documents, after which memory follows if it holds such:
// a caller that read a setup finds it evaluated in this form.
func (c *Cache) look(ctx context.Context, kind store.Kind, do func() error) error {
	err := do()
	if err == nil && kind.Rules().Announced {
		err = c.Refresh(ctx)
	}
	return err
}

// change does a write of a document, after which memory follows if it holds
// such documents.
func (c *Cache) change(ctx context.Context, kind store.Kind, do func(context.Context) error) error {
	if kind.Rules().Announced {
		return c.write(ctx, do)
	}
	return do(ctx)
}
