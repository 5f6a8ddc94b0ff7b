// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
)

// provider provides judges by name and by slug.
type provider struct{ named, slugs map[string]eval.JudgeModel }

func (l provider) Judge(name string) (eval.JudgeModel, bool) {
	j, ok := l.named[name]
	return j, ok
}

func (l provider) Models(slug string) eval.Models { return eval.Models{Judge: l.slugs[slug]} }

type namedJudge string

func (namedJudge) Judge(context.Context, eval.Question) (eval.Verdict, error) {
	return eval.Verdict{}, nil
}

func TestJudgeOfACustomEvaluator(t *testing.T) {
	t.Parallel()
	p := provider{
		named: map[string]eval.JudgeModel{"openai": namedJudge("by name")},
		slugs: map[string]eval.JudgeModel{"quality": namedJudge("by slug")},
	}
	for _, c := range []struct {
		provider, slug string
		want           eval.JudgeModel
	}{
		{"openai", "quality", namedJudge("by name")},
		{"openai", "other", namedJudge("by name")},
		{"absent", "quality", namedJudge("by slug")},
		{"absent", "other", nil},
	} {
		require.Equal(t, c.want, registry.JudgeOf(p, &eval.CustomEvaluator{Provider: c.provider, Slug: c.slug}))
	}
	require.Nil(t, registry.JudgeOf(nil, &eval.CustomEvaluator{Provider: "openai"}))
}
