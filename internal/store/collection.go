// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Collection reads and writes the documents of one kind as values of a type.
// What its methods promise is what Documents promises. Times come back in UTC,
// empty lists and maps as nil, and configurations without the space between
// their tokens.
type Collection[T any] struct {
	documents Documents
	kind      Kind
	// head returns what the store has to know of a value; accept gives the value
	// what the store decided, and its times in UTC.
	head   func(*T) Document
	accept func(*T, *Document)
}

// Setups returns the auto monitor setups of a control store.
func Setups(d Documents) Collection[monitor.Setup] {
	return Collection[monitor.Setup]{
		documents: d, kind: SetupKind,
		head: func(s *monitor.Setup) Document {
			return Document{
				Environment: s.EnvironmentID, ID: s.ID, Name: s.ExternalID,
				Revision: s.Revision, CreatedAt: s.CreatedAt,
			}
		},
		accept: func(s *monitor.Setup, d *Document) {
			s.EnvironmentID, s.ID, s.ExternalID = d.Environment, d.ID, d.Name
			s.Revision, s.CreatedAt, s.UpdatedAt = d.Revision, d.CreatedAt, s.UpdatedAt.UTC()
			for i := range s.Evaluators {
				s.Evaluators[i].ProcessedAt = s.Evaluators[i].ProcessedAt.UTC()
			}
		},
	}
}

// Evaluators returns the evaluators that users defined. A version is a
// revision, and never changes once it is stored.
func Evaluators(d Documents) Collection[eval.CustomEvaluator] {
	return Collection[eval.CustomEvaluator]{
		documents: d, kind: EvaluatorKind,
		head: func(e *eval.CustomEvaluator) Document {
			return Document{
				Environment: e.EnvironmentID, ID: e.ID, Name: e.Slug,
				Revision: e.Version, Label: e.VersionID, CreatedAt: e.CreatedAt,
			}
		},
		accept: func(e *eval.CustomEvaluator, d *Document) {
			e.EnvironmentID, e.ID, e.Slug = d.Environment, d.ID, d.Name
			e.Version, e.VersionID, e.CreatedAt, e.UpdatedAt = d.Revision, d.Label, d.CreatedAt, e.UpdatedAt.UTC()
		},
	}
}

// Backfills returns the backfills of setups. Those of a setup are deleted with
// it.
func Backfills(d Documents) Collection[monitor.Backfill] {
	return Collection[monitor.Backfill]{
		documents: d, kind: BackfillKind,
		head: func(b *monitor.Backfill) Document {
			return Document{
				Environment: b.EnvironmentID, ID: b.ID, Name: b.ID, Parent: b.SetupID, Open: !b.Status.Over(),
				Revision: b.Revision, CreatedAt: b.CreatedAt,
			}
		},
		accept: func(b *monitor.Backfill, d *Document) {
			b.EnvironmentID, b.ID, b.SetupID = d.Environment, d.ID, d.Parent
			b.Revision, b.CreatedAt, b.UpdatedAt = d.Revision, d.CreatedAt, b.UpdatedAt.UTC()
			b.LeasedUntil = b.LeasedUntil.UTC()
		},
	}
}

// Create stores a new value with revision 1.
func (c Collection[T]) Create(ctx context.Context, v T) error {
	d, err := c.document(&v)
	if err != nil {
		return err
	}
	d.Revision = 0
	_, err = c.documents.Put(ctx, d)
	return err
}

// Get returns the value that goes by name in an environment: its name, or else
// its ID.
func (c Collection[T]) Get(ctx context.Context, env tenant.EnvironmentID, name string) (T, error) {
	return c.one(ctx, DocumentFilter{Environment: env, Name: name})
}

// Revision returns the value that Get would as it was in a kept revision, which
// goes by its number in decimal or by its label.
func (c Collection[T]) Revision(ctx context.Context, env tenant.EnvironmentID, name, revision string) (T, error) {
	if revision == "" {
		var none T
		return none, c.kind.NotFound()
	}
	return c.one(ctx, DocumentFilter{Environment: env, Name: name, Revision: revision})
}

// one returns the value that a filter with a name lets through, or NotFound.
func (c Collection[T]) one(ctx context.Context, f DocumentFilter) (v T, err error) {
	if f.Environment == "" || f.Name == "" { // which would narrow nothing
		return v, c.kind.NotFound()
	}
	list, err := c.Filter(ctx, f)
	if err == nil && len(list) == 0 {
		err = c.kind.NotFound()
	}
	if err != nil {
		return v, err
	}
	return list[0], nil
}

// List returns the values of an environment, oldest first.
func (c Collection[T]) List(ctx context.Context, env tenant.EnvironmentID) ([]T, error) {
	return c.Filter(ctx, DocumentFilter{Environment: env})
}

// Filter returns the values that a filter lets through, oldest first; its kind
// is the collection's.
func (c Collection[T]) Filter(ctx context.Context, f DocumentFilter) ([]T, error) {
	f.Kind = c.kind
	documents, err := c.documents.List(ctx, f)
	if err != nil {
		return nil, err
	}
	list := make([]T, 0, len(documents))
	for i := range documents {
		v, err := c.value(documents[i], nil)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// Replace stores a value as the revision after its own, and returns it as
// stored.
func (c Collection[T]) Replace(ctx context.Context, v T) (T, error) {
	d, err := c.document(&v)
	if err == nil && d.Revision < 1 {
		err = c.kind.Changed() // what is stored has a revision
	}
	if err == nil {
		d, err = c.documents.Put(ctx, d)
	}
	return c.value(d, err)
}

// Delete removes the value that Get would return.
func (c Collection[T]) Delete(ctx context.Context, env tenant.EnvironmentID, name string) error {
	return c.documents.Delete(ctx, c.kind, env, name)
}

func (c Collection[T]) document(v *T) (Document, error) {
	d := c.head(v)
	d.Kind = c.kind
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // a configuration keeps its spelling
	if err := encoder.Encode(v); err != nil {
		return d, fmt.Errorf("write %s: %w", c.kind, err)
	}
	d.Body = bytes.ToValidUTF8(bytes.TrimSuffix(body.Bytes(), []byte("\n")), []byte("\uFFFD"))
	return d, nil
}

// value returns the value of a document, unless there is an error already.
func (c Collection[T]) value(d Document, err error) (T, error) {
	var v, none T
	if err != nil {
		return none, err
	}
	if err := json.Unmarshal(d.Body, &v); err != nil {
		return none, fmt.Errorf("read %s %q: %w", c.kind, d.ID, err)
	}
	c.accept(&v, &d)
	return v, nil
}
