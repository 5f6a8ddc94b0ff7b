// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two texts of 1 KB on one subject are compared.
func BenchmarkLikeness(b *testing.B) {
	read := func(name string) string {
		text, err := os.ReadFile("../testdata/" + name)
		require.NoError(b, err)
		return string(text)
	}
	one, other := read("bench_answer.txt"), read("bench_question.txt")
	b.Run("reading", func(b *testing.B) {
		for b.Loop() {
			Of(one)
			Of(other)
		}
	})
	x, y := Of(one), Of(other)
	b.Run("comparing", func(b *testing.B) {
		for b.Loop() {
			Likeness(x, y)
		}
	})
}
