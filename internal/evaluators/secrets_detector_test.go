// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

func TestSecretsAreSearchedBySeveralAtOnce(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("secrets-detector")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			want := i%2 == 0
			text := map[bool]string{true: "glpat-" + "x7Kq2mZ9bT4wLr8nVc5e", false: "nothing here"}[want]
			got, err := fromSpan(t.Context(), e, parts{"output": text}, nil)
			if err != nil || got.Outputs[0].Value != want {
				t.Errorf("%s: %v %v", text, got, err)
			}
		})
	}
	wg.Wait()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := fromSpan(ended, e, parts{"output": "nothing here"}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkSecrets(b *testing.B) {
	e, _ := Catalog().Get("secrets-detector")
	for name, text := range map[string]string{
		"1KB":     strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody asks why it would. ", 14),
		"Hostile": strings.Repeat(`key="a1 `, eval.MaxText/8),
	} {
		b.Run(name, func(b *testing.B) {
			span := parts{"output": text}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
