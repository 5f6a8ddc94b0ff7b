// SPDX-License-Identifier: Apache-2.0

package deletions

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// pass removes as many spans of a deletion as there are when it begins, the oldest
// first, and returns it as stored: a caller that goes on sending does not keep it from
// ending. The number of deleted spans follows from the number left, so that no crash makes it
// wrong.
func (b *Book) pass(ctx context.Context, d store.Deletion) (store.Deletion, error) {
	filter, err := filterOf(d.Who)
	if err != nil {
		return d, err
	}
	left, err := b.count(ctx, d.EnvironmentID, filter)
	if err != nil {
		return d, err
	}
	d, err = b.note(ctx, d, left)
	for remaining := left; err == nil && remaining > 0; {
		var keys []span.Key
		if keys, err = b.find(ctx, d.EnvironmentID, filter); err != nil || len(keys) == 0 {
			return d, err
		}
		if err = b.engine.Delete(ctx, d.EnvironmentID, store.Part{Spans: keys}); err != nil {
			return d, err
		}
		remaining -= int64(len(keys))
		if left, err = b.count(ctx, d.EnvironmentID, filter); err == nil {
			d, err = b.note(ctx, d, left)
		}
	}
	return d, err
}

// note writes down how many spans are left, and that this process is at work.
func (b *Book) note(ctx context.Context, d store.Deletion, left int64) (store.Deletion, error) {
	before := d.Deleted
	if !d.Counted {
		d.Counted, d.Total = true, left
	}
	d.Deleted = max(d.Deleted, d.Total-left)
	d.Total = max(d.Total, d.Deleted+left) // some came since
	d.Owner, d.LeasedUntil = b.owner, b.now().Add(leased)
	b.mu.Lock()
	b.counts.Spans += d.Deleted - before
	b.mu.Unlock()
	return b.jobs.Replace(ctx, d)
}

// all is a query for all spans of a deletion, whenever they were.
func all(filter query.Filter, limit int) query.Query {
	return query.Query{
		From: math.MinInt64, To: math.MaxInt64, Filters: []query.Filter{filter}, Order: query.Order{By: query.SortTimestamp}, Limit: limit,
	}
}

// environment is an environment of which spans are seen however old they are.
func environment(id tenant.EnvironmentID) tenant.Environment {
	return tenant.Environment{ID: id, Retention: ever}
}

func (b *Book) count(ctx context.Context, env tenant.EnvironmentID, filter query.Filter) (int64, error) {
	q := all(filter, 0)
	q.Total = true
	found, err := b.engine.Search(ctx, environment(env), q)
	return found.Total, err
}

// find returns the keys of the first spans that a filter lets through.
func (b *Book) find(ctx context.Context, env tenant.EnvironmentID, filter query.Filter) ([]span.Key, error) {
	q := all(filter, atOnce)
	q.Brief = true
	found, err := b.engine.Search(ctx, environment(env), q)
	keys := make([]span.Key, len(found.Spans))
	for i := range found.Spans {
		keys[i] = found.Spans[i].Key()
	}
	return keys, err
}

// Bounds of what one request may ask.
const (
	// MaxPeople is how many entries a request may have.
	MaxPeople = 20
	// maxProperties is how many properties an entry may have.
	maxProperties = 5
)

// filterOf returns the condition that a span belongs to the person.
func filterOf(who []map[string]string) (query.Filter, error) {
	if len(who) == 0 || len(who) > MaxPeople {
		return query.Filter{}, fault.New(fault.Invalid, "associationProperties must have 1 to %d entries", MaxPeople)
	}
	people := make([]query.Filter, len(who))
	for i, properties := range who {
		if len(properties) == 0 || len(properties) > maxProperties {
			return query.Filter{}, fault.New(fault.Invalid, "associationProperties[%d] must have 1 to %d properties", i, maxProperties)
		}
		var each []query.Filter
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			f, err := has(name, properties[name])
			if err != nil {
				return query.Filter{}, fault.Wrap(fault.Invalid, err, "associationProperties[%d]: %s", i, fault.Message(err))
			}
			each = append(each, f)
		}
		people[i] = query.All(each...)
	}
	return query.Any(people...), nil
}

// has returns the condition that a span has a property, under whichever name SDKs
// give it.
func has(name, value string) (query.Filter, error) {
	if name == "" || value == "" || len(name)+len(value) > query.MaxFilterText/2 {
		return query.Filter{}, fault.New(fault.Invalid, "names and values of properties must not be empty, and at most %d bytes long together", query.MaxFilterText/2)
	}
	var names []query.Filter
	for _, key := range semconv.AssociationKeys(name) {
		field, err := query.ParseAttribute(key)
		if err != nil {
			return query.Filter{}, err
		}
		names = append(names, query.Equals(field, value))
	}
	if field := semconv.AssociationField(name); field != "" {
		names = append(names, query.Equals(query.Field{Kind: query.FieldAlias, Name: field}, value))
	}
	return query.Any(names...), nil
}
