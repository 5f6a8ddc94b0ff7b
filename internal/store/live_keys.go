// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"iter"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// credentials are the keys that work and the environments that have one.
type credentials struct {
	keys         *table[tenant.Digest, tenant.Key]
	environments *table[tenant.EnvironmentID, tenant.Environment]
}

func noCredentials() *credentials {
	return &credentials{
		keys:         newTable[tenant.Digest, tenant.Key](),
		environments: newTable[tenant.EnvironmentID, tenant.Environment](),
	}
}

func (c *credentials) with(keys []tenant.Key) *credentials {
	return &credentials{
		keys: c.keys.with(entries(keys, func(k tenant.Key) (tenant.Digest, tenant.Key) {
			return k.Digest, k
		})),
		environments: c.environments.with(entries(keys, func(k tenant.Key) (tenant.EnvironmentID, tenant.Environment) {
			return k.Environment.ID, k.Environment
		})),
	}
}

func entries[T any, K comparable, V any](list []T, entry func(T) (K, V)) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, item := range list {
			if !yield(entry(item)) {
				return
			}
		}
	}
}

var errUnknownKey = fault.New(fault.NotFound, "key not found")

// Key gives the key with this digest, or NotFound, from memory: a flood of
// wrong keys costs no query. The digest of a guessed credential cannot be
// steered, so the time of the look-up tells nothing of the digests that exist.
func (l *Live) Key(_ context.Context, digest tenant.Digest) (tenant.Key, error) {
	key, ok := l.keys.Load().keys.get(digest)
	if !ok {
		return tenant.Key{}, errUnknownKey
	}
	return key, nil
}

// Environment gives the environment with this id, if it has a key.
func (l *Live) Environment(id tenant.EnvironmentID) (tenant.Environment, bool) {
	return l.keys.Load().environments.get(id)
}

// CreateOrganization is that of Organizations; the keys work when it returns.
func (l *Live) CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error {
	own := owned(org, keys)
	create := func(ctx context.Context) error {
		if err := l.control.CreateOrganization(ctx, org, keys); err != nil {
			return err
		}
		l.publishKeys(own)
		return nil
	}
	// The keys are stored all or nothing, so one tells of the others.
	recall := func(ctx context.Context) error {
		if len(own) == 0 {
			return nil
		}
		_, err := l.control.Key(ctx, own[0].Digest)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err == nil {
			l.publishKeys(own)
		}
		return err
	}
	return l.write(ctx, subject{"organization", org.ID}, create, recall)
}

// owned gives the keys with their environments as the organization has them.
func owned(org tenant.Organization, keys []tenant.Key) []tenant.Key {
	environments := make(map[tenant.EnvironmentID]tenant.Environment)
	for _, e := range org.AllEnvironments() {
		environments[e.ID] = e
	}
	own := make([]tenant.Key, 0, len(keys))
	for _, k := range keys {
		own = append(own, tenant.Key{Digest: k.Digest, Environment: environments[k.Environment.ID]})
	}
	return own
}

func (l *Live) publishKeys(keys []tenant.Key) {
	l.publishing.Lock()
	defer l.publishing.Unlock()
	l.keys.Store(l.keys.Load().with(keys))
}

// learnKeys publishes those of the keys that memory does not have. A key that
// is stored once works for good.
func (l *Live) learnKeys(stored []tenant.Key) {
	known := l.keys.Load().keys
	var news []tenant.Key
	for _, k := range stored {
		if had, ok := known.get(k.Digest); !ok || had != k {
			news = append(news, k)
		}
	}
	if len(news) > 0 {
		l.publishKeys(news)
	}
}
