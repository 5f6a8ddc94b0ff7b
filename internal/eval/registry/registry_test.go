// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// kept is custom evaluators of one environment; broken is what every question
// comes to, if it is set.
type kept struct {
	env    tenant.EnvironmentID
	all    []eval.CustomEvaluator
	broken error
	asked  *int
}

func (k kept) Get(_ context.Context, env tenant.EnvironmentID, name string) (eval.CustomEvaluator, error) {
	*k.asked++
	for _, c := range k.all {
		if k.broken == nil && env == k.env && (c.Slug == name || c.ID == name) {
			return c, nil
		}
	}
	return eval.CustomEvaluator{}, errors.Join(k.broken, fault.New(fault.NotFound, "none"))
}

func (k kept) Revision(ctx context.Context, env tenant.EnvironmentID, name, version string) (eval.CustomEvaluator, error) {
	c, err := k.Get(ctx, env, name)
	if err == nil && c.VersionID != version {
		return eval.CustomEvaluator{}, fault.New(fault.NotFound, "none")
	}
	return c, err
}

func (k kept) List(context.Context, tenant.EnvironmentID) ([]eval.CustomEvaluator, error) {
	*k.asked++
	return k.all, k.broken
}

func TestRegistryFindsPrebuiltAndCustomEvaluatorsAlike(t *testing.T) {
	t.Parallel()
	type in struct {
		Text string `json:"text" doc:"A text." need:"required"`
	}
	type out struct {
		Good bool `json:"good" doc:"Whether it is."`
	}
	ours, err := eval.New(eval.Definition[in, eval.None, out]{
		Slug: "ours", Doc: "Judges.",
		Run:      func(context.Context, in, eval.None) (out, error) { return out{true}, nil },
		Examples: []eval.Example{{About: "one", Input: `{"text":"a"}`, Want: `{"good":true}`}},
	})
	require.NoError(t, err)
	catalog, err := eval.NewCatalog(ours)
	require.NoError(t, err)
	fields := []eval.CustomField{{Name: "text", Type: eval.CustomString}}
	asked := 0
	store := kept{env: "a", asked: &asked, all: []eval.CustomEvaluator{
		{ID: "1", Slug: "theirs", VersionID: "v", Input: fields}, {ID: "2", Slug: "ours", Input: fields},
	}}
	r := registry.New(catalog, store, nil)
	ctx := t.Context()

	e, err := r.Find(ctx, "a", "ours")
	require.NoError(t, err)
	require.Nil(t, e.Custom, "the slug means the prebuilt one")
	require.Zero(t, asked, "which the store is not asked for")
	e, err = r.Find(ctx, "a", "2")
	require.NoError(t, err)
	require.Equal(t, "2", e.Custom.ID, "and the id still the custom one")
	_, err = r.Find(ctx, "b", "theirs")
	require.True(t, fault.Is(err, fault.NotFound), "another environment has none of it")

	e, err = r.Bound(ctx, "a", "theirs", "1")
	require.NoError(t, err)
	require.Equal(t, "theirs", e.Slug)
	require.Equal(t, "text", e.Input[0].Name)
	_, err = e.FromJSON(ctx, json.RawMessage(`{"text":"a"}`), nil)
	require.True(t, fault.Is(err, fault.NotConfigured), "without a judge")
	_, err = r.Bound(ctx, "a", "theirs", "")
	require.True(t, fault.Is(err, fault.Invalid), "only a prebuilt one has no id")
	_, err = r.Bound(ctx, "a", "ours", "9")
	require.True(t, fault.Is(err, fault.NotFound), "a custom one that is gone is not made up for by its slug")

	_, err = r.Version(ctx, "a", "theirs", "v")
	require.NoError(t, err)
	_, err = r.Version(ctx, "a", "theirs", "w")
	require.True(t, fault.Is(err, fault.NotFound))
	require.Equal(t, []*eval.Evaluator{ours}, r.Prebuilt())
	require.True(t, r.IsPrebuilt("ours"))
	require.False(t, r.IsPrebuilt("theirs"))
	custom, err := r.Custom(ctx, "a")
	require.NoError(t, err)
	require.Len(t, custom, 2)

	asked = 0
	now, err := r.Snapshot(ctx, "a")
	require.NoError(t, err)
	for range 3 {
		_, err = now.Bound(ctx, "a", "theirs", "1")
		require.NoError(t, err)
	}
	_, err = now.Version(ctx, "a", "theirs", "v")
	require.NoError(t, err)
	require.Equal(t, 1, asked)
	_, err = r.Among(nil).Bound(ctx, "a", "theirs", "1")
	require.True(t, fault.Is(err, fault.NotFound))

	store.broken = errors.New("disk")
	r = registry.New(catalog, store, nil)
	_, err = r.Snapshot(ctx, "a")
	require.ErrorIs(t, err, store.broken)
	_, err = r.Custom(ctx, "a")
	require.ErrorIs(t, err, store.broken)
}
